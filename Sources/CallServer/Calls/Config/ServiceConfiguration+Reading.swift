public import Foundation
import LiveKitProtocol

extension ServiceConfiguration {
    /// Reads a JSON document. Throws `ServiceConfigurationError` that names the setting and the remedy.
    public init(json data: Data) throws(ServiceConfigurationError) {
        self.init()
        let root = try ConfigurationNode(parsing: data)
            .members(["keys", "teams", "administrators", "providers", "sharedRooms", "scopes"])
        if let keys = root["keys"] { try readKeys(keys) }
        if let teams = root["teams"] { try readTeams(teams) }
        if let providers = root["providers"] { try readProviders(providers) }
        if let shared = root["sharedRooms"] { try readSharing(shared) }
        if let scopes = root["scopes"] { try readScopes(scopes) }
        if let names = root["administrators"] {
            var administrators: Set<String> = []
            for name in try names.list() { administrators.insert(try name.text()) }
            self.administrators = administrators
        }
    }

    private mutating func readKeys(_ node: ConfigurationNode) throws(ServiceConfigurationError) {
        for (key, entry) in try node.members() {
            let members = try entry.members(["secret", "account"])
            if let secret = members["secret"] { secrets[key] = try secret.text() }
            if let account = members["account"] { accounts[key] = try account.text() }
        }
    }

    private mutating func readTeams(_ node: ConfigurationNode) throws(ServiceConfigurationError) {
        for (team, users) in try node.members() {
            for user in try users.list() {
                let name = try user.text()
                if let other = teams.updateValue(team, forKey: name) {
                    throw user.fault("\"\(name)\" is in the team \(other) already; a user has one team")
                }
            }
        }
    }

    // MARK: Providers

    private mutating func readProviders(_ node: ConfigurationNode) throws(ServiceConfigurationError) {
        providers = [:]
        for (name, entry) in try node.members() { providers[name.uppercased()] = try Self.provider(name, entry) }
        guard !providers.isEmpty else { throw node.fault("there is no provider; name at least one, or leave this out") }
    }

    private mutating func readSharing(_ node: ConfigurationNode) throws(ServiceConfigurationError) {
        guard case .bool(let isShared) = node.value else { throw node.fault("use true or false") }
        sharesRooms = isShared
        guard isShared else { return }
        guard Self.own.allSatisfy(isHere) else {
            throw node.fault("LIVEKIT and OPENTOK share rooms of this server; name both providers, without an endpoint")
        }
        guard providers["OPENTOK"]?.mediaMode == .routed else {
            throw node.fault(
                "a relayed session goes past the server, where nobody of LIVEKIT could hear it; "
                    + "leave OPENTOK's mediaMode out")
        }
    }

    private static func provider(
        _ name: String, _ node: ConfigurationNode
    ) throws(ServiceConfigurationError) -> Provider {
        let members = try node.members(["endpoint", "token", "key", "secret", "room", "mediaMode"])
        var provider = Provider()
        provider.endpoint = try members["endpoint"]?.text()
        provider.token = try members["token"]?.text()
        if let room = members["room"] { provider.room = try room.text() }
        if let key = members["key"], let secret = members["secret"] {
            provider.signing = .init(key: try key.text(), secret: try secret.text())
        } else if let lonely = members["key"] ?? members["secret"] {
            throw lonely.fault("key and secret belong together; give both or neither")
        }
        let isHere = provider.endpoint == nil
        if isHere, !own.contains(name.uppercased()) {
            throw node.fault("endpoint is missing; only LIVEKIT and OPENTOK can be this server")
        }
        let makesSessions = isHere && name.uppercased() == "OPENTOK"
        if let mode = members["mediaMode"] {
            guard makesSessions else { throw mode.fault("only OPENTOK on this server makes sessions; leave it out") }
            provider.mediaMode = try mode.text(oneOf: ["ROUTED", "RELAYED"]) == "RELAYED" ? .relayed : .routed
        }
        if makesSessions, let fixed = members["room"] ?? members["token"] {
            throw fixed.fault("the server makes a session and tokens for each call; leave it out")
        }
        if provider.token != nil, provider.signing != nil {
            throw node.fault("there are a token and a key to make tokens with; give one of them")
        }
        return provider
    }

