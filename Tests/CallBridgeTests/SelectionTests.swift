import CallBridge
import CallServer
import Foundation
import MediaCore
import ProviderFake
import ProviderLiveKitLike
import Testing
import TransportSecurity
import WebClient

/// One process, several providers, and a server that decides between them.
@Suite(.timeLimit(.minutes(10))) struct SelectionTests {
    private static let secret = "a-secret-of-thirty-two-characters"

    /// Everything through one provider, with the other one behind it.
    private static func document(_ provider: String, _ second: String, liveKit: String? = nil) -> String {
        let endpoint = liveKit.map { #""endpoint": "\#($0)", "token": "t""# } ?? ""
        return #"""
            {"providers": {"LIVEKIT": {\#(endpoint)}, "FAKE": {"endpoint": "fake:world?identity={identity}"}},
             "scopes": {"GLOBAL": {"provider": "\#(provider)", "failover": ["\#(second)"],
                                   "features": {"recording": true, "limit": 4, "theme": "dark"}},
                        "AREA": {"calls-only": {"mediaKind": "AUDIO"}}}}
            """#
    }

    private static func withServer(
        _ document: String, _ body: (String, CallServer) async throws -> Void
    ) async throws {
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = 0
        configuration.timing.request = 120_000
        configuration.service = try ServiceConfiguration(json: Data(document.utf8))
        let server = CallServer(configuration: configuration)
        try await server.start()
        do { try await body("http://127.0.0.1:\(server.port)", server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func bridge(
        _ server: String, _ providers: [ProviderRegistration], failover: FailoverPolicy = .none, area: String? = nil
    ) -> CallBridge {
        var configuration = CallBridge.Configuration(
            server: server, credentials: .apiKey("key", secret: secret), providers: providers)
        configuration.failover = failover
        configuration.namedArea = area
        return CallBridge(configuration: configuration)
    }

    /// Replaces the server's configuration the way an operator does.
    private static func put(_ document: String, to server: String) async throws {
        let url = try #require(URLComponents(string: server + "/callbridge/v1/configuration"))
        var request = WebRequest(.put, url, trust: .environment)
        request.headers = [("Authorization", "Basic " + Data("key:\(secret)".utf8).base64EncodedString())]
        request.body = Array(document.utf8)
        #expect(try await WebClient.send(request).status == 204)
    }

    private static func firstConnection(of call: Call) async {
        for await event in call.events {
            if case .stateChanged(.active) = event { return }
        }
    }

    @Test func theServerChangesTheProviderBetweenTwoCalls() async throws {
        try await Self.withServer(Self.document("LIVEKIT", "FAKE")) { server, _ in
            let world = try FakeWorld(pace: .realTime)
            let bridge = Self.bridge(server, [.liveKitLike, .fake(world)])
            let ada = try await bridge.join(conversation: "one", as: "ada")
            await Self.firstConnection(of: ada)
            #expect(ada.descriptor.provider == .liveKit)
            #expect(
                ada.descriptor.features == ["recording": .flag(true), "limit": .number(4), "theme": .text("dark")])
            try await Self.put(Self.document("FAKE", "LIVEKIT"), to: server)
            // The call is under way: it keeps its provider.
            let bob = try await bridge.join(conversation: "one", as: "bob")
            #expect(bob.descriptor.provider == .liveKit && bob.descriptor.callId == ada.descriptor.callId)
            await Self.firstConnection(of: bob)
            await ada.leave()
            await bob.leave()
            let next = try await nextCall(bridge, after: ada.descriptor.callId)
            #expect(next.descriptor.provider == .fake)
            await Self.firstConnection(of: next)
            #expect(await next.localParticipant.identity == "ada")
            let other = try await bridge.join(conversation: "one", as: "bob")
            #expect(other.descriptor.callId == next.descriptor.callId)
            await next.leave()
            await other.leave()
            await bridge.shutdown()
            await world.close()
        }
    }

    /// Joins again until the server has noticed that the call before is over.
    private func nextCall(_ bridge: CallBridge, after callId: String) async throws -> Call {
        while true {
            let call = try await bridge.join(conversation: "one", as: "ada")
            if call.descriptor.callId != callId { return call }
            await call.leave()
        }
    }

    @Test func theAreaDecides() async throws {
        try await Self.withServer(Self.document("FAKE", "LIVEKIT")) { server, _ in
            let world = try FakeWorld(pace: .realTime)
            let bridge = Self.bridge(server, [.fake(world)], area: "calls-only")
            let call = try await bridge.join(conversation: "area", as: "ada")
            #expect(call.descriptor.mediaKind == .audio)
            await call.leave()
            await bridge.shutdown()
            await world.close()
        }
    }

    @Test func aMissingProviderSaysWhichAreThere() async throws {
        try await Self.withServer(Self.document("LIVEKIT", "FAKE")) { server, _ in
            let none = Self.bridge(server, [])
            let nothing = await #expect(throws: CallError.self) { _ = try await none.join(conversation: "c") }
            #expect(nothing?.code == .noProviderInstalled && nothing?.wanted == .liveKit)
            #expect(nothing?.installed == [])
            let world = try FakeWorld(pace: .realTime)
            let wrong = Self.bridge(server, [.fake(world)])
            let other = await #expect(throws: CallError.self) { _ = try await wrong.join(conversation: "c") }
            #expect(other?.code == .providerNotInstalled)
            #expect(other?.wanted == .liveKit && other?.installed == [.fake])
            await none.shutdown()
            await wrong.shutdown()
            await world.close()
        }
    }

    @Test(arguments: [FailoverPolicy.orderedList([.liveKit, .fake]), .serverReissue])
    func anotherProviderTakesOver(policy: FailoverPolicy) async throws {
        // Nobody listens there.
        let dead = Self.document("LIVEKIT", "FAKE", liveKit: "ws://127.0.0.1:9")
        try await Self.withServer(dead) { server, _ in
            let world = try FakeWorld(pace: .realTime)
            let stubborn = Self.bridge(server, [.liveKitLike, .fake(world)])
            let error = await #expect(throws: CallError.self) {
                _ = try await stubborn.join(conversation: "c", as: "ada")
            }
            #expect(error?.code == .unreachable)
            let bridge = Self.bridge(server, [.liveKitLike, .fake(world)], failover: policy)
            let call = try await bridge.join(conversation: "c", as: "ada")
            #expect(call.descriptor.provider == .fake)
            let change = try #require(call.providerChanges.first)
            #expect(call.providerChanges.count == 1 && change.from == .liveKit && change.to == .fake)
            #expect(change.failure.code == .unreachable)
            #expect(await Self.changesUntilActive(call) == call.providerChanges)
            #expect(await Self.changesUntilActive(call) == call.providerChanges, "a reader who comes late is told too")
            await call.leave()
            await stubborn.shutdown()
            await bridge.shutdown()
            await world.close()
        }
    }

    /// The changes of provider that a new reader is told of before the call is active.
    private static func changesUntilActive(_ call: Call) async -> [ProviderChange] {
        var told: [ProviderChange] = []
        for await event in call.events {
            if case .providerChanged(let change) = event { told.append(change) }
            if case .stateChanged(.active) = event { break }
        }
        return told
    }

    @Test func whenAllFailAllAreNamed() async throws {
        let dead = Self.document("LIVEKIT", "FAKE", liveKit: "ws://127.0.0.1:9")
        try await Self.withServer(dead) { server, _ in
            let world = try FakeWorld(pace: .realTime)
            await world.stop()
            let bridge = Self.bridge(server, [.liveKitLike, .fake(world)], failover: .serverReissue)
            let error = await #expect(throws: CallError.self) {
                _ = try await bridge.join(conversation: "c", as: "ada")
            }
            #expect(error?.attempts.map(\.provider) == [.liveKit, .fake])
            #expect(error?.message.contains("LIVEKIT") == true && error?.message.contains("FAKE") == true)
            await bridge.shutdown()
            await world.close()
        }
    }

    @Test func aFaultOfTheCallerLeadsNowhereElse() async throws {
        let world = try FakeWorld(pace: .realTime)
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "c", provider: .liveKit, serviceProviderCallId: "c", endpoint: "no url",
            credentials: .init(token: nil))
        var fake = descriptor
        fake.provider = .fake
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor, others: [fake]), providers: [.liveKitLike, .fake(world)])
        configuration.failover = .orderedList([.fake])
        let bridge = CallBridge(configuration: configuration)
        let error = await #expect(throws: CallError.self) { _ = try await bridge.join(conversation: "c") }
        #expect(error?.code == .invalidArgument)
        await bridge.shutdown()
        await world.close()
    }
}

/// What a bridge's configuration may list.
@Suite struct ProviderRegistryTests {
    @Test func aProviderThatIsListedTwiceIsAnError() throws {
        let registry = ProviderRegistry([.liveKitLike, .liveKitLike])
        let error = #expect(throws: CallError.self) { _ = try registry.provider(for: .liveKit) }
        #expect(error?.code == .duplicateProvider && error?.message.contains("more than once") == true)
        #expect(try ProviderRegistry([.liveKitLike]).provider(for: .liveKit).kind == .liveKit)
    }
}
