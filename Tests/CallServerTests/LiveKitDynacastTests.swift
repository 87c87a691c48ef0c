import LiveKitProtocol
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var demand: Livekit_SubscribedQualityUpdate? {
        if case .subscribedQualityUpdate(let update) = message { update } else { nil }
    }
}

@Suite(.timeLimit(.minutes(10))) struct LiveKitDynacastTests {
    /// The qualities that a publisher is asked for, in both forms of the message.
    private func next(_ caller: Caller, of sid: String) async throws -> [Bool] {
        let update = try await caller.signal.next(\.demand)
        #expect(update.trackSid == sid && update.subscribedCodecs.map(\.codec) == ["vp8"])
        #expect(update.subscribedQualities.map(\.quality) == [.low, .medium, .high])
        #expect(update.subscribedCodecs.first?.qualities == update.subscribedQualities)
        return update.subscribedQualities.map(\.enabled)
    }

    private func set(_ caller: Caller, _ sid: String, _ change: (inout Livekit_UpdateTrackSettings) -> Void) {
        var settings = Livekit_UpdateTrackSettings()
        settings.trackSids = [sid]
        change(&settings)
        caller.signal.send(.with { $0.trackSetting = settings })
    }

    @Test func publishersAreToldWhatIsWanted() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 11)
            let sid = try await alice.publish(.video, .camera, cid: "cam", ssrc: 2000)
            let bob = try await Caller.join(server, "bob", seed: 12)
            #expect(try await next(alice, of: sid) == [true, true, true])
            let clock = ContinuousClock()
            var start = clock.now
            set(bob, sid) { $0.quality = .low }
            #expect(try await next(alice, of: sid) == [true, false, false])
            #expect(clock.now - start >= .milliseconds(4900))
            start = clock.now
            // Less, and before that is told more: only the latter is.
            set(bob, sid) { $0.disabled = true }
            set(bob, sid) { $0.quality = .medium }
            #expect(try await next(alice, of: sid) == [true, true, false])
            set(bob, sid) { $0.disabled = true }
            #expect(try await next(alice, of: sid) == [false, false, false])
            // Somebody else wants all of it, and leaves again.
            let carol = try await Caller.join(server, "carol", seed: 13)
            #expect(try await next(alice, of: sid) == [true, true, true])
            carol.signal.send(.with { $0.leave.reason = .clientInitiated })
            #expect(try await next(alice, of: sid) == [false, false, false])
            for caller in [alice, bob, carol] { try await caller.media.close() }
        }
    }
}
