import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// When packets came, and in which order they left, on real sockets.
@Suite(.timeLimit(.minutes(10))) struct ArrivalTimeTests {
    /// Datagrams that wait for a busy loop are read at once, and came when they came.
    @Test(arguments: ["127.0.0.1", "0.0.0.0"]) func datagramsOfOneReadingHaveTheirOwnTimes(host: String) async throws {
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(
            on: loop, serverHost: host, addresses: ["127.0.0.1"])
        let gap = Interval.milliseconds(3)
        let sent = try await loop.submit {
            // Nothing is read while this runs.
            (0..<40).map { number -> (begin: Instant, end: Instant) in
                let begin = MonotonicClock.now()
                pair.client.perform { MuxPair.send(number, ssrc: MuxPair.audio, &$0, $1, $2) }
                let end = MonotonicClock.now()
                while MonotonicClock.now() - begin < gap {}
                return (begin, end)
            }
        }.get()
        try await loop.flatSubmit { pair.record.until(40) }.get()
        try await loop.submit {
            #expect(pair.record.payloads == (0..<40).map { UInt8($0) })
            for (number, arrival) in pair.record.arrivals.enumerated() {
                // On loopback the kernel receives while it sends.
                #expect(arrival >= sent[number].begin - .milliseconds(1), "\(number)")
                #expect(arrival <= sent[number].end + .milliseconds(1), "\(number)")
            }
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }

    @Test func audioLeavesBeforeAKeyFrameOfItsBatch() async throws {
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(on: loop)
        try await loop.submit {
            pair.client.perform { peer, outbox, now in
                for number in 0..<100 {
                    MuxPair.send(number, size: 1100, ssrc: MuxPair.video, &peer, outbox, now)
                }
                MuxPair.send(0, size: 80, ssrc: MuxPair.audio, &peer, outbox, now)
            }
        }.get()
        try await loop.flatSubmit { pair.record.until(101) }.get()
        try await loop.submit {
            #expect(pair.record.sources.first == MuxPair.audio)
            #expect(pair.record.sources.dropFirst().allSatisfy { $0 == MuxPair.video })
            #expect(pair.record.payloads.dropFirst() == ArraySlice((0..<100).map { UInt8($0) }))
            // Runs are segmented as without audio.
            let counts = pair.muxes[1].statistics
            #expect(counts.datagramsSent - counts.sends > 90)
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }
}
