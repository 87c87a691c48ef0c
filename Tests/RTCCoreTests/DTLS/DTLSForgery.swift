import RTCWire

/// Records that nobody with keys has made.
enum DTLSForgery {
    /// A record with a body of `length` bytes, of epoch 1 and a sequence number far ahead unless said otherwise.
    static func record(type: UInt8, epoch: UInt8 = 1, sequence: UInt8 = 9, length: Int) -> [UInt8] {
        [type, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 1, sequence, UInt8(length >> 8), UInt8(length & 255)]
            + (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    }
}

extension TLSCipherSuite {
    /// Bytes of a sealed record beside its content.
    var overhead: Int { aead == .chaCha20Poly1305 ? 16 : 24 }
}
