import RTCWire

/// The master secret of a session and what is derived from it, RFC 5246 sections 6.3 and 8.1.
struct SessionSecrets {
    private static let masterLength = 48
    /// Length of verify_data.
    static let verifyDataLength = 12

    let parameters: SessionParameters
    private let master: SecretBytes

    /// - Parameter sessionHash: of all handshake messages up to and with ClientKeyExchange; it goes into the secret where
    ///   both sides know RFC 7627 (section 4), and else both random values do.
    init(_ parameters: SessionParameters, preMaster: SecretBytes, sessionHash: [UInt8]) throws(CryptoError) {
        self.parameters = parameters
        let extended = parameters.hasExtendedMasterSecret
        master = try TLSPRF.derive(
            preMaster, label: extended ? "extended master secret" : "master secret",
            seed: extended ? sessionHash : parameters.clientRandom + parameters.serverRandom,
            count: SessionSecrets.masterLength, usesSHA384: parameters.suite.usesSHA384)
    }

    /// The ciphers of both directions: key_block is the client's key, the server's, the client's IV, the server's.
    func recordKeys(_ role: DTLSRole) throws(CryptoError) -> RecordKeys {
        let (key, iv) = (parameters.suite.aead.keyLength, parameters.suite.aead.fixedIVLength)
        let block = try derive(
            "key expansion", parameters.serverRandom + parameters.clientRandom, count: 2 * (key + iv))
        return try block.withBytes { bytes throws(CryptoError) in
            func cipher(_ writer: DTLSRole, encrypts: Bool) throws(CryptoError) -> RecordCipher {
                let index = writer == .client ? 0 : 1
                let ivStart = 2 * key + index * iv
                return try RecordCipher(
                    parameters.suite.aead,
                    key: UnsafeRawBufferPointer(rebasing: bytes[(index * key)..<((index + 1) * key)]),
                    fixedIV: UnsafeRawBufferPointer(rebasing: bytes[ivStart..<(ivStart + iv)]), encrypts: encrypts)
            }
            return RecordKeys(
                writing: try cipher(role, encrypts: true), reading: try cipher(role.opposite, encrypts: false))
        }
    }

    /// verify_data of a Finished, RFC 5246 section 7.4.9.
    func verifyData(of role: DTLSRole, transcriptHash: [UInt8]) throws(CryptoError) -> [UInt8] {
        let label = role == .client ? "client finished" : "server finished"
        return try derive(label, transcriptHash, count: SessionSecrets.verifyDataLength).withBytes { Array($0) }
    }

    /// Keying material for others, RFC 5705 section 4, without a context.
    func export(label: String, count: Int) throws(CryptoError) -> SecretBytes {
        try derive(label, parameters.clientRandom + parameters.serverRandom, count: count)
    }

    /// The SRTP keys, RFC 5764 section 4.2; nil where no profile was agreed on.
    func srtpKeys() throws(CryptoError) -> SRTPKeyingMaterial? {
        guard let profile = parameters.srtpProfile else { return nil }
        let exported = try export(
            label: "EXTRACTOR-dtls_srtp", count: SRTPKeyingMaterial.exportedLength(profile))
        return exported.withBytes { SRTPKeyingMaterial(profile: profile, exported: $0) }
    }

    private func derive(_ label: String, _ seed: [UInt8], count: Int) throws(CryptoError) -> SecretBytes {
        try TLSPRF.derive(master, label: label, seed: seed, count: count, usesSHA384: parameters.suite.usesSHA384)
    }
}

/// The ciphers of epoch 1.
struct RecordKeys {
    let writing: RecordCipher
    let reading: RecordCipher
}
