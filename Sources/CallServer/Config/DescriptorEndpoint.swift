import Foundation
import LiveKitProtocol
import NIOHTTP1

/// `GET /callbridge/v1/descriptor?conversation=NAME[&identity=ID][&name=NAME]`: tells a bridge which provider carries a
/// conversation, where, and with which credentials.
///
/// It is asked with an API key and its secret (HTTP basic authentication), and mints a token for that key. Answers: 200 with
/// a `CallDescriptor`, 400 for parameters that are missing or too long, 401 without credentials, 403 for wrong ones.
struct DescriptorEndpoint: Sendable {
    static let path = "/callbridge/v1/descriptor"

    /// API key to secret.
    let keys: [String: String]
    /// The longest conversation, identity or name, in characters.
    let longestName: Int

    init(configuration: CallServerConfiguration) {
        keys = configuration.keys
        longestName = configuration.limits.name
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard let (key, secret) = request.basicCredentials else { return Self.unauthorized }
        // No demand for other credentials: there are none to ask a user for.
        guard isKnown(key, secret) else { return HTTPResponse(.forbidden, "the API key or its secret is wrong") }
        guard let conversation = request["conversation"], isName(conversation) else {
            return HTTPResponse(.badRequest, "conversation is needed, with 1 to \(longestName) characters")
        }
        guard isName(request["identity"] ?? "-"), isName(request["name"] ?? "-") else {
            return HTTPResponse(.badRequest, "identity and name have 1 to \(longestName) characters")
        }
        let token = AccessToken.join(
            room: conversation, identity: request["identity"] ?? Self.newIdentity(), name: request["name"], key: key,
            secret: secret, now: Int64(Date().timeIntervalSince1970))
        return describe(conversation, token, endpoint: Self.endpoint(for: request))
    }

    private static let unauthorized: HTTPResponse = {
        var response = HTTPResponse(.unauthorized, "an API key and its secret are needed, as HTTP basic credentials")
        response.fields["WWW-Authenticate"] = #"Basic realm="callbridge", charset="UTF-8""#
        return response
    }()

    private func isName(_ text: String) -> Bool { (1...longestName).contains(text.count) }

    private static func newIdentity() -> String { "guest-\(SessionID.participant().dropFirst(3))" }

    // An unknown key is compared with as much as a wrong secret.
    private func isKnown(_ key: String, _ secret: String) -> Bool {
        let expected = keys[key]
        return AccessToken.isSame(expected ?? "-" + secret.dropFirst(), secret) && expected != nil
    }

    private func describe(_ conversation: String, _ token: String, endpoint: String) -> HTTPResponse {
        let descriptor = Descriptor(
            callId: conversation, conversationId: conversation, serviceProviderCallId: conversation,
            endpoint: endpoint, credentials: .init(token: token))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(descriptor) else {
            return HTTPResponse(.internalServerError, "the descriptor can't be written")
        }
        var response = HTTPResponse.json(body)
        // It holds a token.
        response.fields["Cache-Control"] = "no-store"
        return response
    }

    /// Where the client has reached us: as it calls us, or the address its connection came in on.
    static func endpoint(for request: HTTPRequest) -> String {
        // A proxy that ends TLS says so; the client must then use it for signalling, too.
        let isSecure = request.headers.first(name: "x-forwarded-proto")?.lowercased() == "https"
        let scheme = isSecure ? "wss" : "ws"
        if let host = request.host, isAuthority(host) { return "\(scheme)://\(host)" }
        guard let address = request.localAddress, let ip = address.ipAddress, let port = address.port else {
            return "\(scheme)://127.0.0.1"
        }
        return ip.contains(":") ? "\(scheme)://[\(ip)]:\(port)" : "\(scheme)://\(ip):\(port)"
    }

    /// Whether a `Host` field can stand in a URL: a name or address, and perhaps a port.
    private static func isAuthority(_ host: String) -> Bool {
        guard (1...255).contains(host.utf8.count) else { return false }
        return host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["),
                UInt8(ascii: "]"):
                true
            default: false
            }
        }
    }
}

/// What the bridge reads; `CallDescriptor` in CallBridge is the same from the other side.
private struct Descriptor: Encodable {
    struct Credentials: Encodable {
        var token: String
    }

    var callId: String
    var conversationId: String
    var provider = "LIVEKIT"
    var serviceProviderCallId: String
    var endpoint: String
    var credentials: Credentials
    var iceServers: [String] = []
    var mediaKind = "AUDIO_VIDEO"
}