    // MARK: Scopes

    private mutating func readScopes(_ node: ConfigurationNode) throws(ServiceConfigurationError) {
        let scopes = try node.members(Scope.allCases.map(\.rawValue))
        for scope in Scope.allCases {
            guard let entry = scopes[scope.rawValue] else { continue }
            if scope == .global {
                self.scopes[scope] = ["": try settings(entry)]
                continue
            }
            for (name, entry) in try entry.members() { self.scopes[scope, default: [:]][name] = try settings(entry) }
        }
    }

    private func settings(_ node: ConfigurationNode) throws(ServiceConfigurationError) -> Settings {
        let members = try node.members(["provider", "failover", "mediaKind", "greeting", "iceServers", "features"])
        var settings = Settings()
        if let provider = members["provider"] { settings.provider = try known(provider) }
        if let list = members["failover"] {
            var names: [String] = []
            for name in try list.list() { names.append(try known(name)) }
            settings.failover = names
        }
        settings.mediaKind = try members["mediaKind"]?.text(oneOf: ["AUDIO", "VIDEO", "AUDIO_VIDEO", "NONE"])
        if let greeting = members["greeting"] {
            try Self.checkGreeting(greeting)
            settings.greeting = greeting.value
        }
        if let servers = members["iceServers"] {
            for server in try servers.list() { try Self.checkICEServer(server) }
            settings.iceServers = servers.value
        }
        for (name, value) in try members["features"]?.members() ?? [] {
            settings.features[name] = try Self.feature(value)
        }
        return settings
    }

    private func known(_ node: ConfigurationNode) throws(ServiceConfigurationError) -> String {
        let name = try node.text().uppercased()
        guard providers[name] != nil else {
            throw node.fault(
                "the provider \(name) is not among the providers, which are "
                    + "\(providers.keys.sorted().joined(separator: ", ")); describe it there, or name one of them")
        }
        return name
    }

    private static func feature(_ node: ConfigurationNode) throws(ServiceConfigurationError) -> JSONValue {
        switch node.value {
        case .bool, .integer, .number, .string: return node.value
        default: throw node.fault("a feature is true, false, a number or a text")
        }
    }

    private static func checkGreeting(_ node: ConfigurationNode) throws(ServiceConfigurationError) {
        if node.value == .null { return }
        let members = try node.members(["text", "audio", "voice", "language", "wordsPerMinute", "pauseMilliseconds"])
        for (name, bounds) in [("wordsPerMinute", 80...450), ("pauseMilliseconds", 0...60_000)]
            as [(
                String, ClosedRange<Int64>
            )]
        {
            guard let member = members[name] else { continue }
            guard case .integer(let number) = member.value, bounds.contains(number) else {
                throw member.fault("use a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
            }
        }
        if let text = members["text"], text.value != .string("") { _ = try text.text() }
        _ = try members["voice"]?.text()
        _ = try members["language"]?.text()
        if let audio = members["audio"], Data(base64Encoded: try audio.text()) == nil {
            throw audio.fault("this is no base64; write a WAV file's bytes in base64")
        }
    }

    private static func checkICEServer(_ node: ConfigurationNode) throws(ServiceConfigurationError) {
        let members = try node.members(["urls", "username", "credential"])
        guard let urls = members["urls"] else { throw node.fault("urls are missing; name at least one") }
        var server = ICEServer(urls: [])
        for url in try urls.list() { server.urls.append(try url.text()) }
        if let username = members["username"] { server.username = try username.text() }
        if let credential = members["credential"] { server.credential = try credential.text() }
        if let fault = server.fault { throw node.fault(fault) }
    }
}
