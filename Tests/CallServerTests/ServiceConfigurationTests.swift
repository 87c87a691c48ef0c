import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// The configuration document: what it means, and what is said where it is wrong.
@Suite struct ServiceConfigurationTests {
    static let document = """
        {
          "keys": {"shop": {"account": "acme", "secret": "s1"}, "bank": {"account": "bank"}},
          "teams": {"night": ["nora", "ned"]},
          "administrators": ["shop"],
          "providers": {
            "livekit": {},
            "FAKE": {"endpoint": "fake:world?identity={identity}", "token": "t", "room": "{conversation}-x"},
            "REMOTE": {"endpoint": "wss://rtc.example", "key": "k", "secret": "s"}
          },
          "scopes": {
            "GLOBAL": {"provider": "LIVEKIT", "features": {"a": 1, "b": true},
                       "greeting": {"text": "Hello", "wordsPerMinute": 160}},
            "ACCOUNT": {"acme": {"provider": "FAKE", "features": {"b": false, "c": "x"}}},
            "AREA": {"support": {"mediaKind": "AUDIO", "greeting": null}},
            "APIKEY": {"shop": {"failover": ["LIVEKIT"]}},
            "TEAM": {"night": {"provider": "REMOTE"}},
            "USER": {"ned": {"provider": "LIVEKIT", "iceServers": [{"urls": ["stun:s.example:3478"]}]}}
          }
        }
        """

    private static func read(_ text: String) throws(ServiceConfigurationError) -> ServiceConfiguration {
        try ServiceConfiguration(json: Data(text.utf8))
    }

    @Test(
        arguments: [
            ("bank", nil, nil, "LIVEKIT"), ("shop", nil, nil, "FAKE"), ("shop", nil, "nora", "REMOTE"),
            ("shop", nil, "ned", "LIVEKIT"), ("bank", "support", nil, "LIVEKIT"), ("other", "nowhere", "x", "LIVEKIT"),
        ] as [(String, String?, String?, String)])
    func theNarrowestScopeCounts(key: String, area: String?, identity: String?, provider: String) throws {
        let settings = try Self.read(Self.document)
            .settings(for: ConfigurationAsker(key: key, area: area, identity: identity))
        #expect(settings.provider == provider)
    }

    @Test func settingsAreMergedOneByOne() throws {
        let configuration = try Self.read(Self.document)
        #expect(configuration.keys == ["shop": "s1"])
        #expect(configuration.administrators == ["shop"])
        let global = configuration.settings(for: .init(key: "bank"))
        #expect(global.greeting == .object(["text": .string("Hello"), "wordsPerMinute": .integer(160)]))
        #expect(global.mediaKind == "AUDIO_VIDEO" && global.failover == [])
        let narrow = configuration.settings(for: .init(key: "shop", area: "support", identity: "ned"))
        #expect(narrow.features == ["a": .integer(1), "b": .bool(false), "c": .string("x")])
        #expect(narrow.greeting == .null && narrow.mediaKind == "AUDIO" && narrow.failover == ["LIVEKIT"])
        #expect(narrow.iceServers != nil)
    }

