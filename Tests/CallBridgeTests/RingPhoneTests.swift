import CallBridge
import CallServer
import Synchronization
import Testing

/// Devices at work, on an exchange in this process and on a server's.
@Suite(.timeLimit(.minutes(10))) struct RingPhoneTests {
    private static let secret = "a-secret-of-thirty-two-characters"

    private static func outcome(_ phone: RingPhone) async -> RingOutcome? {
        for await (_, outcome) in phone.outcomes { return outcome }
        return nil
    }

    /// Two devices of one person and one of another; the second device answers while it may not start the client yet.
    private static func ring(_ line: (RingDevice) -> any RingTransport) async throws {
        let started = Mutex<[String]>([])
        func phone(_ person: String, _ token: String, _ steps: [ScriptedRingPresenter.Step], gate: AnswerGate = .init())
            -> (phone: RingPhone, presenter: ScriptedRingPresenter)
        {
            let presenter = ScriptedRingPresenter(steps)
            let device = RingDevice(personId: person, deviceToken: token)
            var timing = IncomingRing.Timing()
            // The machine may be slow.
            (timing.answer, timing.client, timing.connect) = (120_000, 120_000, 120_000)
            let phone = RingPhone(line(device), presenter: presenter, gate: gate, timing: timing) { start in
                started.withLock { $0.append("\(token) \(start.isOutgoing)") }
            }
            return (phone, presenter)
        }
        let ada = phone("ada", "a1", [])
        let first = phone("bob", "b1", [.init(nil)])
        let second = phone("bob", "b2", [.init(.answer)], gate: AnswerGate(isAuthenticated: false))
        let carol = phone("carol", "c1", [.init(nil)])
        for one in [ada, first, second, carol] { try await one.phone.start() }
        let id = await ada.phone.place(
            RingRequest(conversationId: "v", callType: .video, callerName: "Ada", groups: [["bob", "carol"]]))
        #expect(await outcome(first.phone) == .answeredElsewhere)
        #expect(await outcome(carol.phone) == .answeredElsewhere)
        #expect(await outcome(ada.phone) == .connected)
        // Word that the answer counts may come to the second device after the caller's.
        while !second.presenter.shown.contains("waiting \(id)") { await Task.yield() }
        #expect(started.withLock { $0 } == ["a1 true"], "no client runs before the gate opens")
        await second.phone.deviceChanged(AnswerGate())
        #expect(await outcome(second.phone) == .connected)
        #expect(started.withLock { $0 } == ["a1 true", "b2 false"])
        #expect(first.presenter.shown == ["present \(id)", "dismiss \(id)"])
        #expect(
            second.presenter.shown.filter { $0 != "activate \(id)" } == [
                "present \(id)", "waiting \(id)", "dismiss \(id)",
            ])
        await second.phone.hangUp(id)
        for one in [ada, first, second, carol] { await one.phone.stop() }
    }

    @Test func inThisProcess() async throws {
        let journal = CallJournal()
        let hub = RingHub(journal: journal)
        try await Self.ring { InProcessRing($0, hub: hub) }
        #expect(journal.finish().violations == [])
        #expect(journal.events.last?.eventType == .ended)
        #expect(journal.events.last?.endReason == .lastMandatoryParticipantLeft)
    }

    @Test func overAServersEvents() async throws {
        let journal = CallJournal()
        var configuration = CallServerConfiguration(keys: ["key": Self.secret])
        configuration.port = 0
        configuration.journal = journal
        let server = CallServer(configuration: configuration)
        try await server.start()
        let url = "http://127.0.0.1:\(server.port)"
        do {
            try await Self.ring {
                ServerRingTransport(server: url, credentials: .apiKey("key", secret: Self.secret), device: $0)
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        #expect(journal.finish().violations == [])
        #expect(journal.events.last?.eventType == .ended)
    }

    @Test func aWrongSecretAndADeadServerAreNamed() async throws {
        var configuration = CallServerConfiguration(keys: ["key": Self.secret])
        configuration.port = 0
        let server = CallServer(configuration: configuration)
        try await server.start()
        let device = RingDevice(personId: "ada", deviceToken: "a1")
        let wrong = ServerRingTransport(
            server: "http://127.0.0.1:\(server.port)", credentials: .apiKey("key", secret: "wrong"), device: device)
        let refused = await #expect(throws: CallError.self) { _ = try await wrong.signals() }
        #expect(refused?.code == .providerRefused)
        await server.stop()
        let dead = ServerRingTransport(
            server: "http://127.0.0.1:1", credentials: .apiKey("key", secret: "wrong"), device: device)
        let unreachable = await #expect(throws: CallError.self) { _ = try await dead.send(.abort(callId: "c")) }
        #expect(unreachable?.fault == .network)
    }
}
