import CallBridge
import LiveKitProtocol
import Testing

@testable import ProviderLiveKitLike

/// Losses and repairs as values: no clock, no socket.
@Suite struct LifecycleTests {
    /// Draws the same numbers in every run.
    private struct Dice: RandomNumberGenerator, Sendable {
        var state: UInt64 = 1

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static func lifecycle() -> SessionLifecycle { SessionLifecycle(random: Dice()) }

    @Test func waitsGrowToSevenSeconds() {
        let policy = ReconnectPolicy()
        #expect(
            (0...10).map { policy.ceiling(afterFailures: $0) } == [0, 0.3, 0.6, 1.2, 2.4, 4.8, 7, 7, 7, 7, 7])
        #expect(policy.ceiling(afterFailures: .max) == 7)
        var dice = Dice()
        let draws = (0..<2000).map { _ in policy.delay(afterFailures: 3, using: &dice) }
        #expect(draws.allSatisfy { (0...1.2).contains($0) })
        let mean = draws.reduce(0, +) / 2000
        #expect(abs(mean - 0.6) < 0.05, "uniform over the whole span")
    }

    @Test(
        arguments: [
            (SessionLifecycle.Loss.signal, ReconnectMode.quick, Livekit_ReconnectReason.rrSignalDisconnected),
            (.pingTimeout, .quick, .rrSignalDisconnected), (.publisher, .quick, .rrPublisherFailed),
            (.subscriber, .quick, .rrSubscriberFailed), (.session, .full, .rrUnknown),
        ])
    func everyLossHasItsModeAndReason(
        loss: SessionLifecycle.Loss, mode: ReconnectMode, reason: Livekit_ReconnectReason
    ) {
        var lifecycle = Self.lifecycle()
        let begun = lifecycle.lost(loss)
        #expect(begun == .begin(.init(mode: mode, number: 1, reason: reason, delay: 0)))
        #expect(!lifecycle.isConnected)
        let again = lifecycle.lost(.signal)
        #expect(again == .none, "a repair is under way already")
        let ended = lifecycle.attemptEnded(.succeeded)
        #expect(ended == .connected(mode))
        #expect(lifecycle.isConnected)
    }

    @Test func aServerThatForbidsResumingIsJoinedAfresh() {
        var lifecycle = Self.lifecycle()
        lifecycle.mayResume = false
        let next = lifecycle.lost(.signal)
        #expect(next == .begin(.init(mode: .full, number: 1, reason: .rrSignalDisconnected, delay: 0)))
    }

    /// The whole of a loss that nothing repairs, in virtual time.
    @Test func tenAttemptsThenTheCallIsLost() throws {
        var lifecycle = Self.lifecycle()
        guard case .begin(var attempt) = lifecycle.lost(.signal) else { throw Unexpected() }
        var time = 0.0
        var numbers: [Int] = []
        while true {
            time += attempt.delay
            numbers.append(attempt.number)
            #expect(attempt.delay <= ReconnectPolicy().ceiling(afterFailures: attempt.number - 1))
            #expect(attempt.mode == .quick, "an unreachable server may still have the session")
            switch lifecycle.attemptEnded(.unreachable("no route")) {
            case .retry(let next):
                attempt = next
                continue
            case .end(let reason, let detail):
                #expect(reason == .systemShutdown)
                #expect(detail.contains("10 attempts"))
                #expect(detail.contains("no route"))
            default: throw Unexpected()
            }
            break
        }
        #expect(numbers == Array(1...10))
        #expect(time > 3 && time < 37.3, "the sum of all ceilings")
        #expect(lifecycle.hasEnded)
        let late = (lifecycle.lost(.signal), lifecycle.attemptEnded(.succeeded))
        #expect(late.0 == .none)
        #expect(late.1 == .none)
    }

    @Test func anUnknownSessionIsJoinedAfreshAndStaysSo() throws {
        var lifecycle = Self.lifecycle()
        _ = lifecycle.lost(.signal)
        guard case .retry(let second) = lifecycle.attemptEnded(.notResumable("mismatch")) else { throw Unexpected() }
        #expect(second.mode == .full)
        guard case .retry(let third) = lifecycle.attemptEnded(.unreachable("down")) else { throw Unexpected() }
        #expect(third.mode == .full)
        #expect(third.number == 2, "the first join counts as the first try")
        let ended = lifecycle.attemptEnded(.succeeded)
        #expect(ended == .connected(.full))
        let next = lifecycle.lost(.signal)
        #expect(next == .begin(.init(mode: .quick, number: 1, reason: .rrSignalDisconnected, delay: 0)))
    }

    @Test func theServersWishForANewSessionChangesTheNextAttempt() throws {
        var lifecycle = Self.lifecycle()
        _ = lifecycle.lost(.signal)
        let action = lifecycle.lost(.session)
        #expect(action == .none)
        guard case .retry(let next) = lifecycle.attemptEnded(.unreachable("closed")) else { throw Unexpected() }
        #expect(next == .init(mode: .full, number: 1, reason: .rrSignalDisconnected, delay: 0))
    }

    /// A server was away for many tries and has forgotten the session: it is there, so it is joined at once.
    @Test(arguments: 1...9) func earlierTriesDontDelayTheJoinThatTheServerDemands(failures: Int) throws {
        var lifecycle = Self.lifecycle()
        _ = lifecycle.lost(.signal)
        for _ in 0..<failures { _ = lifecycle.attemptEnded(.unreachable("refused")) }
        #expect(lifecycle.attempt?.number == failures + 1)
        guard case .retry(let join) = lifecycle.attemptEnded(.notResumable("mismatch")) else { throw Unexpected() }
        #expect(join == .init(mode: .full, number: 1, reason: .rrSignalDisconnected, delay: 0))
    }

    /// A server that demands a new session again and again is not stormed.
    @Test func demandsAfterAJoinAreWaitedForAsAfterAnyFailure() throws {
        var lifecycle = Self.lifecycle()
        _ = lifecycle.lost(.session)
        var delays: [Double] = []
        while case .retry(let next) = lifecycle.attemptEnded(.notResumable("again")) {
            #expect(next.mode == .full)
            delays.append(next.delay)
        }
        #expect(delays.count == 9)
        #expect(delays.reduce(0, +) > 3)
        #expect(lifecycle.hasEnded)
    }

    @Test func aRefusedTokenIsFinal() {
        var lifecycle = Self.lifecycle()
        _ = lifecycle.lost(.signal)
        let action = lifecycle.attemptEnded(.refused(.systemShutdown, "401"))
        #expect(action == .end(.systemShutdown, detail: "401"))
        #expect(lifecycle.hasEnded)
    }

    @Test(
        arguments: [
            (401, "final"), (403, "final"), (404, "afresh"), (400, "afresh"), (500, "again"), (503, "again"),
        ])
    func statusesDecide(status: Int, what: String) throws {
        let target = try SignalTarget(serverURL: "ws://h:1")
        let failure = JoinFailure.refused(target, status: status, body: "words", token: "t")
        let outcome = SessionLifecycle.Outcome(failure)
        switch outcome {
        case .refused(let reason, let detail):
            #expect(what == "final")
            #expect(reason == .systemShutdown)
            #expect(detail.contains("words"))
        case .notResumable: #expect(what == "afresh")
        case .unreachable: #expect(what == "again")
        case .succeeded: throw Unexpected()
        }
    }

    struct Unexpected: Error {}
}
