import Foundation
import LiveKitProtocol
import NIOHTTP1
import OpenTokSignalling

/// `GET /callbridge/v1/descriptor?conversation=NAME`: tells a bridge which provider carries a conversation's call, where,
/// and with which credentials. Further parameters: `identity`, `name`, `area`; `provider=KIND` asks for another provider,
/// `failed=KIND:REASON`, once for each, says which ones could not be used.
///
/// It is asked with an API key and its secret (HTTP basic authentication). Answers: 200 with a `CallDescriptor`, 400 for
/// parameters that are missing or too long, 401 without credentials, 403 for wrong ones, 404 for a provider that is not
/// configured or where all have failed, 409 where others are in the call through the provider that failed.
///
/// `DELETE` with the same parameters says that the conversation's call is over: the next one is a new call. It is meant for
/// providers whose rooms this server does not see.
struct DescriptorEndpoint: Sendable {
    static let path = "/callbridge/v1/descriptor"

    let keyring: APIKeyring
    /// The longest conversation, identity or name, in bytes of UTF-8.
    let longestName: Int
    let service: ServiceConfigurationBox
    let calls: CallTable
    /// How many are in a room of this server.
    let occupancy: @Sendable (String) -> Int

    init(
        configuration: CallServerConfiguration, service: ServiceConfigurationBox? = nil, calls: CallTable = CallTable(),
        occupancy: @escaping @Sendable (String) -> Int = { _ in 0 }
    ) {
        keyring = APIKeyring(keys: configuration.keys)
        longestName = configuration.limits.text.name
        self.service = service ?? ServiceConfigurationBox(configuration.service)
        self.calls = calls
        self.occupancy = occupancy
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        switch keyring.check(request) {
        case .refused(let response): response
        case .known(let key, let secret): respond(to: request, key: key, secret: secret)
        }
    }

    private func respond(to request: HTTPRequest, key: String, secret: String) -> HTTPResponse {
        guard let conversation = request["conversation"], isName(conversation) else {
            return HTTPResponse(.badRequest, "conversation is needed, with 1 to \(longestName) bytes of UTF-8")
        }
        guard ["identity", "name", "area", "provider"].allSatisfy({ isName(request[$0] ?? "-") }) else {
            return HTTPResponse(
                .badRequest, "identity, name, area and provider have 1 to \(longestName) bytes of UTF-8")
        }
        if request.method == .DELETE {
            calls.ended(conversation: conversation)
            return HTTPResponse(.noContent, "")
        }
        let configuration = service.value
        let asker = ConfigurationAsker(key: key, area: request["area"], identity: request["identity"])
        var lookup = CallLookup(conversation: conversation, asker: asker, wanted: request["provider"]?.uppercased())
        for failure in request.query.items.filter({ $0.name == "failed" }).map(\.value).prefix(16) {
            lookup.failed.insert(failure.prefix { $0 != ":" }.uppercased())
        }
        do {
            let call = try calls.call(
                lookup, configuration: configuration, now: WallClock.milliseconds, occupancy: occupancy)
            return describe(call, lookup, configuration, signing: .init(key: key, secret: secret), request)
        } catch {
            return error.response
        }
    }

    private func isName(_ text: String) -> Bool { (1...longestName).contains(text.utf8.count) }

    private static func newIdentity() -> String { "guest-\(SessionID.participant().dropFirst(3))" }

    private func describe(
        _ call: CallTable.Entry, _ lookup: CallLookup, _ configuration: ServiceConfiguration,
        signing: ServiceConfiguration.Provider.Signing, _ request: HTTPRequest
    ) -> HTTPResponse {
        // A provider that the configuration knows no more still carries its call, as this server can.
        let provider = configuration.providers[call.provider] ?? .init()
        let settings = configuration.settings(for: lookup.asker)
        let identity = request["identity"] ?? Self.newIdentity()
        var token = provider.token
        if call.isLocal || provider.signing != nil {
            let own = call.project.flatMap { key in
                keyring.keys[key].map { ServiceConfiguration.Provider.Signing(key: key, secret: $0) }
            }
            token = Self.token(call, identity, name: request["name"], own ?? provider.signing ?? signing)
        }
        let descriptor = Descriptor(
            callId: call.callId, conversationId: lookup.conversation, provider: call.provider,
            serviceProviderCallId: call.serviceProviderCallId,
            endpoint: provider.endpoint.map { Self.fill($0, identity, lookup.conversation) }
                ?? Self.endpoint(for: request, call.provider), credentials: .init(token: token),
            iceServers: settings.iceServers ?? .array([]), mediaKind: call.mediaKind,
            greeting: settings.greeting == .null ? nil : settings.greeting, features: settings.features)
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

    /// In the provider's form.
    private static func token(
        _ call: CallTable.Entry, _ identity: String, name: String?, _ signing: ServiceConfiguration.Provider.Signing
    ) -> String? {
        let now = Int64(Date().timeIntervalSince1970)
        guard call.provider == "OPENTOK" else {
            return AccessToken.join(
                room: call.serviceProviderCallId, identity: identity, name: name, key: signing.key,
                secret: signing.secret, now: now)
        }
        let profile = ConnectionProfile(identity: identity, name: name ?? "")
        let token = OpenTokToken(
            project: signing.key, sessionID: call.serviceProviderCallId, role: .publisher, created: now,
            connectionData: profile.data)
        return try? token.signed(secret: signing.secret)
    }

    /// Fills a configured endpoint in; names are percent-encoded.
    private static func fill(_ endpoint: String, _ identity: String, _ conversation: String) -> String {
        func encoded(_ name: String) -> String {
            name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", "."])) ?? ""
        }
        return endpoint.replacing("{identity}", with: encoded(identity))
            .replacing("{conversation}", with: encoded(conversation))
    }

    /// Where the client has reached us: as it calls us, or the address its connection came in on.
    static func endpoint(for request: HTTPRequest, _ provider: String = "LIVEKIT") -> String {
        // A proxy that ends TLS says so; the client must then use it for signalling, too.
        let isSecure =
            request.isSecure || request.headers.first(name: "x-forwarded-proto")?.lowercased() == "https"
        // Clients of a session first ask for what it is like.
        let scheme = (provider == "OPENTOK" ? "http" : "ws") + (isSecure ? "s" : "")
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

extension CallTable.Refusal {
    fileprivate var response: HTTPResponse {
        switch self {
        case .unknownProvider(let name):
            HTTPResponse(.notFound, "the provider \(name) is not configured; add it to the configuration's providers")
        case .noProject(let key):
            HTTPResponse(
                .conflict,
                "the API key \(key) is no project for sessions; ask with one of letters, digits, - and _, at most 64")
        case .inUse(let name): HTTPResponse(.conflict, "others are in the call through \(name); it stays there")
        case .exhausted(let names):
            HTTPResponse(
                .notFound,
                "of the configured providers (\(names.joined(separator: ", "))) none is left; add one to failover")
        }
    }
}

/// What the bridge reads; `CallDescriptor` in CallBridge is the same from the other side.
private struct Descriptor: Encodable {
    struct Credentials: Encodable {
        var token: String?
    }

    var callId: String
    var conversationId: String
    var provider: String
    var serviceProviderCallId: String
    var endpoint: String
    var credentials: Credentials
    var iceServers: JSONValue
    var mediaKind: String
    var greeting: JSONValue?
    var features: [String: JSONValue]
}
