import CallBridge
import CallConformance
import MediaCore
import OpenTokSignalling
import Testing

/// Streams of two channels, and what subscribers want of them, through calls in virtual time.
@Suite(.timeLimit(.minutes(10))) struct VirtualStreamTests {
    private static let format = LocalMedia.VideoFormat(width: 320, height: 180, frameRate: 10)

    private func check(_ scenario: ConformanceScenario, _ mode: MediaMode) async {
        let outcome = await ConformanceSuite.run(scenario, on: VirtualOpenTokSubject(mode: mode))
        #expect(outcome == .passed)
    }

    private static func stream(_ track: Track) -> Substring { track.id.prefix { $0 != "/" } }

    @Test(arguments: MediaMode.allCases) func microphoneAndCameraAreOneStream(_ mode: MediaMode) async {
        let scenario = ConformanceScenario(
            "one-stream", "Both channels of a stream are muted and ended each for itself."
        ) {
            stage in
            let people = try await stage.gather(["ada", "bob"])
            let (ada, bob) = (people[0], people[1])
            let tracks = try await ada.call.publish(.testTone(440), .testCard(Self.format, sender: 1))
            try stage.expect(Set(tracks.map(Self.stream)).count == 1, "the tracks are \(tracks.map(\.id))")
            try await stage.until("bob hears and sees ada") {
                bob.hears("ada", 440) && bob.pictures(of: "ada") >= 5
            }
            try stage.expect(bob.tracks(of: "ada").map(\.source) == [.microphone, .camera], "\(bob.tracks(of: "ada"))")
            let senders = await ada.call.statistics().senders
            try stage.expect(senders.count == 2, "ada sends \(senders.count) tracks")

            try await ada.call.setMuted(true, tracks[0])
            try await stage.until("bob knows of the mute") { bob.tracks(of: "ada")[0].isMuted }
            let seen = bob.pictures(of: "ada")
            try await stage.until("bob still sees ada") { bob.pictures(of: "ada") >= seen + 10 }
            try stage.expect(!bob.tracks(of: "ada")[1].isMuted, "the camera is said to be muted, too")
            try await ada.call.setMuted(false, tracks[0])
            bob.listenAnew()
            try await stage.until("bob hears ada again") { bob.hears("ada", 440) }

            let card = try TestCardSource(sender: 2, width: 320, height: 180, frameRate: 5)
            let screen = try await ada.call.publish(
                track: LocalTrack(.video(card, VideoEncoding(bitrate: 200_000)), name: "slides"), source: .screenShare)
            try stage.expect(Self.stream(screen) != Self.stream(tracks[0]), "the screen is in the camera's stream")
            try await stage.until("bob knows of the screen") { bob.tracks(of: "ada").count == 3 }

            try await ada.call.unpublish(tracks[1])
            try await stage.until("the camera is off") {
                bob.tracks(of: "ada").first { $0.source == .camera }?.isMuted == true
            }
            bob.listenAnew()
            try await stage.until("bob still hears ada") { bob.hears("ada", 440) }
            try await ada.call.unpublish(tracks[0])
            try await stage.until("the stream is gone") { bob.tracks(of: "ada").map(\.source) == [.screenShare] }
            let left = await ada.call.localParticipant.tracks.map(\.id)
            try stage.expect(left == [screen.id], "ada publishes \(left)")
        }
        await check(scenario, mode)
    }

    /// What two of them see of the first one's camera.
    private static func camera(_ person: ConformancePerson) async -> ReceiverStatistics? {
        await person.call.statistics().receivers.first { $0.kind == .video }
    }

    @Test func aRelayedPublisherSendsEachSubscriberWhatItWants() async {
        let scenario = ConformanceScenario("wishes", "Size, rate and rest of pictures are one subscriber's alone.") {
            stage in
            let people = try await stage.gather(["ada", "bob", "cleo"])
            let (bob, cleo) = (people[1], people[2])
            try await people[0].call.publish(.testTone(440), .testCard(Self.format, sender: 1))
            try await stage.until("both see ada in full size") {
                let (one, other) = (await Self.camera(bob), await Self.camera(cleo))
                return one?.width == 320 && other?.width == 320
            }
            guard let video = bob.tracks(of: "ada").first(where: { $0.kind == .video }) else { return }
            try await bob.call.setTrackSettings(
                TrackSettings(size: VideoViewSize(width: 100, height: 50), framesPerSecond: 5), video)
            try await stage.until("bob gets half the size") { await Self.camera(bob)?.width == 160 }
            let (few, many) = (
                await Self.camera(bob)?.framesReceived ?? 0, await Self.camera(cleo)?.framesReceived ?? 0
            )
            await stage.pass(milliseconds: 4000)
            let bobs = (await Self.camera(bob)?.framesReceived ?? 0) - few
            let cleos = (await Self.camera(cleo)?.framesReceived ?? 0) - many
            try stage.expect((18...22).contains(bobs) && (38...42).contains(cleos), "bob got \(bobs), cleo \(cleos)")
            try stage.expect(await Self.camera(cleo)?.width == 320, "cleo's picture shrinks with bob's")

            try await bob.call.setTrackSettings(TrackSettings(isDisabled: true), video)
            await stage.pass(milliseconds: 500)
            let rest = await Self.camera(bob)?.framesReceived
            await stage.pass(milliseconds: 2000)
            try stage.expect(await Self.camera(bob)?.framesReceived == rest, "disabled pictures go on")
            try stage.expect(!bob.tracks(of: "ada").contains(where: \.isMuted), "what one does not want is no mute")
            bob.listenAnew()
            try await stage.until("bob still hears ada") { bob.hears("ada", 440) }
            try await bob.call.setTrackSettings(TrackSettings(), video)
            try await stage.until("bob sees ada in full size again") {
                let present = await Self.camera(bob)
                return present?.width == 320 && (present?.framesReceived ?? 0) > (rest ?? 0) + 10
            }
        }
        await check(scenario, .relayed)
    }

    /// Whoever subscribes to the sound of a stream alone is sent no pictures, in a relayed session either.
    @Test(arguments: MediaMode.allCases) func whatIsNotSubscribedToIsNotSent(_ mode: MediaMode) async {
        let scenario = ConformanceScenario("sound-alone", "Pictures that nobody wants are not sent.") { stage in
            let ada = try await stage.join("ada")
            try await ada.call.publish(.testTone(440), .testCard(Self.format, sender: 1))
            let bob = try await stage.join("bob", subscribesAutomatically: false)
            try await stage.until("bob knows of both tracks") { bob.tracks(of: "ada").count == 2 }
            try await bob.call.setSubscribed(true, bob.tracks(of: "ada")[0])
            try await stage.until("bob hears ada") { bob.hears("ada", 440) }
            await stage.pass(milliseconds: 1000)
            let before = await Self.camera(bob)?.packetsReceived ?? 0
            await stage.pass(milliseconds: 2000)
            let after = await Self.camera(bob)?.packetsReceived ?? 0
            try stage.expect(after == before, "\(after - before) packets of pictures came")
            try await bob.call.setSubscribed(true, bob.tracks(of: "ada")[1])
            try await stage.until("bob sees ada") { bob.pictures(of: "ada") >= 5 }
        }
        await check(scenario, mode)
    }

    /// A session takes sixteen streams of one client: of seventeen that are published together none stays.
    @Test(arguments: MediaMode.allCases) func whatBelongsTogetherComesAboutOrNot(_ mode: MediaMode) async {
        let scenario = ConformanceScenario("all-or-none", "A stream too many takes the others back.") { stage in
            let people = try await stage.gather(["ada", "bob"])
            let many = (1...17).map { LocalMedia.testCard(Self.format, sender: UInt16($0)) }
            try await stage.expect(.providerRefused, "publishing more than a session takes") {
                try await people[0].call.publish(many)
            }
            try await stage.until("nothing of it is left") { people[1].tracks(of: "ada").isEmpty }
            let left = await people[0].call.localParticipant.tracks
            try stage.expect(left.isEmpty, "ada still publishes \(left.count) tracks")
            try await people[0].call.publish(.testTone(440))
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
        }
        await check(scenario, mode)
    }
}
