import RTCCore

/// What frames of a codec look like to the encryption.
enum FrameCodec: Sendable {
    case opus
    case vp8

    /// Bytes at the start of a frame that stay clear, because a forwarding server reads them: Opus's table of contents,
    /// VP8's frame tag and, of a key frame, its start code and size (RFC 6386 section 9.1).
    func clearLength(of frame: UnsafeRawBufferPointer) -> Int {
        switch self {
        case .opus: 1
        case .vp8: frame.first.map { $0 & 1 == 0 } ?? false ? 10 : 3
        }
    }
}

/// An encrypted frame:
///
/// ```
///  +--------------+------------+-----------+---------+-----------+-----------+
///  | clear header | ciphertext | tag (16)  | IV (12) | IV length | key index |
///  +--------------+------------+-----------+---------+-----------+-----------+
/// ```
///
/// The clear header is authenticated.
enum FrameLayout {
    /// IV length and key index.
    static let trailerLength = 2
    /// What encryption adds to a frame.
    static let overhead = AESGCM.tagLength + AESGCM.nonceLength + trailerLength

    /// The parts of a received frame; nil where it can't be one.
    struct Parts {
        let header: UnsafeRawBufferPointer
        /// Ciphertext and tag.
        let sealed: UnsafeRawBufferPointer
        let nonce: UnsafeRawBufferPointer
        let keyIndex: UInt8

        init?(_ frame: UnsafeRawBufferPointer, codec: FrameCodec) {
            let clear = codec.clearLength(of: frame)
            guard frame.count >= clear + FrameLayout.overhead, frame[frame.count - 2] == AESGCM.nonceLength else {
                return nil
            }
            let nonceStart = frame.count - FrameLayout.trailerLength - AESGCM.nonceLength
            header = UnsafeRawBufferPointer(rebasing: frame[..<clear])
            sealed = UnsafeRawBufferPointer(rebasing: frame[clear..<nonceStart])
            nonce = UnsafeRawBufferPointer(rebasing: frame[nonceStart..<(nonceStart + AESGCM.nonceLength)])
            keyIndex = frame[frame.count - 1]
        }
    }
}
