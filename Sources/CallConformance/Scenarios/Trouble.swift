import CallBridge

extension ConformanceSuite {
    /// Bad and lost networks.
    static let trouble: [ConformanceScenario] = [
        ConformanceScenario(
            "bad-network", "With 5 % loss and 50 ms delay sound is heard and pictures arrive whole.",
            capabilities: .video, faults: [.badNetwork]
        ) { stage in
            try await stage.inject(.badNetwork(lossPercent: 5, delayMilliseconds: 50))
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testTone(440), .testCard(.small, sender: 8))
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
            try await stage.until("bob sees 60 pictures of ada") { people[1].pictures(of: "ada") >= 60 }
            guard let card = people[1].card(of: "ada") else { throw ConformanceFailure("bob has seen nothing") }
            try stage.expect(card.unreadable == 0, "\(card.unreadable) pictures are damaged")
            // A picture that was due while timers were overdue was never taken.
            let late = await stage.lateMilliseconds(people)
            let excused = Int(late / 1000 * LocalMedia.VideoFormat.small.frameRate)
            try stage.expect(
                card.missing <= 6 + excused,
                "\(card.missing) pictures are missing beside \(card.framesRead), \(excused) excused by \(late) ms of late timers"
            )
            let received = await people[1].call.statistics().receivers.filter { $0.kind == .video }
            try stage.expect(received.contains { $0.nacksSent > 0 }, "nothing was lost: the network is not bad")
        },
        ConformanceScenario(
            "resume", "A lost connection is a state with a measured gap, and no end.", faults: [.networkCut]
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testTone(440))
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
            let cut = stage.world.clock.now
            try await stage.inject(.networkCut(identity: "bob"))
            try await stage.until("bob is reconnecting") { await people[1].call.state == .reconnecting }
            // Connections of their own for each direction look after their consent up to six seconds apart (RFC 7675
            // section 5.1): by then all of them have noticed, and it is one loss.
            await stage.pass(milliseconds: 7000)
            try await stage.inject(.networkRestored(identity: "bob"))
            try await stage.until("bob is back") { await people[1].call.state == .active }
            let longest = (stage.world.clock.now.seconds - cut.seconds) * 1000
            let gaps = people[1].gaps
            try stage.expect(
                gaps.count == 1 && gaps.allSatisfy { (900...longest).contains($0) },
                "the gaps are \(gaps) of at most \(longest) ms")
            people[1].listenAnew()
            try await stage.until("bob hears ada again") { people[1].hears("ada", 440) }
            try stage.expect(people[1].ending == nil, "the loss was taken for the end")
            try stage.expect(
                people[1].states.filter { $0 == .reconnecting }.count == 1, "the states are \(people[1].states)")
        },
        ConformanceScenario(
            "resume-muted", "What was muted before a loss is muted after it, for both sides.", faults: [.networkCut]
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            let track = try await people[0].call.publish(.testTone(440))[0]
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
            try await people[0].call.setMuted(true, track)
            try await stage.until("bob knows of the mute") { people[1].tracks(of: "ada").first?.isMuted == true }
            try await stage.inject(.networkCut(identity: "ada"))
            try await stage.until("ada is reconnecting") { await people[0].call.state == .reconnecting }
            try await stage.inject(.networkRestored(identity: "ada"))
            try await stage.until("ada is back") { await people[0].call.state == .active }
            try await stage.untilSilent(people[1], of: "ada")
            try stage.expect(people[1].tracks(of: "ada").first?.isMuted == true, "the mute was forgotten")
            let local = await people[0].call.localParticipant.tracks.first
            try stage.expect(local?.isMuted == true, "ada no longer knows of the mute")
            guard let local else { return }
            try await people[0].call.setMuted(false, local)
            try await stage.until("bob hears ada") { people[1].hears("ada", 440) }
        },
        ConformanceScenario(
            "lost-for-good", "Who is lost for good has lost the provider; the others see them go.",
            faults: [.networkCut, .permanentLoss]
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await stage.inject(.networkCut(identity: "bob"))
            try await stage.until("bob's call ends", within: 180_000) { people[1].ending != nil }
            try stage.expect(
                people[1].ending == .systemShutdown, "it ended with \(String(describing: people[1].ending))")
            let failure = await people[1].call.failure
            try stage.expect(failure?.code == .providerLost, "the failure is \(String(describing: failure))")
            try await stage.until("ada sees bob go", within: 180_000) { !people[0].departures(of: "bob").isEmpty }
            try stage.expect(
                people[0].departures(of: "bob") == [.systemAbort], "bob left \(people[0].departures(of: "bob"))")
        },
    ]
}
