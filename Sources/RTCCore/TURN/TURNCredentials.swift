import RTCWire

/// The key of long-term credentials, RFC 8489 section 9.2.2.
package enum LongTermKey {
    /// HMAC-SHA1 with the MD5 of user name, realm and password. Nil where the library refuses MD5.
    package static func make(username: String, realm: String, password: String) -> HMACSHA1? {
        MD5Digest.of(Array("\(username):\(realm):\(password)".utf8)).map { HMACSHA1(key: $0) }
    }
}

/// What a server has told of itself, and the key that follows.
struct TURNCredentials {
    let realm: String
    var nonce: String
    let key: HMACSHA1

    /// Nil where the library refuses MD5.
    init?(username: String, password: String, realm: String, nonce: String) {
        guard let key = LongTermKey.make(username: username, realm: realm, password: password) else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.key = key
    }
}
