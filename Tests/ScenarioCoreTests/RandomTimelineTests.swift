import Testing

@testable import ScenarioCore

/// Whatever happens in whatever order: what must flow is what a walk through time, moment by moment, finds.
@Suite struct RandomTimelineTests {
    private static let step = 100
    private static let grace = 700
    private static let recovery = 1300
    private static let names = ["ada", "bob"]
    private static let actions = [
        "join", "leave", "mute", "unmute", "mute, what: video", "unmute, what: both", "speak", "hush", "hide", "show",
        "drop", "restore", "roam, address: new", "roam, network: bad", "remove",
    ]

    /// One thing that somebody does.
    private struct Deed {
        var atMs: Int
        var who: String
        var what: String
    }

    /// Somebody at one moment, as the words of the document have it.
    private struct Walker {
        var isThere = true
        var isMuted = (audio: false, video: false)
        var speaks = true
        var shows = true
        var isCut = false
        var backAt = 0

        mutating func take(_ deed: Deed) {
            switch deed.what {
            case "join": isThere = true
            case "leave", "remove": isThere = false
            case "mute": isMuted.audio = true
            case "unmute": isMuted.audio = false
            case "mute, what: video": isMuted.video = true
            case "unmute, what: both": isMuted = (false, false)
            case "speak": speaks = true
            case "hush": speaks = false
            case "show": shows = true
            case "hide": shows = false
            case "drop": isCut = true
            case "restore":
                if isCut { backAt = deed.atMs + RandomTimelineTests.recovery }
                isCut = false
            case "roam, address: new":
                if !isCut { backAt = max(backAt, deed.atMs + RandomTimelineTests.recovery) }
            default: break
            }
        }

        func sends(_ media: ScenarioMedia) -> Bool {
            media == .audio ? speaks && !isMuted.audio : shows && !isMuted.video
        }

        func isReachable(_ time: Int) -> Bool { isThere && !isCut && time >= backAt }
    }

    private static func deeds(_ seed: Int) -> [Deed] {
        var random = TestRandom(seed)
        return (0..<Int.random(in: 1...14, using: &random)).map { _ in
            Deed(
                atMs: Int.random(in: 1..<100, using: &random) * step,
                who: names.randomElement(using: &random) ?? "ada",
                what: actions.randomElement(using: &random) ?? "join")
        }
    }

    /// When media of ada must come to bob.
    private static func walk(_ deeds: [Deed], _ media: ScenarioMedia) -> Intervals {
        var walkers = ["ada": Walker(), "bob": Walker()]
        var ranges: [Range<Int>] = []
        var since: Int?
        for time in stride(from: 0, to: 10_000, by: step) {
            for deed in deeds where deed.atMs == time { walkers[deed.who]?.take(deed) }
            guard let ada = walkers["ada"], let bob = walkers["bob"] else { continue }
            let flows = ada.sends(media) && ada.isReachable(time) && bob.isReachable(time)
            since = flows ? since ?? time : nil
            if let since, time >= since + grace { ranges.append(time..<time + step) }
        }
        return Intervals(ranges)
    }

    @Test(arguments: 0..<300) func whatMustFlowIsWhatAWalkFinds(_ seed: Int) throws {
        let deeds = Self.deeds(seed)
        let timeline = deeds.map { "- {at: \($0.atMs)ms, who: \($0.who), do: \($0.what)}" }.joined(separator: "\n")
        let plan = try Samples.plan(
            Samples.pair(
                timeline: timeline, expect: "- {who: all, ended: never}",
                head: "grace: \(Self.grace)ms\nrecovery: \(Self.recovery)ms"))
        let presence = PresencePlan(plan)
        for media in ScenarioMedia.allCases {
            let planned = presence.flow(media, from: "ada", to: "bob")
            #expect(planned == Self.walk(deeds, media), "\(media) of:\n\(timeline)")
        }
    }

    /// A claim is taken exactly where there is a whole sample in which it must be met.
    @Test(arguments: 0..<100) func whatCannotBeMetIsRefused(_ seed: Int) throws {
        let deeds = Self.deeds(seed)
        let timeline = deeds.map { "- {at: \($0.atMs)ms, who: \($0.who), do: \($0.what)}" }.joined(separator: "\n")
        let text = Samples.pair(
            timeline: timeline, expect: "- {who: bob, sees: ada}",
            head: "grace: \(Self.grace)ms\nrecovery: \(Self.recovery)ms")
        let isPossible = !Self.walk(deeds, .video).slices(of: 500).isEmpty
        #expect(Samples.problems(text).isEmpty == isPossible, "\(Samples.problems(text)) of:\n\(timeline)")
    }
}
