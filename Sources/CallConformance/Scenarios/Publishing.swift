import CallBridge
import MediaCore

extension ConformanceSuite {
    /// Publishing and taking back.
    static let publishing: [ConformanceScenario] = [
        ConformanceScenario("audio", "A published tone is heard at its frequency.") { stage in
            let people = try await stage.gather(["ada", "bob"])
            let track = try await people[0].call.publish(.testTone(440))[0]
            try stage.expect(track.kind == .audio && track.source == .microphone, "the track is \(track)")
            try await stage.until("bob hears 440 Hz") { people[1].hears("ada", 440) }
            let sent = await people[0].call.statistics().senders
            try stage.expect(sent.count == 1 && (sent.first?.packetsSent ?? 0) > 20, "ada has sent \(sent)")
            let received = await people[1].call.statistics().receivers.filter { $0.packetsReceived > 0 }
            try stage.expect(received.count == 1, "bob counts \(received.count) tracks that give something")
        },
        ConformanceScenario("video", "A published test card is seen, picture by picture.", capabilities: .video) {
            stage in
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testCard(.small, sender: 9))
            try await stage.until("bob sees 20 pictures") { people[1].pictures(of: "ada") >= 20 }
            guard let card = people[1].card(of: "ada") else { throw ConformanceFailure("bob has seen nothing") }
            try stage.expect(card.outOfOrder == 0 && card.duplicates == 0, "pictures came out of order: \(card)")
        },
        ConformanceScenario("both-ways", "Two hear and see each other at the same time.", capabilities: .video) {
            stage in
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testTone(440), .testCard(.small, sender: 1))
            try await people[1].call.publish(.testTone(660), .testCard(.small, sender: 2))
            try await stage.until("each hears and sees the other") {
                people[0].hears("bob", 660) && people[1].hears("ada", 440) && people[0].pictures(of: "bob") >= 5
                    && people[1].pictures(of: "ada") >= 5
            }
        },
        ConformanceScenario("unpublish", "What is taken back is gone for the others, and can be published again.") {
            stage in
            let people = try await stage.gather(["ada", "bob"])
            let first = try await people[0].call.publish(.testTone(440))[0]
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
            try await people[0].call.unpublish(first)
            try await stage.until("bob knows that the track is gone") {
                people[1].tracks(of: "ada").isEmpty && !people[1].isSubscribed(to: "ada", .audio)
            }
            let local = await people[0].call.localParticipant.tracks
            try stage.expect(local.isEmpty, "ada still publishes \(local)")
            let second = try await people[0].call.publish(.testTone(660))[0]
            try stage.expect(second.id != first.id, "the new track has the old one's id")
            try await stage.until("bob hears ada's other tone") { people[1].hears("ada", 660) }
        },
        ConformanceScenario("description", "Name and source of a track arrive with it.", capabilities: .video) {
            stage in
            let people = try await stage.gather(["ada", "bob"])
            let media = LocalTrack(
                .video(
                    try TestCardSource(sender: 3, width: 320, height: 180, frameRate: 10),
                    VideoEncoding(bitrate: 300_000)), name: "slides")
            try await people[0].call.publish(track: media, source: .screenShare)
            try await stage.until("bob knows of the slides") { !people[1].tracks(of: "ada").isEmpty }
            let track = people[1].tracks(of: "ada").first
            try stage.expect(
                track?.name == "slides" && track?.source == .screenShare && track?.kind == .video,
                "bob was told of \(String(describing: track))")
        },
        ConformanceScenario(
            "listen-only", "Who publishes nothing hears all the same, and is there for the others.",
            capabilities: .listenOnly
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testTone(440))
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
            try stage.expect(people[0].tracks(of: "bob").isEmpty, "bob is said to publish something")
            let senders = await people[1].call.statistics().senders.filter { $0.packetsSent > 0 }
            try stage.expect(senders.isEmpty, "bob sends \(senders.count) tracks")
        },
        ConformanceScenario(
            "upgrade", "Pictures are added to a call of sound, which goes on meanwhile.", capabilities: .video
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testTone(440))
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
            let heard = people[1].tracks(of: "ada").map(\.id)
            try await stage.expect(.permissionDenied, "an upgrade without the camera") {
                try await people[0].call.upgradeToVideo(
                    .testCard(.small, sender: 4), permissions: FixedMediaPermissions(camera: .denied))
            }
            try await people[0].call.upgradeToVideo(.testCard(.small, sender: 4))
            people[1].listenAnew()
            try await stage.until("bob sees ada") { people[1].pictures(of: "ada") >= 5 }
            try await stage.until("bob still hears ada") { people[1].hears("ada", 440) }
            try stage.expect(
                people[1].tracks(of: "ada").filter { $0.kind == .audio }.map(\.id) == heard,
                "the sound is another track than before")
        },
    ]
}
