import CallBridge

extension ConformanceSuite {
    /// Who speaks.
    static let speaking: [ConformanceScenario] = [
        ConformanceScenario("active-speaker", "The active speaker follows who is loud, and stays when nobody is.") {
            stage in
            let people = try await stage.gather(["ada", "bob", "cleo"])
            let first = try await people[0].call.publish(.testTone(440))[0]
            let second = try await people[2].call.publish(.testTone(660))[0]
            try await people[2].call.setMuted(true, second)
            try await stage.until("ada is the active speaker") { people[1].activeSpeaker == "ada" }
            try await people[0].call.setMuted(true, first)
            try await people[2].call.setMuted(false, second)
            try await stage.until("cleo is the active speaker") { people[1].activeSpeaker == "cleo" }
            try await people[2].call.setMuted(true, second)
            await stage.pass(milliseconds: 3000)
            try stage.expect(
                people[1].activeSpeaker == "cleo", "silence made it \(people[1].activeSpeaker ?? "nobody")")
        },
        ConformanceScenario(
            "server-speakers", "The server says who is loud.", capabilities: .serverSpeakers
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testTone(440))
            try await stage.until("bob is told that ada speaks") { people[1].serverSpeakers.contains("ada") }
            try stage.expect(!people[1].serverSpeakers.contains("bob"), "bob, who is silent, is said to speak")
        },
    ]
}
