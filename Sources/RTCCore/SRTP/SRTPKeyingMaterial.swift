/// The master keys and salts of both directions, as DTLS exports them (RFC 5764 section 4.2). They are wiped with the last
/// copy of it.
package struct SRTPKeyingMaterial: Equatable {
    package let profile: SRTPProfile
    /// Protects what the DTLS client sends.
    private let client: SRTPMasterKey
    /// Protects what the DTLS server sends.
    private let server: SRTPMasterKey

    /// Copies keys that the caller has; `SRTPSession` throws where their lengths are not those of the profile.
    package init(
        profile: SRTPProfile, clientKey: [UInt8], clientSalt: [UInt8], serverKey: [UInt8], serverSalt: [UInt8]
    ) {
        self.profile = profile
        client = SRTPMasterKey(key: SecretBytes(clientKey), salt: SecretBytes(clientSalt))
        server = SRTPMasterKey(key: SecretBytes(serverKey), salt: SecretBytes(serverSalt))
    }

    /// Cuts exported material: client key, server key, client salt, server salt. Nil where it is too short.
    package init?(profile: SRTPProfile, exported: UnsafeRawBufferPointer) {
        let (key, salt) = (profile.keyLength, profile.saltLength)
        guard exported.count >= SRTPKeyingMaterial.exportedLength(profile) else { return nil }
        func part(_ start: Int, _ count: Int) -> SecretBytes { SecretBytes(exported[start..<(start + count)]) }
        self.profile = profile
        client = SRTPMasterKey(key: part(0, key), salt: part(2 * key, salt))
        server = SRTPMasterKey(key: part(key, key), salt: part(2 * key + salt, salt))
    }

    /// Bytes to export for a profile.
    package static func exportedLength(_ profile: SRTPProfile) -> Int { 2 * (profile.keyLength + profile.saltLength) }

    /// Key and salt of what `role` sends.
    func written(by role: DTLSRole) -> SRTPMasterKey { role == .client ? client : server }

    func checkLengths() throws(CryptoError) {
        for role in [DTLSRole.client, .server] {
            let (key, salt) = (written(by: role).key.count, written(by: role).salt.count)
            guard key == profile.keyLength, salt == profile.saltLength else {
                throw .invalidKeyLength(profile: profile, key: key, salt: salt)
            }
        }
    }
}

/// The master key and salt of one direction.
struct SRTPMasterKey: Equatable {
    let key: SecretBytes
    let salt: SecretBytes
}
