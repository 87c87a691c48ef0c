import CallBridge
import CallServer
import MediaCore
import ProviderLiveKitLike
import Testing

/// Calls through the embedded server, as an application places them: the server's configuration names the provider.
@Suite(.timeLimit(.minutes(10))) struct EmbeddedServerTests {
    private static func withServer(_ body: (String) async throws -> Void) async throws {
        var configuration = CallServerConfiguration(keys: ["key": "a-secret-of-thirty-two-characters"])
        configuration.port = 0
        // Other tests may keep every thread busy for seconds.
        configuration.timing.request = 600_000
        let server = CallServer(configuration: configuration)
        try await server.start()
        do {
            try await body("http://127.0.0.1:\(server.port)")
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func bridge(_ server: String, secret: String = "a-secret-of-thirty-two-characters") -> CallBridge {
        CallBridge(
            configuration: .init(
                server: server, credentials: .apiKey("key", secret: secret), providers: [.liveKitLike]))
    }

    /// Reads events until one fits, and gives what it was asked for.
    private static func first<Result>(
        of events: AsyncStream<CallEvent>, _ match: (CallEvent) -> Result?
    ) async -> Result? {
        for await event in events {
            if let result = match(event) { return result }
        }
        return nil
    }

    @Test(arguments: [LiveKitLikeProvider.Mode.singleConnection, .twoConnections])
    func twoParticipantsHearEachOther(mode: LiveKitLikeProvider.Mode) async throws {
        try await Self.withServer { server in
            let bridge = CallBridge(
                configuration: .init(
                    server: server, credentials: .apiKey("key", secret: "a-secret-of-thirty-two-characters"),
                    providers: [.liveKitLike(mode: mode)]))
            let ada = try await bridge.join(conversation: "support-42", as: "ada")
            #expect(await ada.localParticipant.identity == "ada")
            let tracks = try await ada.publish(.testTone(440))
            let bob = try await bridge.join(conversation: "support-42", as: "bob")
            let heard = await Self.first(of: bob.events) { event -> RemoteTrack? in
                guard case .trackSubscribed(let media, let track, let participant) = event else { return nil }
                return participant.identity == "ada" && track.kind == .audio ? media : nil
            }
            let meter = FrequencyWatch()
            try #require(heard).attach(meter)
            #expect(abs(await meter.hertz() - 440) < 5)
            let speaker = await Self.first(of: bob.events) { event -> String? in
                if case .activeSpeakerChanged(let participant) = event {
                    return participant?.identity
                } else {
                    return nil
                }
            }
            #expect(speaker == "ada")
            try await ada.setMuted(true, tracks[0])
            let muted = await Self.first(of: bob.events) { event -> Bool? in
                switch event {
                case .trackMuted(_, let participant): participant.identity == "ada"
                case .trackPublished(let track, _): track.isMuted ? true : nil
                default: nil
                }
            }
            #expect(muted == true)
            var events = bob.events.makeAsyncIterator()
            _ = await events.next()
            await ada.leave()
            var reason: ParticipantLeftReason?
            while reason == nil, let event = await events.next() {
                if case .participantLeft(_, let said) = event { reason = said }
            }
            #expect(reason == .hangUp)
            await bob.leave()
            await bridge.shutdown()
        }
    }

    @Test func aWrongSecretIsTheConfigurationsFault() async throws {
        try await Self.withServer { server in
            let bridge = Self.bridge(server, secret: "wrong")
            let error = await #expect(throws: CallError.self) {
                _ = try await bridge.join(conversation: "x", as: "eve")
            }
            #expect(error?.fault == .configuration)
            #expect(error?.code == .providerRefused)
            await bridge.shutdown()
        }
    }

    @Test func aForeignTokenIsRefusedWithTheServersWords() async throws {
        try await Self.withServer { server in
            let descriptor = CallDescriptor(
                callId: "c", conversationId: "c", provider: .liveKit, serviceProviderCallId: "r",
                endpoint: server.replacing("http", with: "ws"), credentials: .init(token: "no.real.token"))
            let bridge = Self.bridge(server)
            let error = await #expect(throws: CallError.self) { _ = try await bridge.join(descriptor) }
            #expect(error?.fault == .provider)
            #expect(error?.message.contains("401") == true)
            await bridge.shutdown()
        }
    }
}

/// Measures sound and says its frequency once there is half a second of it.
private final class FrequencyWatch: AudioSink {
    private let meter = AudioMeter()
    private let enough: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (enough, signal) = AsyncStream.makeStream(of: Void.self) }

    func receive(_ frame: AudioFrame) {
        meter.receive(frame)
        if meter.measurement.duration > 0.5 { signal.yield() }
    }

    func hertz() async -> Double {
        for await _ in enough { break }
        return meter.measurement.dominantHz ?? 0
    }
}
