import CallBridge
import CallConformance
import MediaCore
import OpenTokSignalling
import Synchronization
import Testing

/// A link that bears sound alone, over sockets: pictures are warned of, disabled, and enabled again, for one subscriber.
@Suite(.timeLimit(.minutes(10))) struct AudioFallbackTests {
    /// What somebody was told of their link and of the pictures.
    private final class Story: Sendable {
        private let lines = Mutex<[String]>([])

        var told: [String] { lines.withLock { $0 } }

        func attach(to call: Call) async {
            await call.observe { event in
                switch event {
                case .connectionQuality(let quality, let whose) where whose.isLocal:
                    self.lines.withLock { $0.append(quality.level == .poor ? "warned" : "lifted") }
                case .streamState(let state, let track, _):
                    self.lines.withLock {
                        $0.append("\(track.kind.rawValue) \(state == .paused ? "disabled" : "enabled")")
                    }
                default: break
                }
            }
        }
    }

    @Test func picturesGoAndComeBackBehindAWarning() async {
        let scenario = ConformanceScenario("audio-fallback", "Sound goes on where pictures have no room.") { stage in
            guard let world = stage.world as? OpenTokLikeWorld else { throw ConformanceFailure("another world") }
            let people = try await stage.gather(["ada", "bob", "cleo"])
            let (bobs, cleos) = (Story(), Story())
            await bobs.attach(to: people[1].call)
            await cleos.attach(to: people[2].call)
            let format = LocalMedia.VideoFormat(width: 320, height: 180, frameRate: 10)
            try await people[0].call.publish(.testTone(440), .testCard(format, sender: 1))
            try await stage.until("both see ada") {
                people[1].pictures(of: "ada") >= 10 && people[2].pictures(of: "ada") >= 10
            }
            try await world.setRate(80_000, of: "bob")
            try await stage.until("bob's pictures are disabled") { bobs.told.contains { $0.hasSuffix("disabled") } }
            try stage.expect(
                bobs.told.first == "warned" && bobs.told.filter { $0.hasSuffix("disabled") }.count == 1,
                "bob was told \(bobs.told)")
            people[1].listenAnew()
            try await stage.until("bob still hears ada") { people[1].hears("ada", 440) }
            let seen = people[1].pictures(of: "ada")
            try await world.setRate(nil, of: "bob")
            // Pictures that were under way when the rate fell arrive before any that the server enables.
            try await stage.until("bob is told that he sees ada again, and does", within: 240_000) {
                bobs.told.contains { $0.hasSuffix("enabled") } && people[1].pictures(of: "ada") >= seen + 10
            }
            try stage.expect(!cleos.told.contains { $0.hasSuffix("disabled") }, "cleo was told \(cleos.told)")
            try stage.expect(people[1].tracks(of: "ada").allSatisfy { !$0.isMuted }, "a fallback is no mute")
        }
        let outcome = await ConformanceSuite.run(scenario, on: OpenTokLikeSubject(mode: .routed))
        #expect(outcome == .passed)
    }
}
