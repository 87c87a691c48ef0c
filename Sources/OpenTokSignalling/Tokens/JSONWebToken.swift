/// A JSON web token in compact form (RFC 7519, RFC 7515), signed with HMAC-SHA256.
struct JSONWebToken {
    enum Fault: Error {
        case form, algorithm
    }

    /// The claims, an object; nothing of it is to be believed before `isSigned`.
    let claims: JSON
    private let signed: Substring
    private let signature: [UInt8]

    init(_ text: String) throws(Fault) {
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64.decode(parts[2]) else { throw .form }
        let header = try Self.object(parts[0])
        claims = try Self.object(parts[1])
        guard header["alg"] == "HS256" else { throw .algorithm }
        signed = text[..<parts[1].endIndex]
        self.signature = signature
    }

    func isSigned(with secret: String) -> Bool {
        MessageCode.isSame(signature, MessageCode.sha256(signed.utf8, secret: secret))
    }

    /// A claim that is a time, in whole seconds; nil where it is missing or no number.
    func seconds(_ name: String) -> Int64? {
        switch claims[name] {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value.rounded(.down))
        default: nil
        }
    }

    static func sign(_ claims: JSON, secret: String) -> String {
        let signed = "\(header).\(Base64.encodeURL(claims.bytes))"
        return "\(signed).\(Base64.encodeURL(MessageCode.sha256(signed.utf8, secret: secret)))"
    }

    private static let header = Base64.encodeURL(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))

    private static func object(_ part: Substring) throws(Fault) -> JSON {
        guard let bytes = Base64.decode(part), let json = try? JSON(parsing: bytes), case .object = json
        else { throw .form }
        return json
    }
}
