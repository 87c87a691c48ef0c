import CallModel
import Testing

/// The hub among threads: devices that come, hear and go while others speak.
@Suite(.timeLimit(.minutes(10))) struct RingHubTests {
    private static func ring(_ number: Int, for person: String) -> RingCommand {
        .place(
            RingRequest(
                callId: "call-\(number)", conversationId: "conversation-\(number)", callType: .audio, callerName: "ada",
                groups: [[person]]))
    }

    /// A reader that is cancelled in the moment in which it is told something holds up nobody.
    @Test func aReaderMayGoWhileItIsTold() async throws {
        let hub = RingHub(journal: CallJournal())
        let ada = RingDevice(personId: "ada", deviceToken: "a")
        _ = try hub.attach(ada)
        for number in 0..<500 {
            let bob = RingDevice(personId: "bob", deviceToken: "b-\(number)")
            let signals = try hub.attach(bob)
            let reader = Task { for await _ in signals {} }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? hub.send(Self.ring(number, for: "bob"), from: ada) }
                group.addTask {
                    await Task.yield()
                    reader.cancel()
                }
            }
            await reader.value
        }
        hub.close()
    }

    /// Who attaches anew hears; the stream before ends, and nothing waits for itself.
    @Test func attachingAnewEndsTheStreamBefore() async throws {
        let hub = RingHub(journal: CallJournal())
        let bob = RingDevice(personId: "bob", deviceToken: "b")
        let ada = RingDevice(personId: "ada", deviceToken: "a")
        _ = try hub.attach(ada)
        let before = try hub.attach(bob)
        let now = try hub.attach(bob)
        for await _ in before {}
        try hub.send(Self.ring(1, for: "bob"), from: ada)
        var heard = now.makeAsyncIterator()
        #expect(await heard.next() != nil)
        hub.close()
        while await heard.next() != nil {}
    }

    /// What several threads say is heard in one order: that in which it happened.
    @Test func signalsKeepTheirOrder() async throws {
        let hub = RingHub(journal: CallJournal())
        let bob = RingDevice(personId: "bob", deviceToken: "b")
        let signals = try hub.attach(bob)
        for thread in 0..<4 { _ = try hub.attach(RingDevice(personId: "caller-\(thread)", deviceToken: "c")) }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    let caller = RingDevice(personId: "caller-\(thread)", deviceToken: "c")
                    for number in 0..<20 {
                        let command = Self.ring(1000 * thread + number, for: "bob")
                        guard let id = try? hub.send(command, from: caller) else { continue }
                        _ = try? hub.send(.abort(callId: id), from: caller)
                    }
                }
            }
        }
        hub.close()
        var ringing: Set<String> = []
        var count = 0
        for await signal in signals {
            count += 1
            switch signal {
            case .offer(let offer): ringing.insert(offer.callId)
            default: #expect(ringing.contains(signal.callId), "\(signal) came before its offer")
            }
        }
        #expect(count > 0)
    }
}

/// Devices that sleep: a notification wakes them.
@Suite(.timeLimit(.minutes(10))) struct RingWakingTests {
    private static let phone = RingDevice(personId: "bob", deviceToken: "phone")
    private static let caller = RingDevice(personId: "ada", deviceToken: "desk")

    @Test func aSleepingDeviceRingsAndAnswers() async throws {
        let hub = RingHub(journal: CallJournal())
        let (told, teller) = AsyncStream.makeStream(of: RingSignal.self)
        hub.wake({ $0 == "bob" ? ["phone"] : [] }) { signal, device in
            if device == Self.phone { teller.yield(signal) }
        }
        let id = try hub.send(.place(RingRequest(conversationId: "v", groups: [["bob"]])), from: Self.caller)
        guard case .offer(let offer) = await told.first(where: { _ in true }) else {
            Issue.record("no offer")
            return
        }
        #expect(offer.callId == id && offer.callerPersonId == "ada")
        var signals = try hub.attach(Self.phone).makeAsyncIterator()
        #expect(await signals.next() == .offer(offer), "awake, it is told itself")
        try hub.send(.answer(callId: id), from: Self.phone)
        #expect(await signals.next() == .granted(callId: id))
        hub.close()
    }

    @Test func inVain() async throws {
        let hub = RingHub(journal: CallJournal())
        let (told, teller) = AsyncStream.makeStream(of: RingSignal.self)
        hub.wake({ $0 == "bob" ? ["phone"] : [] }) { signal, device in
            if device == Self.phone { teller.yield(signal) }
        }
        let id = try hub.send(.place(RingRequest(conversationId: "v", groups: [["bob"]])), from: Self.caller)
        try hub.send(.abort(callId: id), from: Self.caller)
        var heard: [RingSignal] = []
        for await signal in told {
            heard.append(signal)
            if heard.count == 2 { break }
        }
        #expect(heard.last == .withdrawn(callId: id, .aborted))
        let alone = try hub.send(.place(RingRequest(conversationId: "w", groups: [["eve"]])), from: Self.caller)
        #expect(hub.record(alone) != nil)
        hub.close()
    }
}
