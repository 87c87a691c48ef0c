import CallBridge
import CallServer
import Foundation
import MediaCore
import ProviderLiveKitLike
import ProviderOpenTokLike
import Testing
import WebClient

@testable import CallConformance

/// Both dialects in one room, and behind one configuration service.
@Suite(.timeLimit(.minutes(10))) struct CrossDialectCallTests {
    private static let secret = "a-secret-of-thirty-two-characters"
    private static let names = ["alice", "bob", "carol", "dave"]

    @Test(arguments: ConformanceSuite.scenarios) func everyScenario(_ scenario: ConformanceScenario) async {
        await play(scenario, first: .openTok)
    }

    /// What is heard, seen or measured, with LiveKit's client first.
    @Test(arguments: ConformanceTests.mediaScenarios) func theOtherWayRound(_ scenario: ConformanceScenario) async {
        await play(scenario, first: .liveKit)
    }

    private func play(_ scenario: ConformanceScenario, first: ProviderKind) async {
        let subject = CrossDialectSubject(first: first)
        let outcome = await ConformanceSuite.run(scenario, on: subject)
        #expect(outcome.failure == nil, "\(subject.name), \(scenario.name)")
    }

    // MARK: The configuration service

    private static func document(_ provider: String, shared: Bool = false, users: String = "{}") -> String {
        #"""
        {"providers": {"LIVEKIT": {}, "OPENTOK": {}}, "sharedRooms": \#(shared),
         "scopes": {"GLOBAL": {"provider": "\#(provider)"}, "USER": \#(users)}}
        """#
    }

    private static func withServer(
        _ document: String, _ body: (String, CallBridge.Configuration) async throws -> Void
    ) async throws {
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = 0
        configuration.timing.request = 120_000
        configuration.logger.logLevel = .error
        configuration.service = try ServiceConfiguration(json: Data(document.utf8))
        let server = CallServer(configuration: configuration)
        try await server.start()
        let url = "http://127.0.0.1:\(server.port)"
        var settings = CallBridge.Configuration(
            server: url, credentials: .apiKey("key", secret: secret), providers: [.liveKitLike, .openTokLike])
        settings.logger.logLevel = .error
        settings.media.bindAddress = "127.0.0.1"
        do { try await body(url, settings) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func put(_ document: String, to server: String) async throws {
        let url = try #require(URLComponents(string: server + "/callbridge/v1/configuration"))
        var request = WebRequest(.put, url, trust: .environment)
        request.timeout = 60
        request.headers = [("Authorization", "Basic " + Data("key:\(secret)".utf8).base64EncodedString())]
        request.body = Array(document.utf8)
        #expect(try await WebClient.send(request).status == 204)
    }

    /// A world whose server is another's.
    private struct Elsewhere: ConformanceWorld {
        var provider: any CallProvider { OpenTokLikeProvider() }
        func descriptor(identity: String, room: String) async throws -> CallDescriptor {
            throw ConformanceFailure("the configuration service describes calls")
        }
    }

    /// Has them all join, publish, and hear and see one another.
    private static func meet(
        _ names: [String], _ configuration: CallBridge.Configuration
    ) async throws -> (ConformanceStage, [ConformancePerson]) {
        let stage = ConformanceStage(Elsewhere(), patienceMilliseconds: 60_000)
        var people: [ConformancePerson] = []
        for (index, name) in names.enumerated() {
            let person = try await stage.join(name, configuration, subscribesAutomatically: true)
            try await person.call.publish(
                .testTone(tone(index)), .testCard(.small, sender: UInt16(index + 1)))
            people.append(person)
        }
        let gathered = people
        try await stage.until("every directed pair is whole") {
            gathered.allSatisfy { person in
                names.enumerated().allSatisfy { index, name in
                    name == person.identity || (person.hears(name, tone(index)) && person.pictures(of: name) >= 10)
                }
            }
        }
        for person in people { #expect(person.violations.isEmpty) }
        return (stage, people)
    }

    private static func tone(_ index: Int) -> Double { Double(400 + 150 * index) }

    /// Two by each dialect in one room: all twelve directed pairs.
    @Test func everyDirectedPairIsWhole() async throws {
        let users = #"{"bob": {"provider": "OPENTOK"}, "dave": {"provider": "OPENTOK"}}"#
        try await Self.withServer(Self.document("LIVEKIT", shared: true, users: users)) { _, configuration in
            let (stage, people) = try await Self.meet(Self.names, configuration)
            let descriptors = people.map(\.call.descriptor)
            #expect(descriptors.map(\.provider) == [.liveKit, .openTok, .liveKit, .openTok])
            #expect(Set(descriptors.map(\.serviceProviderCallId)).count == 1)
            #expect(Set(descriptors.map(\.callId)).count == 1)
            // The server says who speaks; of those in a session too.
            try await stage.until("LiveKit's clients are told that bob speaks") {
                people[0].serverSpeakers.contains("bob")
            }
            await stage.clear()
        }
    }

    /// The server's configuration changes the dialect between two calls of one process.
    @Test func theServerChangesTheDialectBetweenTwoCalls() async throws {
        try await Self.withServer(Self.document("LIVEKIT")) { server, configuration in
            let (stage, people) = try await Self.meet(["ada", "bob"], configuration)
            let before = people[0].call.descriptor
            #expect(people.allSatisfy { $0.call.descriptor.provider == .liveKit })
            try await Self.put(Self.document("OPENTOK"), to: server)
            // The call is under way: it keeps its provider.
            let eve = try await stage.join("eve", configuration, subscribesAutomatically: true)
            #expect(eve.call.descriptor.provider == .liveKit && eve.call.descriptor.callId == before.callId)
            await stage.clear()
            try await Self.untilOver(before.callId, configuration)
            let (next, others) = try await Self.meet(["ada", "bob"], configuration)
            let after = others.map(\.call.descriptor)
            #expect(after.allSatisfy { $0.provider == .openTok && $0.callId == after[0].callId })
            #expect(after[0].callId != before.callId && after[0].endpoint.hasPrefix("http://"))
            await next.clear()
        }
    }

    /// Asks again until the server has noticed that the call is over.
    private static func untilOver(_ callId: String, _ configuration: CallBridge.Configuration) async throws {
        let bridge = CallBridge(configuration: configuration)
        var found = callId
        while found == callId {
            let call = try await bridge.join(conversation: ConformanceStage.room, as: "ada")
            found = call.descriptor.callId
            await call.leave()
        }
        await bridge.shutdown()
    }
}
