import CallBridge

extension ConformanceSuite {
    /// Choosing what to receive.
    static let subscribing: [ConformanceScenario] = [
        ConformanceScenario(
            "selective", "Without automatic subscription media comes when it is asked for, and stops when it is not.",
            capabilities: .selectiveSubscription
        ) { stage in
            let ada = try await stage.join("ada")
            try await ada.call.publish(.testTone(440), .testCard(.small, sender: 6))
            let bob = try await stage.join("bob", subscribesAutomatically: false)
            try await stage.until("bob knows of both tracks") { bob.tracks(of: "ada").count == 2 }
            await stage.pass(milliseconds: 1000)
            try stage.expect(
                !bob.isSubscribed(to: "ada", .audio) && !bob.isSubscribed(to: "ada", .video), "media came unasked")
            guard let sound = bob.tracks(of: "ada").first(where: { $0.kind == .audio }) else { return }
            try await bob.call.setSubscribed(true, sound)
            try await stage.until("bob hears ada") { bob.hears("ada", 440) }
            try stage.expect(!bob.isSubscribed(to: "ada", .video), "the pictures came along unasked")
            try await bob.call.setSubscribed(false, sound)
            try await stage.until("bob's subscription ends") { !bob.isSubscribed(to: "ada", .audio) }
            try stage.expect(bob.tracks(of: "ada").count == 2, "the track is gone with its subscription")
            try await bob.call.setSubscribed(true, sound)
            try await stage.until("bob hears ada again") { bob.hears("ada", 440) }
        },
        ConformanceScenario(
            "unsubscribe-one", "One who unsubscribes takes nothing away from the others.",
            capabilities: .selectiveSubscription
        ) { stage in
            let people = try await stage.gather(["ada", "bob", "cleo"])
            try await people[0].call.publish(.testTone(440))
            try await stage.until("both hear ada") { people[1].hears("ada", 440) && people[2].hears("ada", 440) }
            guard let track = people[1].tracks(of: "ada").first else { return }
            try await people[1].call.setSubscribed(false, track)
            try await stage.until("bob's subscription ends") { !people[1].isSubscribed(to: "ada", .audio) }
            people[2].listenAnew()
            try await stage.until("cleo still hears ada") { people[2].hears("ada", 440) }
        },
    ]
}
