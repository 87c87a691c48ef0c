import CCrypto
import RTCWire

/// Finished, RFC 5246 section 7.4.9: its body is verify_data.
enum Finished {
    /// Ours, which goes into the log.
    static func write(
        _ role: DTLSRole, _ secrets: SessionSecrets, _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> Flight.Item {
        let hash = log.transcript.hash(usesSHA384: secrets.parameters.suite.usesSHA384)
        let data = try HandshakeFault.calling { () throws(CryptoError) in
            try secrets.verifyData(of: role, transcriptHash: hash)
        }
        return log.write(.finished, data, epoch: 1)
    }

    /// Compares the peer's with what it must be, in constant time.
    static func check(
        _ message: HandshakeMessage, of role: DTLSRole, _ secrets: SessionSecrets, _ log: HandshakeLog
    ) throws(HandshakeFault) {
        let hash = log.transcript.hash(usesSHA384: secrets.parameters.suite.usesSHA384)
        let data = try HandshakeFault.calling { () throws(CryptoError) in
            try secrets.verifyData(of: role, transcriptHash: hash)
        }
        guard message.body.count == data.count, CRYPTO_memcmp(message.body, data, data.count) == 0 else {
            throw .refused("the peer's Finished does not hold", alert: TLSAlert.Description.decryptError)
        }
    }
}
