import CCrypto
import RTCWire

/// All handshake messages so far, each as one fragment: what Finished and CertificateVerify vouch for. Which hash goes
/// over them is not known before the ServerHello, so the bytes are kept until the handshake is over.
struct HandshakeTranscript {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ message: HandshakeMessage) { bytes += message.encoded }

    /// A ClientHello that HelloVerifyRequest answered is not in it, nor is the answer (RFC 6347 section 4.2.1).
    mutating func removeAll() { bytes = [] }

    /// The hash of the PRF over all of it.
    func hash(usesSHA384: Bool) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { output, count in
            if usesSHA384 {
                SHA384(bytes, bytes.count, output.baseAddress)
            } else {
                SHA256(bytes, bytes.count, output.baseAddress)
            }
            count = usesSHA384 ? 48 : 32
        }
    }
}
