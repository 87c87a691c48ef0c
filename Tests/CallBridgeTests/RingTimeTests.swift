import CallBridge
import MediaCore
import Testing

/// Ringing in virtual time: whatever is waited for is waited for on the clock that was passed in.
@Suite struct RingTimeTests {
    private let manual = ManualClock(now: MediaTime(nanoseconds: 1_000_000_000))

    private var timeOfDay: @Sendable () -> CallTime {
        { [manual] in CallTime(milliseconds: manual.now.nanoseconds / 1_000_000) }
    }

    /// Returns when somebody waits for the time so many seconds after the beginning.
    private func sleeper(at seconds: Double) async {
        while manual.nextDeadline != MediaTime(nanoseconds: 1_000_000_000).advanced(seconds: seconds) {
            await Task.yield()
        }
    }

    private func advance(to seconds: Double) {
        manual.advance(to: MediaTime(nanoseconds: 1_000_000_000).advanced(seconds: seconds))
    }

    /// The script's user hesitates, then the client has half a minute to connect: none of it takes time.
    @Test func aClientThatNeverConnectsIsGivenUp() async throws {
        let hub = RingHub(journal: CallJournal(), clock: timeOfDay)
        let presenter = ScriptedRingPresenter([.init(.answer, afterMilliseconds: 300)], clock: manual.clock)
        let caller = RingPhone(
            InProcessRing(RingDevice(personId: "ada", deviceToken: "a"), hub: hub), presenter: NoRingPresenter(),
            clock: timeOfDay, timer: manual.clock
        ) { _ in }
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let callee = RingPhone(
            InProcessRing(RingDevice(personId: "bob", deviceToken: "b"), hub: hub), presenter: presenter,
            clock: timeOfDay, timer: manual.clock
        ) { _ in
            started.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
        }
        try await caller.start()
        try await callee.start()
        _ = await caller.place(RingRequest(conversationId: "c", callType: .audio, callerName: "Ada", groups: [["bob"]]))
        await sleeper(at: 0.3)
        advance(to: 0.3)
        var clients = starts.makeAsyncIterator()
        _ = await clients.next()
        await sleeper(at: 30.3)
        advance(to: 30.3)
        var outcomes = callee.outcomes.makeAsyncIterator()
        let outcome = await outcomes.next()?.outcome
        guard case .clientTimedOut = outcome else {
            Issue.record("the outcome is \(String(describing: outcome))")
            return
        }
        await callee.stop()
        await caller.stop()
    }
}
