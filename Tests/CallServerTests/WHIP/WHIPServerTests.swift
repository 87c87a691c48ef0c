import LiveKitProtocol
import RTCCore
import RTCWire
import Testing
import WHIPSignalling

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct WHIPServerTests {
    private func publisher(
        _ server: CallServer, _ identity: String, seed: UInt64, ssrc: UInt32
    ) async throws -> WHIPTestClient {
        var client = try await WHIPTestClient.make(server, token: TestTokens.join(identity), seed: seed)
        try await client.media.addSender(.audio, cid: "mic", ssrc: ssrc)
        try await client.begin("/whip/r")
        return client
    }

    @Test func aPublisherIsSeenAndHeardByLiveKitsClients() async throws {
        try await withCallServer { server in
            let bob = try await Caller.join(server, "bob", seed: 1)
            let alice = try await publisher(server, "alice", seed: 2, ssrc: 1000)
            let seen = try await bob.signal.participant("alice") { !$0.tracks.isEmpty }
            #expect(seen.tracks.map(\.mimeType) == ["audio/opus"])
            #expect(seen.tracks[0].source == .microphone)
            #expect(!seen.permission.canSubscribe)
            _ = try await bob.followRequirement()
            let speaking = alice.media.speak(ssrc: 1000)
            var packets = bob.media.packets.makeAsyncIterator()
            #expect(await packets.next()?.payload == [0x78, 1, 2, 3])
            speaking.cancel()
            #expect(try await alice.leave() == 200)
            _ = try await bob.signal.participant("alice") { $0.state == .disconnected }
            try await bob.media.close()
        }
    }

    /// Under one source, numbers go on from one publisher to the next.
    @Test func aViewersLineGoesOnWithAnotherPublisher() async throws {
        try await withCallServer { server in
            var viewer = try await WHIPTestClient.make(server, token: TestTokens.join("carl"), seed: 3)
            try await viewer.begin("/whep/r", watches: true)
            let sources = try SDPSession(parsing: viewer.answer).media.compactMap { $0.ssrcs.first?.ssrc }
            #expect(sources.count == 2)
            var packets = viewer.media.packets.makeAsyncIterator()
            var last: (sequence: UInt16, timestamp: UInt32)?
            for number in 0..<3 {
                let alice = try await publisher(server, "p\(number)", seed: 10 + UInt64(number), ssrc: 1000)
                let sound: [UInt8] = [0x78, UInt8(number), 9]
                let speaking = alice.media.speak(ssrc: 1000, sound)
                while let packet = await packets.next() {
                    #expect(packet.ssrc == sources[0])
                    if let last {
                        #expect(packet.sequence == last.sequence &+ 1)
                        #expect(packet.timestamp.distance(after: last.timestamp) > 0)
                    }
                    last = (packet.sequence, packet.timestamp)
                    if packet.payload == sound { break }
                }
                speaking.cancel()
                #expect(try await alice.leave() == 200)
            }
            #expect(last != nil)
            #expect(try await viewer.leave() == 200)
        }
    }

    @Test func viewersAreAnAudienceThatNobodyIsToldOf() async throws {
        try await withCallServer { server in
            let bob = try await Caller.join(server, "bob", seed: 1)
            var viewer = try await WHIPTestClient.make(server, token: TestTokens.join("bob"), seed: 4)
            // By the same token, without taking the participant's place.
            try await viewer.begin("/whep/r", watches: true)
            let alice = try await publisher(server, "alice", seed: 5, ssrc: 1000)
            let update = try await bob.signal.next { response -> [String]? in
                guard case .update(let update) = response.message else { return nil }
                let names = update.participants.map(\.identity)
                return names.contains("alice") || names.contains { $0.contains("whep") } ? names : nil
            }
            #expect(update == ["alice"])
            #expect(await server.statistics().participants == 3)
            #expect(try await viewer.leave() == 200)
            #expect(try await alice.leave() == 200)
            try await bob.media.close()
        }
    }

    @Test func restartsICEByAFragment() async throws {
        try await withCallServer { server in
            let alice = try await publisher(server, "alice", seed: 2, ssrc: 1000)
            try await alice.media.restartICE()
            let ufrag = try await alice.media.ufrag()
            let offer = try SDPSession(parsing: try await alice.media.offer())
            let pwd = try #require(offer.media.first?.icePwd)
            let response = try await alice.patch("a=ice-ufrag:\(ufrag)\r\na=ice-pwd:\(pwd)\r\n", tag: "*")
            #expect(response.status == 200)
            #expect(response.fields["etag"] != alice.tag)
            let fragment = try TrickleFragment(parsing: response.body.utf8)
            let credentials = try #require(fragment.credentials)
            var answer = try SDPSession(parsing: alice.answer)
            #expect(answer.media.first?.iceUfrag != credentials.ufrag)
            for index in answer.media.indices {
                answer.media[index].set("ice-ufrag", credentials.ufrag)
                answer.media[index].set("ice-pwd", credentials.pwd)
            }
            let before = try await alice.media.iceSelections()
            try await alice.media.take(answer: answer.description)
            for candidate in fragment.media.flatMap(\.candidates) {
                try await alice.media.add(candidate: candidate.encoded)
            }
            while try await alice.media.iceSelections() == before { await Task.yield() }
            #expect(try await alice.patch("a=end-of-candidates\r\n", tag: alice.tag).status == 412)
            #expect(try await alice.leave() == 200)
        }
    }

    @Test func theEndOfTheMediaIsTheEndOfTheSession() async throws {
        try await withCallServer { server in
            let bob = try await Caller.join(server, "bob", seed: 1)
            let alice = try await publisher(server, "alice", seed: 2, ssrc: 1000)
            _ = try await bob.signal.participant("alice") { $0.state == .active }
            // The same identity takes the place of the earlier self.
            let again = try await publisher(server, "alice", seed: 6, ssrc: 1001)
            _ = try await bob.signal.participant("alice") { $0.state == .disconnected }
            #expect(try await alice.leave() == 404)
            #expect(try await again.leave() == 200)
            try await bob.media.close()
        }
    }

    @Test func sessionsBelongToWhoBeganThem() async throws {
        try await withCallServer { server in
            let alice = try await publisher(server, "alice", seed: 2, ssrc: 1000)
            let eve = try await alice.request("DELETE", alice.location, bearer: TestTokens.join("eve"))
            #expect(eve.status == 403)
            let other = try await alice.request(
                "DELETE", alice.location, bearer: TestTokens.join("alice", room: "other"))
            #expect(other.status == 401)
            // Another token of the same participant.
            let renewed = try await alice.request("DELETE", alice.location, bearer: TestTokens.join("alice"))
            #expect(renewed.status == 200)
            try await alice.media.close()
        }
    }

    @Test func bounds() async throws {
        try await withCallServer {
            $0.watching.viewersPerParticipant = 1
        } _: { server in
            var viewer = try await WHIPTestClient.make(server, token: TestTokens.join("carl"), seed: 3)
            try await viewer.begin("/whep/r", watches: true)
            var second = try await WHIPTestClient.make(server, token: TestTokens.join("carl"), seed: 4)
            await #expect(throws: LiveKitTestClient.Refused.self) { try await second.begin("/whep/r", watches: true) }
            try await second.media.close()
            #expect(try await viewer.leave() == 200)
            var third = try await WHIPTestClient.make(server, token: TestTokens.join("carl"), seed: 5)
            try await third.begin("/whep/r", watches: true)
            #expect(try await third.leave() == 200)
        }
    }

    @Test func aServerWithoutIt() async throws {
        try await withCallServer {
            $0.watching.whip = false
        } _: { server in
            let client = try await WHIPTestClient.make(server, token: TestTokens.join("carl"), seed: 3)
            #expect(try await client.request("POST", "/whip/r").status == 404)
            try await client.media.close()
        }
    }
}
