import Foundation
import LiveKitProtocol
import OpenTokSignalling
import Testing

@testable import CallServer

/// Calls whose rooms are sessions, and rooms that both dialects come into by configuration.
@Suite struct SharedRoomTests {
    private static func read(_ text: String) throws(ServiceConfigurationError) -> ServiceConfiguration {
        try ServiceConfiguration(json: Data(text.utf8))
    }

    private static let both = #""providers": {"LIVEKIT": {}, "OPENTOK": {}}"#

    private static func shared() throws -> ServiceConfiguration {
        try read(
            """
            {\(both), "sharedRooms": true,
             "scopes": {"GLOBAL": {"provider": "LIVEKIT"}, "USER": {"otto": {"provider": "OPENTOK"}}}}
            """)
    }

    struct Fault: CustomTestStringConvertible {
        var document: String
        var path: String
        var remedy: String
        var testDescription: String { path }
    }

    @Test(arguments: [
        Fault(document: #"{\#(both), "sharedRooms": "yes"}"#, path: "sharedRooms", remedy: "true or false"),
        Fault(document: #"{"sharedRooms": true}"#, path: "sharedRooms", remedy: "name both providers"),
        Fault(
            document: #"{"providers": {"LIVEKIT": {}, "OPENTOK": {"endpoint": "http://x"}}, "sharedRooms": true}"#,
            path: "sharedRooms", remedy: "without an endpoint"),
        Fault(
            document: #"{"providers": {"LIVEKIT": {}, "OPENTOK": {"mediaMode": "relayed"}}, "sharedRooms": true}"#,
            path: "sharedRooms", remedy: "leave OPENTOK's mediaMode out"),
        Fault(
            document: #"{"providers": {"OPENTOK": {"room": "r"}}}"#, path: "providers.OPENTOK.room",
            remedy: "leave it out"),
        Fault(
            document: #"{"providers": {"OPENTOK": {"token": "t"}}}"#, path: "providers.OPENTOK.token",
            remedy: "leave it out"),
        Fault(
            document: #"{"providers": {"LIVEKIT": {"mediaMode": "routed"}}}"#, path: "providers.LIVEKIT.mediaMode",
            remedy: "leave it out"),
        Fault(
            document: #"{"providers": {"OPENTOK": {"mediaMode": "mixed"}}}"#, path: "providers.OPENTOK.mediaMode",
            remedy: "RELAYED"),
        Fault(document: #"{"providers": {"ACME": {}}}"#, path: "providers.ACME", remedy: "LIVEKIT and OPENTOK"),
    ])
    func whatCantBeIsSaid(fault: Fault) {
        let error = #expect(throws: ServiceConfigurationError.self) { _ = try Self.read(fault.document) }
        #expect(
            error?.path == fault.path && error?.problem.contains(fault.remedy) == true, "\(String(describing: error))")
    }

    // MARK: Calls

    private static func ask(
        _ table: CallTable, _ configuration: ServiceConfiguration, _ identity: String, key: String = "key",
        wanted: String? = nil, failed: Set<String> = [], now: Int64 = 1_000, occupied: Int = 0
    ) throws(CallTable.Refusal) -> CallTable.Entry {
        let asker = ConfigurationAsker(key: key, area: nil, identity: identity)
        let lookup = CallLookup(conversation: "c", asker: asker, wanted: wanted, failed: failed)
        return try table.call(lookup, configuration: configuration, now: now) { _ in occupied }
    }

    @Test func eachIsSentToTheSameRoomByTheirDialect() throws {
        let (table, configuration) = (CallTable(), try Self.shared())
        let lea = try Self.ask(table, configuration, "lea")
        let otto = try Self.ask(table, configuration, "otto", occupied: 1)
        #expect(lea.provider == "LIVEKIT" && otto.provider == "OPENTOK")
        #expect(lea.callId == otto.callId && lea.serviceProviderCallId == otto.serviceProviderCallId)
        let session = try OpenTokSessionID(parsing: lea.serviceProviderCallId)
        #expect(session.mediaMode == .routed && session.belongs(to: "key"))
        // Somebody with another key comes into the same session, which stays the first one's.
        let nora = try Self.ask(table, configuration, "nora", key: "other", occupied: 2)
        #expect(nora.project == "key" && nora.serviceProviderCallId == session.text)
        // Who couldn't use the one may come by the other, though others are in the call.
        let again = try Self.ask(table, configuration, "lea", wanted: "OPENTOK", failed: ["LIVEKIT"], occupied: 2)
        #expect(again.provider == "OPENTOK" && again.callId == lea.callId)
        #expect(table.conversation(in: session.text) == "c")
        for name in ["lea", "otto", "nora"] { table.came(name, to: session.text) }
        table.ended(room: session.text, now: 1_000)
        #expect(try Self.ask(table, configuration, "lea").callId != lea.callId)
    }

    @Test func withoutSharingACallKeepsItsProvider() throws {
        let table = CallTable()
        let before = try Self.read("{\(Self.both)}")
        let lea = try Self.ask(table, before, "lea")
        #expect(lea.serviceProviderCallId == "c" && !lea.isShared, "LiveKit's rooms are named as ever")
        let after = try Self.read(#"{\#(Self.both), "scopes": {"GLOBAL": {"provider": "OPENTOK"}}}"#)
        #expect(try Self.ask(table, after, "otto", occupied: 1).provider == "LIVEKIT")
        #expect(throws: CallTable.Refusal.inUse("LIVEKIT")) {
            _ = try Self.ask(table, after, "otto", wanted: "OPENTOK", occupied: 1)
        }
        for name in ["lea", "otto"] { table.came(name, to: "c") }
        table.ended(room: "c", now: 1_000)
        let otto = try Self.ask(table, after, "otto")
        #expect(otto.provider == "OPENTOK" && otto.isLocal && otto.serviceProviderCallId.hasPrefix("2_"))
        #expect(try Self.ask(table, after, "lea").serviceProviderCallId == otto.serviceProviderCallId)
        // It lasts while somebody is in it, however long ago it was asked for.
        #expect(try Self.ask(table, after, "x", now: 9_000_000, occupied: 1).callId == otto.callId)
        #expect(try Self.ask(table, after, "x", now: 99_000_000).callId != otto.callId)
    }

    @Test func relayedSessionsAreMadeByConfiguration() throws {
        let configuration = try Self.read(
            #"{"providers": {"OPENTOK": {"mediaMode": "relayed"}}, "scopes": {"GLOBAL": {"provider": "OPENTOK"}}}"#)
        #expect(try Self.ask(CallTable(), configuration, "a").serviceProviderCallId.hasPrefix("1_"))
        #expect(throws: CallTable.Refusal.noProject("no key")) {
            _ = try Self.ask(CallTable(), configuration, "a", key: "no key")
        }
    }

    // MARK: Descriptors

    @Test func aDescriptorHasTheDialectsTokenAndAddress() async throws {
        let service = try Self.shared()
        try await withCallServer {
            $0.service = service
        } _: { server in
            func descriptor(_ identity: String) async throws -> [String: JSONValue] {
                let client = try await HTTPTestClient.connect(server.port)
                defer { client.close() }
                let credentials = Data("key:secret".utf8).base64EncodedString()
                client.send(
                    "GET /callbridge/v1/descriptor?conversation=c&identity=\(identity)&name=N HTTP/1.1\r\nHost: h\r\n"
                        + "Authorization: Basic \(credentials)\r\n\r\n")
                let body = try await client.response().body
                guard case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: Data(body.utf8)) else {
                    return [:]
                }
                return members
            }
            let (lea, otto) = (try await descriptor("lea"), try await descriptor("otto"))
            #expect(lea["endpoint"] == .string("ws://h") && otto["endpoint"] == .string("http://h"))
            #expect(lea["serviceProviderCallId"] == otto["serviceProviderCallId"])
            guard case .object(let credentials)? = otto["credentials"], case .string(let text)? = credentials["token"],
                case .string(let session)? = otto["serviceProviderCallId"]
            else {
                Issue.record("no token")
                return
            }
            let token = try OpenTokToken(
                verifying: text, secrets: ["key": "secret"], session: session, now: OpenTokTestApplication.now)
            #expect(token.role == .publisher && token.connectionData == #"{"identity":"otto","name":"N"}"#)
        }
    }
}
