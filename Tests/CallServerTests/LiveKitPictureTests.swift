import LiveKitProtocol
import NIOCore
import NIOPosix
import RTCCore
import RTCTransport
import RTCWire
import Testing

@testable import CallServer

/// Which pictures of a film reach its subscribers.
@Suite(.timeLimit(.minutes(10))) struct LiveKitPictureTests {
    /// The number in a picture of `MediaTestClient.film`.
    private func number(_ packet: MediaTestClient.Received) -> Int {
        packet.payload.dropFirst(6).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads on until twenty pictures in a row are that far apart.
    private func untilEvery(
        _ step: Int, _ packets: inout AsyncStream<MediaTestClient.Received>.Iterator
    ) async {
        var (last, run) = (0, 0)
        while run < 20, let packet = await packets.next() {
            let number = number(packet)
            run = number - last == step ? run + 1 : 0
            last = number
        }
    }

    /// A path for less than the whole film, and a wish for fewer pictures, are met by temporal layers: no key frame is asked
    /// for, and what the limits leave comes without a hole.
    @Test func bandwidthAndWishesChooseTemporalLayers() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 421)
            let sid = try await alice.publish(.video, .camera, cid: "cam", ssrc: 9820)
            // 50 pictures a second, 400 kbit/s, half of them in the upper layer.
            let film = alice.media.film(ssrc: 9820, layered: true)
            defer { film.cancel() }
            // The server asks for a key frame a second after a track has begun, whether or not anybody is there.
            while try await alice.media.keyFrameRequests(ssrc: 9820) == 0 {}
            let bob = try await Caller.join(server, "bob", seed: 422)
            let carol = try await Caller.join(server, "carol", seed: 423)
            var seen = bob.media.packets.makeAsyncIterator()
            var wished = carol.media.packets.makeAsyncIterator()
            await untilEvery(1, &seen)
            await untilEvery(1, &wished)
            let requests = try await alice.media.keyFrameRequests(ssrc: 9820)
            bob.signal.send(.with { $0.simulate.subscriberBandwidth = 270_000 })
            carol.signal.send(
                .with {
                    $0.trackSetting.trackSids = [sid]
                    $0.trackSetting.quality = .high
                    $0.trackSetting.fps = 10
                })
            await untilEvery(2, &seen)
            await untilEvery(4, &wished)
            bob.signal.send(.with { $0.simulate.subscriberBandwidth = 140_000 })
            await untilEvery(4, &seen)
            bob.signal.send(.with { $0.simulate.subscriberBandwidth = 0 })
            carol.signal.send(
                .with {
                    $0.trackSetting.trackSids = [sid]
                    $0.trackSetting.quality = .high
                })
            await untilEvery(1, &seen)
            await untilEvery(1, &wished)
            #expect(try await alice.media.keyFrameRequests(ssrc: 9820) == requests)
            for caller in [alice, bob, carol] { try await caller.media.close() }
        }
    }

    /// A client that knows no RTX has its losses repaired all the same.
    @Test func videoWithoutRTXIsRepaired() async throws {
        var vp8 = CodecCapability.vp8
        vp8.hasRTX = false
        try await withCallServer { server in
            let path = ImpairedPath()
            let alice = try await Caller.join(server, "alice", seed: 424)
            _ = try await alice.publish(.video, .camera, cid: "cam", ssrc: 9830)
            let bob = try await Caller.join(
                server, "bob", seed: 425, codecs: [MediaTestClient.browserCodecs[0], vp8],
                path: { try await path.through($0) })
            let film = alice.media.film(ssrc: 9830)
            defer { film.cancel() }
            var packets = bob.media.packets.makeAsyncIterator()
            let first = try #require(await packets.next())
            try await path.lose(0.15)
            let begin = number(first)
            var numbers: Set<Int> = []
            var sequences: Set<UInt16> = []
            while let packet = await packets.next(), number(packet) < begin + 450 {
                numbers.insert(number(packet))
                #expect(sequences.insert(packet.sequence).inserted && packet.ssrc == first.ssrc)
            }
            // 15 % would be 60 of 400; the last ones may still be on their way.
            let missing = (begin + 1..<begin + 400).count { !numbers.contains($0) }
            print("without RTX, 15 % lost each way: \(missing) of 400 pictures missing")
            #expect(missing <= 12)
            for caller in [alice, bob] { try await caller.media.close() }
            try await path.close()
        }
    }
}
