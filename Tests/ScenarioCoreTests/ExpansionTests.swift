import Testing

@testable import ScenarioCore

/// Templates, crowds and loops become people and steps.
@Suite struct ExpansionTests {
    @Test func aPairIsAsItIsWritten() throws {
        let plan = try Samples.plan(Samples.pair())
        #expect(plan.name == "pair" && plan.durationMs == 10_000 && plan.seed == 1 && plan.room == "scenario")
        #expect(plan.modes == [.virtual, .sockets])
        #expect(plan.people.map(\.identity) == ["ada", "bob"])
        #expect(
            plan["ada"]?.media == PlannedMedia(sound: .tone(440), card: .init(width: 320, height: 180, frameRate: 15)))
        #expect(plan.networks["bad"]?.loss == 5 && plan.networks["bad"]?.delayMs == 50)
        #expect(plan.steps.map(\.action) == [.join, .join])
        #expect(plan.expectations.map(\.who) == ["ada"])
        #expect(plan.sliceMs == 500)
    }

    @Test func theHeadIsRead() throws {
        let plan = try Samples.plan(
            Samples.pair(
                head: "description: d\nmodes: virtual\nseed: 7\nroom: r\ngrace: 2s\nrecovery: 9s\n"
                    + "providers: [opentok, livekit]\ndown: [opentok]"))
        #expect(plan.about == "d" && plan.modes == [.virtual] && plan.seed == 7 && plan.room == "r")
        #expect(plan.timing == ScenarioTiming(graceMs: 2000, recoveryMs: 9000))
        #expect(plan.providers.order == [.opentok, .livekit] && plan.providers.down == [.opentok])
    }

    @Test func aCrowdIsNumberedAndSpread() throws {
        let plan = try Samples.plan(
            Samples.pair(people: "  - {name: \"viewer-{n}\", count: 3, first: 5, join: 1s, every: 200ms, stay: 4s}"))
        let crowd = plan.people.suffix(3)
        #expect(crowd.map(\.identity) == ["viewer-5", "viewer-6", "viewer-7"])
        #expect(crowd.map(\.joinMs) == [1000, 1200, 1400])
        #expect(crowd.map(\.leaveMs) == [5000, 5200, 5400])
        #expect(crowd.allSatisfy { $0.groups == ["viewer"] })
    }

    @Test func aCrowdLeavesTogetherWhereItSaysSo() throws {
        let plan = try Samples.plan(
            Samples.pair(people: "  - {name: \"v{n}\", count: 2, every: 1s, leave: 8s, group: guests}"))
        #expect(plan.people.suffix(2).map(\.leaveMs) == [8000, 8000])
        #expect(plan.people.suffix(2).allSatisfy { $0.groups == ["guests"] })
    }

    @Test func aLargeCrowdIsCounted() throws {
        func isCounted(_ text: String) throws -> Bool {
            try #require(try Samples.plan(Samples.pair(people: "  - \(text)"))["c1"]).reception.isCounted
        }
        #expect(try isCounted("{name: \"c{n}\", count: 21}"))
        #expect(try !isCounted("{name: \"c{n}\", count: 20}"))
        #expect(try !isCounted("{name: \"c{n}\", count: 21, measure: decoded}"))
        #expect(try isCounted("{name: \"c{n}\", count: 2, measure: counted}"))
    }

    @Test func aTemplateIsInheritedAndOverridden() throws {
        let plan = try Samples.plan(
            Samples.pair(
                people: "  - {name: cleo, like: quiet}\n  - {name: dan, like: quiet, network: bad, key: other}",
                head: "templates:\n  quiet: {key: secret, join: 1s, receives: false}\n"))
        #expect(plan["cleo"]?.key == "secret" && plan["cleo"]?.joinMs == 1000)
        #expect(plan["cleo"]?.reception.receives == false && plan["cleo"]?.groups == ["quiet"])
        #expect(plan["dan"]?.key == "other" && plan["dan"]?.joinMs == 1000)
    }

    @Test func tonesOfTheirOwnAreFarApart() throws {
        let plan = try Samples.plan(
            Samples.pair(people: "  - {name: \"t{n}\", count: 12, tone: auto, measure: decoded}"))
        let tones = plan.people.suffix(12).compactMap { person -> Double? in
            if case .tone(let hertz) = person.media.sound { hertz } else { nil }
        }
        #expect(tones.count == 12 && Set(tones).count == 12)
        #expect(zip(tones, tones.dropFirst()).allSatisfy { $1 - $0 >= 60 })
    }

    @Test func spansBecomeSteps() throws {
        let plan = try Samples.plan(
            Samples.pair(people: "  - {name: cleo, tone: 500, speaks: [2s..4s, 3s..5s, 8s..20s]}"))
        let steps = plan.steps.filter { $0.who == "cleo" }
        #expect(steps.map(\.atMs) == [0, 2000, 5000, 8000])
        #expect(steps.map(\.action) == [.join, .speak, .hush, .speak])
    }

    @Test func loopsBecomeSteps() throws {
        let plan = try Samples.plan(
            Samples.pair(timeline: "- {at: 1s, who: ada, do: mute, what: both, for: 500ms, repeat: 3, every: 2s}"))
        let steps = plan.steps.filter { $0.action != .join }
        #expect(steps.map(\.atMs) == [1000, 1500, 3000, 3500, 5000, 5500])
        #expect(steps.map(\.action).first == .mute([.audio, .video]))
        #expect(steps.map(\.action).last == .unmute([.audio, .video]))
    }

    @Test func manyCanDoItOneAfterAnother() throws {
        let plan = try Samples.plan(
            Samples.pair(
                people: "  - {name: \"g{n}\", count: 5, group: guests}",
                timeline: "- {at: 2s, who: guests, do: drop, spread: 1s}\n- {at: 5s, who: all, do: restore}",
                expect: "- {who: ada, ended: never}"))
        #expect(plan.steps.filter { $0.action == .drop }.map(\.atMs) == [2000, 2250, 2500, 2750, 3000])
        #expect(plan.steps.count { $0.action == .restore } == 7)
    }

    @Test func roamingIsUndoneToTheOwnNetwork() throws {
        let plan = try Samples.plan(
            Samples.pair(
                people: "  - {name: cleo, network: bad}",
                timeline: "- {at: 1s, who: [ada, cleo], do: roam, network: bad, for: 1s}"))
        #expect(plan.steps.filter { $0.atMs == 2000 }.map(\.action) == [.roam(""), .roam("bad")])
    }

    @Test func everyActionIsRead() throws {
        let timeline = """
            - {at: 1s, who: ada, do: leave}
            - {at: 2s, who: ada, do: join}
            - {at: 3s, who: bob, do: unmute, what: video}
            - {at: 3s, who: bob, do: hush}
            - {at: 3s, who: bob, do: speak}
            - {at: 3s, who: bob, do: hide, for: 1s}
            - {at: 4s, who: bob, do: drop, for: 1s}
            - {at: 5s, who: bob, do: ring, to: ada}
            - {at: 5s, who: ada, do: answer}
            - {at: 5s, who: ada, do: decline}
            - {at: 6s, who: ada, do: transfer, to: bob}
            - {at: 7s, who: ada, do: remove}
            - {at: 8s, do: end-room}
            - {at: 9s, do: stop-provider, provider: livekit}
            """
        let plan = try Samples.plan(Samples.pair(timeline: timeline, expect: "- {who: ada, ended: left}"))
        let actions = plan.steps.dropFirst(2).map(\.action)
        #expect(
            actions
                == [
                    .leave, .join, .unmute([.video]), .hush, .speak, .hide, .drop, .show, .ring(["ada"]), .answer,
                    .decline,
                    .restore, .transfer("bob"), .remove, .endRoom, .stopProvider(.livekit),
                ].sortedLike(plan.steps.dropFirst(2).map(\.action)))
        #expect(Set(actions).count == 16)
    }

    @Test func groupsAndOthersAreResolved() throws {
        let plan = try Samples.plan(
            Samples.pair(
                people: "  - {name: cleo}",
                expect: "- {who: all, hears: others}\n- {who: cleo, sees: [ada, bob]}"))
        let pairs = plan.expectations.compactMap { expectation -> String? in
            guard case .receives(let media, let from, _) = expectation.claim else { return nil }
            return "\(expectation.who ?? "") \(media) \(from)"
        }
        #expect(
            pairs == [
                "ada audio bob", "bob audio ada", "cleo audio ada", "cleo audio bob", "cleo video ada",
                "cleo video bob",
            ])
    }

    @Test func aLongScenarioHasLongerSlices() throws {
        func slice(_ duration: Int) -> Int {
            var plan = ScenarioPlan()
            plan.durationMs = duration
            return plan.sliceMs
        }
        #expect(slice(1000) == 500 && slice(600_000) == 500 && slice(600_001) == 1000)
        #expect(slice(3_600_000) == 3000 && slice(86_400_000) == 72_000)
    }
}

extension [ScenarioAction] {
    /// The same actions in the order of others: what is due at once keeps the file's order, which is not asked here.
    fileprivate func sortedLike(_ others: [ScenarioAction]) -> [ScenarioAction] {
        Set(self) == Set(others) ? others : self
    }
}
