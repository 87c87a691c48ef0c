// MESSAGE-INTEGRITY (RFC 8489 section 14.5) and FINGERPRINT of received messages. The HMAC itself is the caller's:
// this room knows no cryptography.

extension STUNMessage {
    /// Computes the HMAC-SHA1 of `input` with the caller's key and stores its 20 bytes in `output`.
    package typealias Authenticator = (
        _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) -> Void

    /// Length of an HMAC-SHA1 in bytes.
    package static let integrityLength = 20

    /// Whether MESSAGE-INTEGRITY is there and is what `authenticate` computes. `bytes` is the datagram parsed.
    ///
    /// What is authenticated: the message before the attribute, with the header's length field patched as if the
    /// attribute were the last. The comparison takes the same time wherever the values differ.
    package func hasValidIntegrity(in bytes: RawSpan, authenticate: Authenticator) -> Bool {
        guard let integrityOffset, bytes.byteCount >= integrityOffset + 24 else { return false }
        let size = STUNMessage.integrityLength
        return withUnsafeTemporaryAllocation(byteCount: integrityOffset + size, alignment: 8) { scratch in
            bytes.withUnsafeBytes { scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<integrityOffset])) }
            scratch.store(UInt16(truncatingIfNeeded: integrityOffset + 24 - STUNMessage.headerLength), at: 2)
            let output = UnsafeMutableRawBufferPointer(rebasing: scratch[integrityOffset...])
            for index in 0..<size { output[index] = 0 }
            authenticate(UnsafeRawBufferPointer(rebasing: scratch[..<integrityOffset]), output)
            var difference: UInt8 = 0
            for index in 0..<size { difference |= output[index] ^ bytes.byte(integrityOffset + 4 + index) }
            return difference == 0
        }
    }

    /// Whether FINGERPRINT is there and right. ICE requires one in every message (RFC 8445 section 7.1).
    package func hasValidFingerprint(in bytes: RawSpan) -> Bool {
        guard let fingerprintOffset, bytes.byteCount >= fingerprintOffset + 8 else { return false }
        let length = UInt16(truncatingIfNeeded: fingerprintOffset + 8 - STUNMessage.headerLength)
        return bytes.uint32(fingerprintOffset + 4)
            == STUNFingerprint.value(of: bytes, count: fingerprintOffset, length: length)
    }
}
