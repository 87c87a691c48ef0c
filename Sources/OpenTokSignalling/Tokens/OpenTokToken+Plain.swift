/// `T1==`, then base64 of `partner_id=KEY&sig=HEX:PAYLOAD`. The payload is a form; the signature covers it as it was
/// written.
extension OpenTokToken {
    static let plainPrefix = "T1=="
    private static let largestPairCount = 16

    func plain(secret: String) -> String {
        var pairs = [
            ("session_id", sessionID), ("create_time", String(created)), ("expire_time", String(expires)),
            ("role", role.rawValue), ("nonce", String(nonce)), ("initial_layout_class_list", layoutClassList),
        ]
        if !connectionData.isEmpty { pairs.append(("connection_data", connectionData)) }
        return Self.sign(payload: PercentEncoding.encodeForm(pairs), project: project, secret: secret)
    }

    /// A token of any payload.
    package static func sign(payload: String, project: String, secret: String) -> String {
        let signature = hex(MessageCode.sha1(payload.utf8, secret: secret))
        return plainPrefix + Base64.encode(Array("partner_id=\(project)&sig=\(signature):\(payload)".utf8))
    }

    init(plain text: String, secrets: [String: String]) throws(OpenTokTokenError) {
        guard let bytes = Base64.decode(text.dropFirst(Self.plainPrefix.count)),
            let content = String(validating: bytes, as: UTF8.self), let colon = content.firstIndex(of: ":")
        else { throw .notAToken }
        let payload = content[content.index(after: colon)...]
        let head = try Self.form(content[..<colon])
        guard let project = head["partner_id"] else { throw .claim("partner_id") }
        let secret = try Self.secret(of: project, in: secrets)
        guard let signature = head["sig"].flatMap(Self.bytes),
            MessageCode.isSame(signature, MessageCode.sha1(payload.utf8, secret: secret))
        else { throw .badSignature }
        try self.init(project: project, fields: try Self.form(payload))
    }

    private init(project: String, fields: [String: String]) throws(OpenTokTokenError) {
        guard let session = fields["session_id"] else { throw .claim("session_id") }
        guard let role = OpenTokRole(rawValue: fields["role"] ?? OpenTokRole.publisher.rawValue)
        else { throw .unknownRole }
        guard let created = fields["create_time"].flatMap({ Int64($0) }) else { throw .claim("create_time") }
        var expires: Int64?
        if let text = fields["expire_time"], !text.isEmpty {
            guard let value = Int64(text) else { throw .claim("expire_time") }
            expires = value
        }
        guard (0...1 << 48).contains(created) else { throw .claim("create_time") }
        self.init(
            project: project, sessionID: session, role: role, created: created, expires: expires,
            connectionData: fields["connection_data"] ?? "",
            layoutClasses: Self.layoutClasses(in: fields["initial_layout_class_list"] ?? ""),
            nonce: fields["nonce"].flatMap { Int64($0) } ?? 0)
    }

    private static func form(_ text: Substring) throws(OpenTokTokenError) -> [String: String] {
        guard let pairs = PercentEncoding.decodeForm(text, limit: largestPairCount) else { throw .notAToken }
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The 20 bytes of a signature.
    private static func bytes(ofHex text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(PercentEncoding.hexValue)
        guard text.utf8.count == 40, digits.count == 40 else { return nil }
        return (0..<20).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }
}
