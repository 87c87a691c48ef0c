import CallBridge

extension ConformanceSuite {
    /// Muting and unmuting.
    static let muting: [ConformanceScenario] = [
        ConformanceScenario("mute-audio", "A muted microphone is silent and said to be muted; unmuted it is heard.") {
            stage in
            let people = try await stage.gather(["ada", "bob"])
            let track = try await people[0].call.publish(.testTone(440))[0]
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
            try await people[0].call.setMuted(true, track)
            try await stage.until("bob knows of the mute") { people[1].tracks(of: "ada").first?.isMuted == true }
            try await stage.untilSilent(people[1], of: "ada")
            try stage.expect(people[1].isSubscribed(to: "ada", .audio), "muting ended the subscription")
            try await people[0].call.setMuted(false, track)
            people[1].listenAnew()
            try await stage.until("bob hears ada again") { people[1].hears("ada", 440) }
            // Sound and signalling take ways of their own.
            try await stage.until("bob knows that the mute is over") {
                people[1].tracks(of: "ada").first?.isMuted == false
            }
        },
        ConformanceScenario(
            "mute-video", "A muted camera sends no pictures; unmuted it does.", capabilities: .video
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            let track = try await people[0].call.publish(.testCard(.small, sender: 5))[0]
            try await stage.until("bob sees ada") { people[1].pictures(of: "ada") >= 5 }
            try await people[0].call.setMuted(true, track)
            try await stage.until("bob knows of the mute") { people[1].tracks(of: "ada").first?.isMuted == true }
            try await stage.untilStill(people[1], of: "ada")
            let after = people[1].pictures(of: "ada")
            try await people[0].call.setMuted(false, track)
            try await stage.until("bob sees ada again") { people[1].pictures(of: "ada") >= after + 5 }
        },
        ConformanceScenario("muted-from-the-start", "Who comes later is told that a track is muted.") { stage in
            let ada = try await stage.join("ada")
            let track = try await ada.call.publish(.testTone(440))[0]
            try await ada.call.setMuted(true, track)
            await stage.pass(milliseconds: 500)
            let bob = try await stage.join("bob")
            try await stage.until("bob knows of the muted track") { bob.tracks(of: "ada").first?.isMuted == true }
            try await ada.call.setMuted(false, track)
            try await stage.until("bob hears ada") { bob.hears("ada", 440) }
        },
    ]
}
