import RTCWire

/// The black pictures of 8x8 with which a server ends a track that was muted or withdrawn, so that nobody goes on showing
/// the last real one. They are no pictures of the sender's: recordings, sizes and counts leave them out.
package enum FillerPicture {
    /// A longer frame shows more than one colour.
    private static let maximumBytes = 64
    private static let side = 8
    /// Luma of black in limited range is 16; an encoder may miss it by a little.
    private static let blackLuma: UInt8 = 24

    /// Whether a VP8 frame is one.
    ///
    /// - Parameters:
    ///   - bytes: as the decoder took it.
    ///   - picture: what came of it.
    package static func matches(_ bytes: UnsafeRawBufferPointer, _ picture: VideoFrame) -> Bool {
        guard bytes.count <= maximumBytes, picture.width == side, picture.height == side,
            let header = try? VP8FrameHeader(parsing: bytes.bytes), header.isKeyFrame
        else { return false }
        return picture.withPlanes { planes in
            (0..<side * side).allSatisfy { planes.y[$0 / side * planes.yStride + $0 % side] <= blackLuma }
        }
    }
}
