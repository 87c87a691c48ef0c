/// The master keys and salts of both directions, as DTLS exports them (RFC 5764 section 4.2).
package struct SRTPKeyingMaterial: Hashable, Sendable {
    package var profile: SRTPProfile
    /// Protects what the DTLS client sends.
    package var clientKey: [UInt8]
    package var clientSalt: [UInt8]
    /// Protects what the DTLS server sends.
    package var serverKey: [UInt8]
    package var serverSalt: [UInt8]

    package init(
        profile: SRTPProfile, clientKey: [UInt8], clientSalt: [UInt8], serverKey: [UInt8], serverSalt: [UInt8]
    ) {
        self.profile = profile
        self.clientKey = clientKey
        self.clientSalt = clientSalt
        self.serverKey = serverKey
        self.serverSalt = serverSalt
    }

    /// Cuts exported material: client key, server key, client salt, server salt. Nil where it is too short.
    package init?(profile: SRTPProfile, exported: UnsafeRawBufferPointer) {
        let (key, salt) = (profile.keyLength, profile.saltLength)
        guard exported.count >= SRTPKeyingMaterial.exportedLength(profile) else { return nil }
        self.init(
            profile: profile, clientKey: Array(exported[..<key]),
            clientSalt: Array(exported[(2 * key)..<(2 * key + salt)]),
            serverKey: Array(exported[key..<(2 * key)]),
            serverSalt: Array(exported[(2 * key + salt)..<(2 * key + 2 * salt)]))
    }

    /// Bytes to export for a profile.
    package static func exportedLength(_ profile: SRTPProfile) -> Int { 2 * (profile.keyLength + profile.saltLength) }

    /// Key and salt of what `role` sends.
    func written(by role: DTLSRole) -> (key: [UInt8], salt: [UInt8]) {
        role == .client ? (clientKey, clientSalt) : (serverKey, serverSalt)
    }

    func checkLengths() throws(CryptoError) {
        for role in [DTLSRole.client, .server] {
            let (key, salt) = written(by: role)
            guard key.count == profile.keyLength, salt.count == profile.saltLength else {
                throw .invalidKeyLength(profile: profile, key: key.count, salt: salt.count)
            }
        }
    }
}