    @Test(
        arguments: [
            ("{", "", "no valid JSON"), ("[]", "", "no object"), (#"{"provider": 1}"#, "provider", "no such setting"),
            (#"{"keys": {"k": {"secret": ""}}}"#, "keys.k.secret", "no text"),
            (#"{"keys": {"k": {"sekret": "x"}}}"#, "keys.k.sekret", "use secret, account"),
            (#"{"teams": {"a": ["u"], "b": ["u"]}}"#, "teams.b[0]", "in the team a already"),
            (#"{"providers": {}}"#, "providers", "no provider"),
            (#"{"providers": {"FAKE": {}}}"#, "providers.FAKE", "endpoint is missing"),
            (#"{"providers": {"X": {"endpoint": "e", "key": "k"}}}"#, "providers.X.key", "belong together"),
            (
                #"{"providers": {"X": {"endpoint": "e", "key": "k", "secret": "s", "token": "t"}}}"#, "providers.X",
                "one of them"
            ),
            (
                #"{"scopes": {"GLOBAL": {"provider": "OPENTOK"}}}"#, "scopes.GLOBAL.provider",
                "not among the providers, which are LIVEKIT"
            ),
            (#"{"scopes": {"WORLD": {}}}"#, "scopes.WORLD", "use GLOBAL, ACCOUNT, AREA, APIKEY, TEAM, USER"),
            (
                #"{"scopes": {"AREA": {"support": {"failover": ["X"]}}}}"#, "scopes.AREA.support.failover[0]",
                "not among"
            ),
            (#"{"scopes": {"GLOBAL": {"mediaKind": "SMELL"}}}"#, "scopes.GLOBAL.mediaKind", "none of AUDIO, VIDEO"),
            (
                #"{"scopes": {"GLOBAL": {"greeting": {"wordsPerMinute": 5}}}}"#,
                "scopes.GLOBAL.greeting.wordsPerMinute", "80 to 450"
            ),
            (#"{"scopes": {"GLOBAL": {"greeting": {"audio": "%"}}}}"#, "scopes.GLOBAL.greeting.audio", "base64"),
            (#"{"scopes": {"GLOBAL": {"features": {"f": []}}}}"#, "scopes.GLOBAL.features.f", "a number or a text"),
            (
                #"{"scopes": {"GLOBAL": {"iceServers": [{"urls": ["http://x"]}]}}}"#, "scopes.GLOBAL.iceServers[0]",
                "no stun:"
            ),
        ] as [(String, String, String)])
    func whatIsWrongIsNamedWithItsPlace(text: String, path: String, problem: String) throws {
        let error = #expect(throws: ServiceConfigurationError.self) { _ = try Self.read(text) }
        #expect(error?.path == path)
        #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
    }

    @Test func badJSONIsSaidWithItsLine() {
        let error = #expect(throws: ServiceConfigurationError.self) { _ = try Self.read("{\n\"keys\": {]\n}") }
        #expect(error?.description.contains("line 2") == true, "\(error?.description ?? "")")
    }
}

/// A call keeps its provider.
@Suite struct CallTableTests {
    private let table = CallTable()
    private let configuration: ServiceConfiguration

    init() throws {
        configuration = try ServiceConfiguration(
            json: Data(
                #"""
                {"providers": {"LIVEKIT": {}, "FAKE": {"endpoint": "fake:x"}, "OTHER": {"endpoint": "other:x"}},
                 "scopes": {"GLOBAL": {"provider": "LIVEKIT", "failover": ["FAKE"]}}}
                """#.utf8))
    }

    private func call(
        _ identity: String, wanted: String? = nil, failed: Set<String> = [], at now: Int64 = 0, present: Int = 0,
        _ other: ServiceConfiguration? = nil
    ) throws(CallTable.Refusal) -> CallTable.Entry {
        try table.call(
            CallLookup(
                conversation: "c", asker: .init(key: "k", identity: identity), wanted: wanted, failed: failed),
            configuration: other ?? configuration, now: now, occupancy: { _ in present })
    }

    private func changed() throws -> ServiceConfiguration {
        try ServiceConfiguration(
            json: Data(
                #"{"providers": {"FAKE": {"endpoint": "fake:y"}}, "scopes": {"GLOBAL": {"provider": "FAKE"}}}"#.utf8))
    }

    @Test func everybodyOfACallHasItsProvider() throws {
        let first = try call("ada")
        #expect(first.provider == "LIVEKIT" && first.serviceProviderCallId == "c" && first.isLocal)
        let second = try call("bob", at: 1000, present: 1, try changed())
        #expect(second.callId == first.callId && second.provider == "LIVEKIT")
        for name in ["ada", "bob"] { table.came(name, to: "c") }
        table.ended(room: "c", now: 1500)
        let next = try call("bob", at: 2000, try changed())
        #expect(next.callId != first.callId && next.provider == "FAKE" && !next.isLocal)
    }

    /// Otherwise who was sent there just before the last one left, and those who ask next, would wait for each other.
    @Test func aCallDoesNotEndBeforeThoseOnTheirWay() throws {
        let first = try call("ada")
        table.came("ada", to: "c")
        _ = try call("bob", at: 1000, present: 1)
        table.ended(room: "c", now: 1100)
        #expect(try call("carol", at: 1200).callId == first.callId)
        // A session's connections have ids: whoever has asked first has come.
        for id in ["connection 1", "connection 2", "connection 3"] { table.came(id, to: "c") }
        table.ended(room: "c", now: 1300)
        #expect(try call("ada", at: 1400).callId != first.callId)
    }

    @Test func whoNeverComesIsNotWaitedFor() throws {
        let first = try call("ada")
        _ = try call("bob", at: 1)
        table.came("ada", to: "c")
        table.ended(room: "c", now: CallTable.arrival)
        #expect(try call("carol", at: CallTable.arrival).callId == first.callId)
        table.came("carol", to: "c")
        table.ended(room: "c", now: CallTable.arrival + 1)
        #expect(try call("ada", at: CallTable.arrival + 2).callId != first.callId)
    }

    @Test func aCallThatNobodyAsksForIsOver() throws {
        let first = try call("ada")
        #expect(try call("bob", at: CallTable.patience - 1).callId == first.callId)
        #expect(try call("bob", at: 3 * CallTable.patience).callId != first.callId)
        // While somebody is in its room it goes on.
        let third = try call("ada", at: 4 * CallTable.patience)
        #expect(try call("bob", at: 9 * CallTable.patience, present: 1).callId == third.callId)
    }

    @Test func aFailedProviderGivesWayWhileNobodyUsesIt() throws {
        let first = try call("ada")
        let second = try call("ada", failed: ["LIVEKIT"])
        #expect(second.provider == "FAKE" && second.callId != first.callId)
        #expect(try call("bob").callId == second.callId)
        #expect(throws: CallTable.Refusal.inUse("FAKE")) { _ = try call("ada", failed: ["LIVEKIT", "FAKE"]) }
        #expect(throws: CallTable.Refusal.exhausted(["LIVEKIT", "FAKE"])) {
            _ = try call("bob", failed: ["LIVEKIT", "FAKE"])
        }
    }

    @Test func aCallInUseStaysWhereItIs() throws {
        _ = try call("ada")
        #expect(throws: CallTable.Refusal.inUse("LIVEKIT")) { _ = try call("bob", failed: ["LIVEKIT"], present: 1) }
        #expect(throws: CallTable.Refusal.inUse("LIVEKIT")) { _ = try call("bob", wanted: "FAKE", present: 1) }
        #expect(throws: CallTable.Refusal.inUse("LIVEKIT")) { _ = try call("bob", wanted: "FAKE") }
        #expect(try call("ada", wanted: "OTHER").provider == "OTHER")
        table.ended(conversation: "c")
        #expect(throws: CallTable.Refusal.unknownProvider("NONE")) { _ = try call("bob", wanted: "NONE") }
    }
}

/// The service over HTTP's own types.
@Suite struct ConfigurationEndpointTests {
    private let box = ServiceConfigurationBox(ServiceConfiguration())

    private func put(_ text: String, keys: [String: String] = ["k": "s"], as user: String = "k:s") -> HTTPResponse {
        var request = HTTPRequest(
            .init(
                version: .http1_1, method: .PUT, uri: ConfigurationEndpoint.path,
                headers: ["Authorization": "Basic " + Data(user.utf8).base64EncodedString()]))
        request.body.writeString(text)
        return ConfigurationEndpoint(keyring: APIKeyring(keys: keys), service: box).respond(to: request)
    }

    @Test func aNewConfigurationIsInForceAtOnce() {
        let shop = ["shop": "s"]
        #expect(put(ServiceConfigurationTests.document, keys: shop, as: "shop:s").status == .noContent)
        #expect(box.value.providers.keys.sorted() == ["FAKE", "LIVEKIT", "REMOTE"])
        // From now on only the administrators that it names may change it.
        #expect(put("{}").status == .forbidden)
        #expect(put("{}", keys: shop, as: "shop:s").status == .noContent)
    }

    @Test func aWrongOneChangesNothing() {
        let before = box.value
        let response = put(#"{"scopes": {"GLOBAL": {"provider": "X"}}}"#)
        #expect(response.status == .badRequest)
        #expect(String(buffer: response.body).contains("scopes.GLOBAL.provider"))
        #expect(put("{}", as: "k:wrong").status == .forbidden)
        #expect(put("{}", keys: ["k": "s", "l": "t"]).status == .forbidden)
        #expect(box.value == before)
    }
}
