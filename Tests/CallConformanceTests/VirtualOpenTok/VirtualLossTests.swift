import CallBridge
import CallConformance
import MediaCore
import OpenTokSignalling
import Synchronization
import Testing

/// What only a simulated network can make happen.
@Suite(.timeLimit(.minutes(10))) struct VirtualLossTests {
    /// What somebody was told.
    private final class Ear: Sendable {
        let texts = Mutex<[String]>([])
        let states = Mutex<[CallState]>([])

        func attach(to call: Call) async {
            await call.observe { event in
                switch event {
                case .dataReceived(let message, _): self.texts.withLock { $0.append(message.text ?? "?") }
                case .stateChanged(let state): self.states.withLock { $0.append(state) }
                default: break
                }
            }
        }
    }

    private func join(
        _ identity: String, _ world: VirtualConformanceWorld, _ engine: MediaEngine
    ) async throws -> (call: Call, ear: Ear) {
        let descriptor = try world.descriptor(identity: identity, room: "loss")
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [ProviderRegistration(world.provider)])
        (configuration.engine, configuration.clock) = (engine, world.clock)
        world.configure(&configuration, for: identity)
        let call = try await CallBridge(configuration: configuration).join(conversation: "loss", as: identity)
        let ear = Ear()
        await ear.attach(to: call)
        return (call, ear)
    }

    /// A socket is gone for five seconds, the server told or not; signals and a tone go on.
    @Test(arguments: MediaMode.allCases, [true, false])
    func fiveSecondsWithoutASocketLoseNothing(_ mode: MediaMode, _ isNoticed: Bool) async throws {
        let subject = VirtualOpenTokSubject(mode: mode)
        let world = try #require(try await subject.makeWorld(seed: 5) as? VirtualConformanceWorld)
        let engine = MediaEngine()
        let (ada, bob) = (try await join("ada", world, engine), try await join("bob", world, engine))
        try await ada.call.publish(.testTone(440))
        await world.pass(milliseconds: 1000)
        let texts = (0..<20).map { "signal \($0)" }
        await world.world.perform { $0.loseSockets(of: "bob", milliseconds: 5000, isNoticed: isNoticed) }
        let ofBob = Task {
            try await withThrowingTaskGroup { group in
                for text in texts { group.addTask { try await bob.call.send(data: Array(text.utf8)) } }
                try await group.waitForAll()
            }
        }
        for text in texts { try await ada.call.send(data: Array(text.utf8)) }
        try await ofBob.value
        await world.pass(milliseconds: 2000)
        #expect(bob.ear.texts.withLock { $0 } == texts, "in order")
        #expect(ada.ear.texts.withLock { $0.sorted() } == texts.sorted())
        #expect(bob.ear.states.withLock { $0.filter { $0 == .reconnecting }.count } == 1)
        #expect(await bob.call.state == .active)
        let received = await bob.call.statistics().receivers.first { $0.kind == .audio }
        #expect((received?.packetsReceived ?? 0) > 300, "media goes on meanwhile: \(String(describing: received))")
        await ada.call.leave()
        await bob.call.leave()
        await engine.shutdown()
    }
}
