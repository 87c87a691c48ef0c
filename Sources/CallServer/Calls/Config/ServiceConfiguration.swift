import Foundation
import LiveKitProtocol
import OpenTokSignalling

/// What the configuration service answers from: the providers that calls may go through, and settings for everybody, an
/// account, a named area, an API key, a team, a user. `docs/configuration.md` describes the JSON document.
public struct ServiceConfiguration: Sendable, Hashable {
    /// Whom settings are for. The later one of two counts, setting by setting.
    enum Scope: String, Sendable, Hashable, CaseIterable {
        case global = "GLOBAL"
        case account = "ACCOUNT"
        case area = "AREA"
        case apiKey = "APIKEY"
        case team = "TEAM"
        case user = "USER"
    }

    /// A provider that calls may go through, and how one gets in.
    struct Provider: Sendable, Hashable {
        /// Its URL, in which `{identity}` and `{conversation}` are filled in; nil for LiveKit's protocol and the OpenTok-style
        /// one means this server, as the client has reached it.
        var endpoint: String?
        /// A token for everybody.
        var token: String?
        /// The key and secret that tokens in the provider's form are made with; nil takes those of the one who asks.
        var signing: Signing?
        /// The provider's name of the call; `{conversation}` and `{call}` are filled in.
        var room = "{conversation}"
        /// Of the sessions that this server makes for calls.
        var mediaMode = MediaMode.routed

        struct Signing: Sendable, Hashable {
            var key: String
            var secret: String
        }
    }

    /// Settings of one scope; nil leaves a setting to the scopes before.
    struct Settings: Sendable, Hashable {
        var provider: String?
        /// The providers to try when that one fails and a client asks for another one.
        var failover: [String]?
        var mediaKind: String?
        /// As it stands in the document; `null` takes a greeting of an earlier scope away.
        var greeting: JSONValue?
        var iceServers: JSONValue?
        /// Merged name by name.
        var features: [String: JSONValue] = [:]

        /// Takes over what `other` says.
        mutating func apply(_ other: Settings) {
            provider = other.provider ?? provider
            failover = other.failover ?? failover
            mediaKind = other.mediaKind ?? mediaKind
            greeting = other.greeting ?? greeting
            iceServers = other.iceServers ?? iceServers
            features.merge(other.features) { $1 }
        }
    }

    /// Further API keys and their secrets; a server takes them over when it starts.
    var secrets: [String: String] = [:]
    /// API key to account.
    var accounts: [String: String] = [:]
    /// User to team.
    var teams: [String: String] = [:]
    /// API keys that may read and change the configuration; nil allows it to the only key of a server that has one.
    var administrators: Set<String>?
    /// By upper-case name.
    var providers: [String: Provider] = ["LIVEKIT": Provider()]
    /// A call through this server is in one room, whichever of the two dialects somebody is sent to.
    var sharesRooms = false
    /// By scope and the name within it; `GLOBAL` has the empty name.
    var scopes: [Scope: [String: Settings]] = [:]

    /// Every call goes through LiveKit's protocol and this server.
    public init() {}

    /// API key to secret, beside those that the server is started with.
    public var keys: [String: String] { secrets }

    /// Whether that provider is this server.
    func isHere(_ provider: String) -> Bool {
        Self.own.contains(provider) && providers[provider].map { $0.endpoint == nil } == true
    }

    /// The dialects that this server speaks.
    static let own = ["LIVEKIT", "OPENTOK"]

    /// What holds for one who asks.
    func settings(for asker: ConfigurationAsker) -> Settings {
        var result = Settings(provider: "LIVEKIT", failover: [], mediaKind: "AUDIO_VIDEO")
        for scope in Scope.allCases {
            guard let name = asker.name(in: scope, of: self), let settings = scopes[scope]?[name] else { continue }
            result.apply(settings)
        }
        return result
    }
}

/// One who asks for a descriptor.
struct ConfigurationAsker: Sendable, Hashable {
    var key: String
    var area: String?
    var identity: String?

    fileprivate func name(in scope: ServiceConfiguration.Scope, of configuration: ServiceConfiguration) -> String? {
        switch scope {
        case .global: ""
        case .account: configuration.accounts[key]
        case .area: area
        case .apiKey: key
        case .team: identity.flatMap { configuration.teams[$0] }
        case .user: identity
        }
    }
}

/// A configuration document that can't be used.
public struct ServiceConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where in the document, `scopes.AREA.support.provider` for example; empty for the whole.
    public var path: String
    /// What is wrong, and what to write instead.
    public var problem: String

    /// One sentence.
    public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
