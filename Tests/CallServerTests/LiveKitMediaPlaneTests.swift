import LiveKitProtocol
import RTCCore
import RTCWire
import Testing

@testable import CallServer

/// What the server says on the wire of the media, by itself and as a livekit-server.
@Suite(.timeLimit(.minutes(10))) struct LiveKitMediaPlaneTests {
    private struct Room {
        let alice: Caller
        let bob: Caller

        /// Alice sends sound and pictures, Bob is subscribed to both.
        init(_ server: CallServer, seed: UInt64) async throws {
            alice = try await Caller.join(server, "alice", seed: seed)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1_000)
            _ = try await alice.publish(.video, .camera, cid: "cam", ssrc: 2_000)
            bob = try await Caller.join(server, "bob", seed: seed + 1)
        }

        func close() async throws {
            try await alice.media.close()
            try await bob.media.close()
        }
    }

    /// Reads on until both kinds have come some times; sound is told by its payload.
    private func packets(of media: MediaTestClient, _ count: Int) async -> (
        audio: [MediaTestClient.Received], video: [MediaTestClient.Received]
    ) {
        var audio: [MediaTestClient.Received] = []
        var video: [MediaTestClient.Received] = []
        for await packet in media.packets where !packet.isRetransmission {
            if packet.payload.count < 100 { audio.append(packet) } else { video.append(packet) }
            if audio.count >= count, video.count >= count { break }
        }
        return (audio, video)
    }

    @Test(arguments: [MediaPlane.standard, .livekit])
    func forwardedPacketsCarryWhatThePlaneSays(_ plane: MediaPlane) async throws {
        try await withCallServer({ $0.media.plane = plane }) { server in
            let room = try await Room(server, seed: 201)
            let film = room.alice.media.film(ssrc: 2_000)
            defer { film.cancel() }
            let talk = Task {
                var timestamp: UInt32 = 0
                while !Task.isCancelled {
                    timestamp &+= 960
                    try await room.alice.media.send(ssrc: 1_000, timestamp: timestamp, level: 20, [0x78, 1])
                }
            }
            let (audio, video) = await packets(of: room.bob.media, 20)
            talk.cancel()
            if plane == .livekit {
                #expect(audio.allSatisfy { $0.level == nil && $0.extensionBytes == 0 }, "no extension at all")
                // The send time of three bytes, behind its id.
                #expect(video.allSatisfy { $0.extensionBytes == 4 })
            } else {
                #expect(audio.allSatisfy { $0.level == 20 })
                #expect(video.allSatisfy { $0.extensionBytes > 4 })
            }
            try await room.close()
        }
    }

    /// A subscriber that takes both is sent numbers, which it answers, where the server is to estimate; else send times, and it
    /// estimates itself.
    @Test(arguments: [MediaPlane.standard, .livekit], DownlinkFeedback.allCases)
    func subscribersTellAsTheyAreAsked(_ plane: MediaPlane, _ feedback: DownlinkFeedback) async throws {
        try await withCallServer({ ($0.media.plane, $0.media.downlinkFeedback) = (plane, feedback) }) { server in
            let room = try await Room(server, seed: 207)
            let film = room.alice.media.film(ssrc: 2_000)
            defer { film.cancel() }
            var statistics = try await room.bob.media.peerStatistics()
            var count = 0
            var published = statistics
            for await _ in room.bob.media.packets {
                count += 1
                statistics = try await room.bob.media.peerStatistics()
                published = try await room.alice.media.peerStatistics()
                if count >= 20, statistics.receiverEstimatesSent + statistics.transportFeedbackSent > 1,
                    published.transportFeedbackReceived > 0
                {
                    break
                }
            }
            #expect((statistics.transportFeedbackSent > 0) == (feedback == .transportWide))
            #expect((statistics.receiverEstimatesSent > 0) == (feedback == .remb))
            try await room.close()
        }
    }

    /// Every three seconds, of all that flows; by itself the server says the first one at once.
    @Test(arguments: [MediaPlane.standard, .livekit])
    func senderReportsComeInARhythm(_ plane: MediaPlane) async throws {
        try await withCallServer({ $0.media.plane = plane }) { server in
            let room = try await Room(server, seed: 203)
            let film = room.alice.media.film(ssrc: 2_000)
            let talk = room.alice.media.speak(ssrc: 1_000)
            defer {
                film.cancel()
                talk.cancel()
            }
            var reports: [MediaTestClient.Report] = []
            for await report in room.bob.media.reports {
                reports.append(report)
                if Set(reports.map(\.ssrc)).allSatisfy({ ssrc in reports.count { $0.ssrc == ssrc } >= 3 }),
                    Set(reports.map(\.ssrc)).count == 2
                {
                    break
                }
            }
            for ssrc in Set(reports.map(\.ssrc)) {
                let own = reports.filter { $0.ssrc == ssrc }.suffix(2)
                let gap = try #require(own.last).at - (try #require(own.first)).at
                // How much later is the machine's doing.
                #expect(gap.seconds > 2.5, "\(gap.seconds) s between reports")
            }
            // One datagram: reports of both kinds come at the same moment.
            let last = try #require(reports.last)
            #expect(reports.contains { $0.ssrc != last.ssrc && $0.at == last.at })
            try await room.close()
        }
    }

    /// Copies of recent media: not lost, not recovered, not shown twice.
    @Test func probesAreNoLossAndNoRecovery() async throws {
        try await withCallServer({ $0.media.plane = .livekit }) { server in
            let room = try await Room(server, seed: 205)
            let film = room.alice.media.film(ssrc: 2_000)
            defer { film.cancel() }
            var video: [UInt16] = []
            var ssrc: UInt32 = 0
            var duplicates = 0
            for await packet in room.bob.media.packets where packet.payload.count >= 100 {
                video.append(packet.sequence)
                ssrc = packet.ssrc
                duplicates = try await room.bob.media.received(ssrc: ssrc)?.duplicates ?? 0
                if duplicates >= 8 { break }
            }
            let counted = try #require(try await room.bob.media.received(ssrc: ssrc))
            #expect(duplicates >= 8 && counted.lost == 0 && counted.recovered == 0 && counted.nacksSent == 0)
            #expect(zip(video, video.dropFirst()).allSatisfy { $1 == $0 &+ 1 }, "each picture once")
            #expect(try await room.bob.media.peerStatistics().orphanRetransmissions == 0)
            try await room.close()
        }
    }

    @Test func aLonePublisherIsAskedForAKeyFrame() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 207)
            _ = try await alice.publish(.video, .camera, cid: "cam", ssrc: 2_000)
            let film = alice.media.film(ssrc: 2_000)
            defer { film.cancel() }
            while try await alice.media.keyFrameRequests(ssrc: 2_000) == 0 {}
            #expect(try await alice.media.keyFrameRequests(ssrc: 2_000) == 1)
            try await alice.media.close()
        }
    }

    /// Six black pictures under the old numbers, one by one; only then the line is free.
    @Test func unpublishedVideoEndsBlackBeforeItsLineIsFree() async throws {
        try await withCallServer { server in
            let room = try await Room(server, seed: 209)
            let film = room.alice.media.film(ssrc: 2_000)
            var packets = room.bob.media.packets.makeAsyncIterator()
            let first = try #require(await packets.next())
            film.cancel()
            try await room.alice.media.stopSender(cid: "cam")
            _ = try await room.alice.renegotiate()
            var black: [MediaTestClient.Received] = []
            while black.count < 6, let packet = await packets.next() {
                if packet.payload.count < 100 { black.append(packet) }
            }
            #expect(black.allSatisfy { $0.ssrc == first.ssrc })
            #expect(zip(black, black.dropFirst()).allSatisfy { $1.timestamp &- $0.timestamp == 3_001 })
            let answer = try await room.bob.followRequirement()
            #expect(answer.midToTrackID.count == 1, "the sound's alone")
            try await room.close()
        }
    }
}
