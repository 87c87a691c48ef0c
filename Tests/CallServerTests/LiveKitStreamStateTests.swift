import LiveKitProtocol
import Testing

@testable import CallServer

extension Livekit_SignalResponse {
    fileprivate var streams: [Livekit_StreamStateInfo]? {
        if case .streamStateUpdate(let update) = message { update.streamStates } else { nil }
    }
}

/// A picture that a subscriber's path can't carry is held back, where the subscriber allows it.
@Suite(.timeLimit(.minutes(10))) struct LiveKitStreamStateTests {
    /// The number in a picture of `MediaTestClient.film`.
    private func number(_ packet: MediaTestClient.Received) -> Int {
        packet.payload.dropFirst(6).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The largest hole in the numbers up to that one; reads on until it has come.
    private func largestGap(
        _ packets: inout AsyncStream<MediaTestClient.Received>.Iterator, upTo last: Int
    ) async -> Int {
        var (previous, largest) = (-1, 0)
        while let packet = await packets.next() {
            let number = number(packet)
            if previous >= 0 { largest = max(largest, number - previous) }
            previous = number
            if number >= last { break }
        }
        return largest
    }

    private func limit(_ caller: Caller, _ bitsPerSecond: Int64) {
        caller.signal.send(.with { $0.simulate.subscriberBandwidth = bitsPerSecond })
    }

    @Test func lowBandwidthPausesAndIsTold() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 401)
            let sid = try await alice.publish(.video, .camera, cid: "cam", ssrc: 9800)
            let bob = try await Caller.join(
                server, "bob", seed: 402, request: { $0.connectionSettings.subscriberAllowPause = true })
            let carol = try await Caller.join(server, "carol", seed: 403)
            // 400 kbit/s.
            let film = alice.media.film(ssrc: 9800)
            defer { film.cancel() }
            var (seen, control) = (
                bob.media.packets.makeAsyncIterator(), carol.media.packets.makeAsyncIterator()
            )
            _ = await seen.next()
            _ = await control.next()
            for caller in [bob, carol] { limit(caller, 20_000) }
            let paused = try await bob.signal.next(\.streams)
            #expect(paused.map(\.trackSid) == [sid] && paused.map(\.state) == [.paused])
            #expect(paused.map(\.participantSid) == [alice.join.participant.sid])
            // A second in which carol, who does not allow it, goes on receiving.
            var last = 0
            for _ in 0..<50 { last = await control.next().map(number) ?? 0 }
            for caller in [bob, carol] { limit(caller, 0) }
            let active = try await bob.signal.next(\.streams)
            #expect(active.map(\.trackSid) == [sid] && active.map(\.state) == [.active])
            #expect(await largestGap(&seen, upTo: last + 50) >= 25, "nothing came to bob meanwhile")
            #expect(await largestGap(&control, upTo: last + 50) <= 3, "all came to carol")
            carol.signal.send(.with { $0.pingReq.timestamp = 7 })
            while true {
                let message = try await carol.signal.next()
                #expect(message.streams == nil, "carol was told of no pause")
                if message.pongResp.lastPingTimestamp == 7 { break }
            }
            for caller in [alice, bob, carol] { try await caller.media.close() }
        }
    }
}
