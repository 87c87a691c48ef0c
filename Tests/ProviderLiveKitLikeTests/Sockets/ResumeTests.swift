import CallBridge
import CallServer
import MediaCore
import NIOPosix
import RTCTransport
import Synchronization
import Testing

@testable import ProviderLiveKitLike

/// Losses on real sockets, against the embedded server.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ResumeTests {
    private static let modes = [LiveKitLikeProvider.Mode.singleConnection, .twoConnections]

    /// The events of a recovery, in order, up to `reconnected`, or to the end; those before it are left out.
    private static func recovery(_ events: inout AsyncStream<CallEvent>.Iterator) async -> [String] {
        var seen: [String] = []
        while let event = await events.next() {
            switch event {
            case .reconnecting(let mode): seen.append("reconnecting \(mode.rawValue)")
            case .reconnected(_, let mode):
                seen.append("reconnected \(mode.rawValue)")
                return seen
            case .ended(let reason, let detail):
                seen.append("ended \(reason.rawValue): \(detail)")
                return seen
            case .participantLeft(let participant, _) where !seen.isEmpty: seen.append("left \(participant.identity)")
            case .trackUnsubscribed(let track, _) where !seen.isEmpty:
                seen.append("unsubscribed \(track.kind.rawValue)")
            default: break
            }
        }
        return seen
    }

    private static func media(
        from identity: String, _ events: inout AsyncStream<CallEvent>.Iterator
    ) async throws -> RemoteTrack {
        let track = await events.first { event -> RemoteTrack? in
            guard case .trackSubscribed(let media, _, let participant) = event, participant.identity == identity else {
                return nil
            }
            return media
        }
        return try #require(track)
    }

    @Test(arguments: modes) func aLostSocketIsResumedAndMediaFlowsOn(mode: LiveKitLikeProvider.Mode) async throws {
        try await CallHouse.with { house in
            let ada = try await house.join("ada", mode: mode)
            let track = try await ada.publish(.testTone(440))[0]
            let bob = try await house.join("bob", mode: mode)
            var heard = bob.events.makeAsyncIterator()
            let media = try await Self.media(from: "ada", &heard)
            let meter = SoundWatch()
            media.attach(meter)
            await meter.seconds(0.5)
            var events = ada.events.makeAsyncIterator()
            _ = await events.next()
            house.proxy.cut()
            #expect(await Self.recovery(&events) == ["reconnecting quick", "reconnected quick"])
            // Said after the resume, heard by the other side: the same session, the same track.
            try await ada.setMuted(true, track)
            let muted = await heard.first { event -> String? in
                switch event {
                case .trackMuted(let track, let participant): "\(participant.identity) \(track.kind.rawValue)"
                case .participantLeft, .trackUnpublished, .trackUnsubscribed: "gone"
                default: nil
                }
            }
            #expect(muted == "ada audio")
            #expect(meter.longestGapMilliseconds < 2_000, "media flows while signalling is away")
            #expect(await ada.statistics().senders.count == 1)
            await ada.leave()
            await bob.leave()
        }
    }

    /// Media ends sooner than the server's word about it comes: whoever is sent away must not come back for that.
    @Test(arguments: modes)
    func aReasonThatIsSlowerThanTheEndOfTheMediaCounts(mode: LiveKitLikeProvider.Mode) async throws {
        try await CallHouse.with { house in
            var timeouts = SessionTimeouts()
            timeouts.reason = 600
            let first = try await house.join("ada", mode: mode, timeouts: timeouts)
            var events = first.events.makeAsyncIterator()
            try await first.publish(.testTone(440))
            // A connection whose handshake isn't through yet is given up without a word.
            while await first.state != .active { await Task.yield() }
            while await first.statistics().senders.first?.packetsSent ?? 0 == 0 { await Task.yield() }
            house.proxy.hold()
            // The server closes the first one's media, and says so.
            let second = try await house.join("ada", mode: mode)
            while await first.statistics().selectedPair != nil { await Task.yield() }
            house.proxy.release()
            let seen = await Self.recovery(&events)
            #expect(seen.count == 1 && seen[0].hasSuffix("somebody joined with the same identity"), "\(seen)")
            #expect(await second.state != .ended)
            await second.leave()
        }
    }

    @Test func whatIsSaidMeanwhileIsSaidAfterwards() async throws {
        try await CallHouse.with { house in
            let ada = try await house.join("ada")
            let track = try await ada.publish(.testTone(440))[0]
            let bob = try await house.join("bob")
            var heard = bob.events.makeAsyncIterator()
            let media = try await Self.media(from: "ada", &heard)
            let meter = SoundWatch()
            media.attach(meter)
            // Only a participant whose media stands has a session that can be resumed.
            await meter.seconds(0.2)
            var events = ada.events.makeAsyncIterator()
            _ = await events.next()
            house.proxy.setRefusing(true)
            house.proxy.cut()
            let mode = await events.first { event -> ReconnectMode? in
                if case .reconnecting(let mode) = event { mode } else { nil }
            }
            #expect(mode == .quick)
            try await ada.setMuted(true, track)
            house.proxy.setRefusing(false)
            #expect(await Self.recovery(&events) == ["reconnected quick"])
            let muted = await heard.first { event -> Bool? in
                if case .trackMuted(let track, _) = event { track.isMuted } else { nil }
            }
            #expect(muted == true)
            await ada.leave()
            await bob.leave()
        }
    }

    @Test(arguments: modes) func aRestartedServerIsJoinedAfresh(mode: LiveKitLikeProvider.Mode) async throws {
        try await CallHouse.with { house in
            let ada = try await house.join("ada", mode: mode)
            let track = try await ada.publish(.testTone(440))[0]
            try await ada.setMuted(true, track)
            let own = await ada.localParticipant
            var events = ada.events.makeAsyncIterator()
            _ = await events.next()
            house.proxy.setRefusing(true)
            house.proxy.cut()
            // The server's last word must not find the way that is being cut.
            let lost = await events.first { event -> ReconnectMode? in
                if case .reconnecting(let mode) = event { mode } else { nil }
            }
            #expect(lost == .quick)
            let port = house.server.port
            await house.server.stop()
            let second = CallServer(configuration: CallHouse.configuration(port: port))
            try await second.start()
            house.proxy.setRefusing(false)
            let seen = await Self.recovery(&events)
            try #require(seen == ["reconnecting full", "reconnected full"])
            #expect(await ada.localParticipant == own, "the same ids towards the application")
            let bob = try await house.join("bob", mode: mode)
            var heard = bob.events.makeAsyncIterator()
            let published = await heard.first { event -> Track? in
                if case .trackPublished(let track, _) = event { track } else { nil }
            }
            #expect(published?.isMuted == true, "the mute state is kept")
            try await ada.setMuted(false, track)
            let media = try await Self.media(from: "ada", &heard)
            let meter = SoundWatch()
            media.attach(meter)
            await meter.seconds(0.5)
            await ada.leave()
            await bob.leave()
            await second.stop()
        }
    }

    /// The relays die under a call whose signalling is well; others lead to the same server.
    @Test func aDeadMediaPathIsReplaced() async throws {
        try await CallHouse.with { house in
            var timeouts = SessionTimeouts()
            timeouts.impairment = 0.1
            let ada = try await house.join("ada", isRelayed: true, timeouts: timeouts)
            _ = try await ada.publish(.testTone(440))
            let bob = try await house.join("bob")
            var heard = bob.events.makeAsyncIterator()
            let media = try await Self.media(from: "ada", &heard)
            let meter = SoundWatch()
            media.attach(meter)
            await meter.seconds(0.5)
            let before = meter.duration
            var events = ada.events.makeAsyncIterator()
            _ = await events.next()
            try await house.moveRelays()
            #expect(await Self.recovery(&events).last == "reconnected quick")
            await meter.seconds(before + 1)
            #expect(abs(meter.hertz - 440) < 5, "the same track goes on")
            #expect(await bob.participants.map(\.identity) == ["bob", "ada"])
            await ada.leave()
            await bob.leave()
        }
    }
}
