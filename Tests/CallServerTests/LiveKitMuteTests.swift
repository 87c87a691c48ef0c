import LiveKitProtocol
import Testing

@testable import CallServer

/// A muted track is heard by nobody, whatever its client sends.
@Suite(.timeLimit(.minutes(10))) struct LiveKitMuteTests {
    /// A publisher who is heard by one other, and what she does in spite of all.
    private struct Pair {
        let alice: Caller
        let bob: Caller
        let track: String
        var packets: AsyncStream<MediaTestClient.Received>.Iterator
        var sent = 0

        init(_ server: CallServer) async throws {
            alice = try await Caller.join(server, "alice", seed: 41)
            bob = try await Caller.join(server, "bob", seed: 42)
            track = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1_000)
            _ = try await bob.followRequirement()
            packets = bob.media.packets.makeAsyncIterator()
        }

        /// Sends, and waits until the server has it.
        mutating func say(_ sound: UInt8, times: Int = 1, _ server: CallServer) async throws {
            for _ in 0..<times {
                sent += 1
                try await alice.media.send(ssrc: 1_000, timestamp: UInt32(sent) * 960, level: 20, [0x78, sound])
            }
            while await server.statistics().packetsReceived < sent {}
        }

        /// The next packet that the server has not made, and how many it made before.
        mutating func nextSound() async throws -> (packet: MediaTestClient.Received, silences: Int) {
            var silences = 0
            while let packet = await packets.next() {
                guard packet.payload.starts(with: [0xf8, 0xff, 0xfe]) else { return (packet, silences) }
                silences += 1
            }
            throw HTTPTestClient.Failure.closed
        }

        func untilMuted(_ muted: Bool) async throws {
            _ = try await bob.signal.participant("alice") { $0.tracks.first?.muted == muted }
        }

        func close() async throws {
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    @Test func whatTheRoomAPIMutesIsNotForwarded() async throws {
        try await withCallServer({ $0.rooms.allowsRemoteUnmute = true }) { server in
            var pair = try await Pair(server)
            try await pair.say(1, server)
            let first = try #require(await pair.packets.next())
            #expect(first.payload == [0x78, 1])
            let api = RoomAPI.admin(server)
            func mute(_ muted: Bool) async throws -> Int {
                try await api.call(
                    "MutePublishedTrack",
                    #"{"room":"r","identity":"alice","track_sid":"\#(pair.track)","muted":\#(muted)}"#
                ).status
            }
            #expect(try await mute(true) == 200)
            try await pair.say(2, times: 20, server)
            #expect(await server.statistics().packetsForwarded == 1, "her client pays no heed, the server does")
            #expect(try await mute(false) == 200)
            try await pair.say(3, server)
            let (second, silences) = try await pair.nextSound()
            #expect(silences >= 2, "silence lets her listeners' playout come to rest")
            #expect(second.payload == [0x78, 3] && second.sequence == first.sequence &+ 1 &+ UInt16(silences))
            try await pair.close()
        }
    }

    @Test func whatTheClientMutesIsNotForwarded() async throws {
        try await withCallServer { server in
            var pair = try await Pair(server)
            try await pair.say(1, server)
            #expect(await pair.packets.next()?.payload == [0x78, 1])
            func mute(_ muted: Bool) async throws {
                pair.alice.signal.send(
                    .with {
                        $0.mute.sid = pair.track
                        $0.mute.muted = muted
                    })
                try await pair.untilMuted(muted)
            }
            try await mute(true)
            try await pair.say(2, times: 20, server)
            #expect(await server.statistics().packetsForwarded == 1)
            try await mute(false)
            try await pair.say(3, server)
            #expect(try await pair.nextSound().packet.payload == [0x78, 3])
            try await pair.close()
        }
    }
}
