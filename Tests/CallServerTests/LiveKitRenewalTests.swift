import LiveKitProtocol
import Testing

@testable import CallServer

/// Receivers that libwebrtc makes anew when its offer changes what it says of codecs.
@Suite(.timeLimit(.minutes(10))) struct LiveKitRenewalTests {
    /// The source of the only video in a description, and that of its repetitions.
    private func sources(_ sdp: String) -> [UInt32] {
        let group = sdp.split(separator: "\r\n").first { $0.hasPrefix("a=ssrc-group:FID ") } ?? ""
        return group.split(separator: " ").dropFirst().compactMap { UInt32($0) }
    }

    @Test func aReceiverMadeAnewGetsAnotherSource() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 95)
            let bob = try await Caller.join(server, "bob", seed: 96)
            _ = try await alice.publish(.video, .camera, cid: "cam", ssrc: 2000)
            let first = sources(try await bob.followRequirement().sdp)
            try #require(first.count == 2)
            let film = alice.media.film(ssrc: 2000)
            defer { film.cancel() }
            var packets = bob.media.packets.makeAsyncIterator()
            #expect(await packets.next()?.ssrc == first[0])
            #expect(sources(try await bob.renegotiate().sdp) == first, "an offer that changes nothing renews nothing")

            try await bob.media.sayOfVideo("x-google-start-bitrate=720")
            let second = sources(try await bob.renegotiate().sdp)
            #expect(second.count == 2 && Set(second).isDisjoint(with: first))
            var others = 0
            while let packet = await packets.next(), packet.ssrc != second[0] {
                others += 1
                try #require(packet.ssrc == first[0] && others < 500, "the pictures go on under the new source")
            }
            for _ in 0..<10 { #expect(await packets.next()?.ssrc == second[0], "and under no other") }
            for caller in [alice, bob] { try await caller.media.close() }
        }
    }
}
