import CCrypto

/// PBKDF2 with HMAC-SHA-256, RFC 8018 section 5.2: makes a key of a passphrase, slowly on purpose.
package enum PBKDF2 {
    /// The derived key; 100,000 iterations take some 20 ms.
    package static func sha256(
        _ password: [UInt8], salt: [UInt8], iterations: Int, length: Int
    ) throws(CryptoError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: length)
        let status = password.withUnsafeBytes { bytes in
            PKCS5_PBKDF2_HMAC(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: password.count), salt,
                Int32(clamping: salt.count), Int32(clamping: iterations), EVP_sha256(), Int32(clamping: length), &key)
        }
        guard status == 1 else { throw .library("PKCS5_PBKDF2_HMAC") }
        return key
    }
}

/// HKDF with SHA-256, RFC 5869: makes a key of material that is random already.
package enum HKDF {
    /// The derived key, at most 8,160 bytes.
    package static func sha256(_ material: [UInt8], salt: [UInt8], info: [UInt8], length: Int) -> [UInt8] {
        let expander = HMACSHA256(key: HMACSHA256(key: salt).authenticate(material))
        var result: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 1
        while result.count < length, counter != 0 {
            block = expander.authenticate(block + info + [counter])
            result += block
            counter &+= 1
        }
        return Array(result.prefix(length))
    }
}
