import CallBridge

extension ConformanceSuite {
    /// Calls that begin with ringing: no client runs, and the provider is not asked, before somebody has answered.
    static let ringing: [ConformanceScenario] = [
        ConformanceScenario("ring-answer", "Whoever is rung answers; only then clients start, and both are heard.") {
            stage in
            let exchange = await stage.exchange()
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let call = await ada.place([["bob"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            await stage.pass(milliseconds: 1000)
            try stage.expect(ada.starts == 0 && bob.starts == 0, "a client runs while it rings")
            await bob.answer(call)
            try await stage.connect(ada, bob)
            try await stage.hear(bob, ada, 440)
            try await stage.until("the call is established") { exchange.course(of: call).contains("established") }
            try stage.expect(
                ada.starts == 1 && bob.starts == 1, "clients were started \(ada.starts + bob.starts) times")
            await bob.hangUp(call)
            try await stage.until("the call ends") { exchange.ending(of: call) != nil }
            try stage.expect(
                exchange.ending(of: call) == .lastMandatoryParticipantLeft
                    && exchange.departure(of: "bob", from: call) == .hangUp,
                "it ended with \(String(describing: exchange.ending(of: call)))")
            let course = exchange.course(of: call)
            let order = ["initiated", "incoming_call", "accepted", "established", "ended"]
            try stage.expect(course.filter(order.contains) == order, "the journal has \(course)")
        },
        ConformanceScenario("ring-decline", "Who declines starts nothing, and the caller is told.") { stage in
            let exchange = await stage.exchange()
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let call = await ada.place([["bob"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            await bob.decline(call)
            try await stage.nobodyComes(call, exchange, .declined, [(ada, .ended(.declined)), (bob, .declined)])
        },
        ConformanceScenario("ring-timeout", "It rings for as long as it may, and is missed then.") { stage in
            let exchange = await stage.exchange(ringMilliseconds: 2000)
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let call = await ada.place([["bob"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            try await stage.nobodyComes(
                call, exchange, .notAnswered, [(ada, .ended(.notAnswered)), (bob, .missed(.timeout))])
        },
        ConformanceScenario("ring-abort", "A caller who gives up ends the ringing, which was missed.") { stage in
            let exchange = await stage.exchange()
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let call = await ada.place([["bob"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            await ada.decline(call)
            try await stage.nobodyComes(
                call, exchange, .abortedByInitiator, [(ada, .aborted), (bob, .missed(.terminated))])
        },
        ConformanceScenario("ring-unavailable", "Where nobody can be reached the caller is told, and nothing starts.") {
            stage in
            let exchange = await stage.exchange()
            let ada = try await exchange.device("ada")
            let call = await ada.place([["bob"]])
            try await stage.nobodyComes(
                call, exchange, .declinedBecauseUnavailable, [(ada, .ended(.declinedBecauseUnavailable))])
        },
        ConformanceScenario("ring-forward", "After the first group the hidden second one rings, and takes the call.") {
            stage in
            let exchange = await stage.exchange(ringMilliseconds: 2000)
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let cleo = try await exchange.device("cleo")
            let call = await ada.place([["bob"], ["cleo"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            try stage.expect(cleo.offers.isEmpty, "the second group rings with the first one")
            try await stage.until("cleo's device rings") { cleo.offers.map(\.callState) == [.forwarding] }
            await cleo.answer(call)
            try await stage.connect(ada, cleo)
            try stage.expect(bob.outcomes == [.missed(.timeout)] && bob.starts == 0, "bob reports \(bob.outcomes)")
            try await stage.hear(cleo, ada, 440)
        },
    ]

    /// Several devices, gates, and ends from outside.
    static let ringingOnDevices: [ConformanceScenario] = [
        ConformanceScenario("ring-elsewhere", "Of two devices that ring one gets the call, the other is told.") {
            stage in
            let exchange = await stage.exchange()
            let ada = try await exchange.device("ada")
            let (phone, desk) = (try await exchange.device("bob", "phone"), try await exchange.device("bob", "desk"))
            let call = await ada.place([["bob"]])
            try await stage.until("both devices ring") { phone.offers.count == 1 && desk.offers.count == 1 }
            await desk.answer(call)
            await phone.answer(call)
            try await stage.until("each device reports") { phone.outcomes.count == 1 && desk.outcomes.count == 1 }
            try await stage.connect(ada)
            try stage.expect(
                [phone.outcomes, desk.outcomes].contains([.connected])
                    && [phone.outcomes, desk.outcomes].contains([.answeredElsewhere])
                    && phone.starts + desk.starts == 1,
                "the devices report \(phone.outcomes) and \(desk.outcomes)")
        },
        ConformanceScenario("ring-locked", "An answer on a locked device waits, and starts the client once it may.") {
            stage in
            let exchange = await stage.exchange()
            let ada = try await exchange.device("ada")
            let locked = AnswerGate(isLocked: true, isActive: false, isAuthenticated: false)
            let bob = try await exchange.device("bob", gate: locked)
            let call = await ada.place([["bob"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            await bob.answer(call)
            try await stage.until("the answer waits for the client") { !bob.waits.isEmpty }
            await stage.pass(milliseconds: 1000)
            await bob.change(AnswerGate(isLocked: false, isActive: true, isAuthenticated: false))
            await stage.pass(milliseconds: 500)
            try stage.expect(bob.starts == 0, "the client starts before its user has authenticated")
            await bob.change(AnswerGate())
            try await stage.connect(bob)
            try await stage.hear(bob, ada, 440)
        },
        ConformanceScenario(
            "ring-mandatory", "When the one whom the call needs leaves, it ends, though others stay."
        ) { stage in
            let exchange = await stage.exchange()
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let call = await ada.place([["bob"]], mandatory: ["bob"])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            await bob.answer(call)
            try await stage.connect(ada, bob)
            // Somebody comes without having been rung: whoever is in the conversation joins its call.
            _ = try await stage.join("cleo")
            exchange.hub.event(call) {
                $0.entered("cleo", at: $1, into: &$2)
                $0.connected("cleo", at: $1, into: &$2)
            }
            try await stage.until("ada sees both") { ada.person?.present.count == 2 }
            await bob.hangUp(call)
            try await stage.until("the call ends") { exchange.ending(of: call) == .lastMandatoryParticipantLeft }
            try stage.expect(
                exchange.departure(of: "cleo", from: call) == .callEnded
                    && exchange.departure(of: "ada", from: call) == .callEnded,
                "the others left with \(String(describing: exchange.departure(of: "cleo", from: call)))")
        },
        ConformanceScenario("ring-dial-in", "A telephone comes and goes in the call, and the journal has both.") {
            stage in
            let exchange = await stage.exchange()
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let call = await ada.place([["bob"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            await bob.answer(call)
            try await stage.connect(ada, bob)
            exchange.hub.event(call) {
                let telephone = CallPublication.DialIn(
                    provider: "ANY", id: "line-1", number: "+41 00 000 00 00", start: $1)
                $0.dialInStarted(telephone, of: "bob", at: $1, into: &$2)
            }
            await stage.pass(milliseconds: 500)
            exchange.hub.event(call) { $0.dialInEnded("line-1", of: "bob", at: $1, into: &$2) }
            let course = exchange.course(of: call).filter { $0.hasPrefix("dial_in") }
            try stage.expect(
                course == ["dial_in_publication.started", "dial_in_publication.ended"], "the journal has \(course)")
            try stage.expect(exchange.ending(of: call) == nil, "the telephone ended the call")
        },
        ending("ring-recording-denied", .recordingDenied, "A recording that is denied ends the call."),
        ending("ring-conversation-ended", .conversationEnded, "The conversation's end ends the call."),
        ending("ring-shutdown", .systemShutdown, "A system that goes down ends the call in order."),
    ]

    /// A call that both are in ends from outside.
    private static func ending(_ name: String, _ reason: CallEndReason, _ summary: String) -> ConformanceScenario {
        ConformanceScenario(name, summary) { stage in
            let exchange = await stage.exchange()
            let (ada, bob) = (try await exchange.device("ada"), try await exchange.device("bob"))
            let call = await ada.place([["bob"]])
            try await stage.until("bob's device rings") { bob.offers.count == 1 }
            await bob.answer(call)
            try await stage.until("the call is established") { exchange.course(of: call).contains("established") }
            exchange.hub.event(call) { $0.end(reason, at: $1, into: &$2) }
            try stage.expect(
                exchange.ending(of: call) == reason && exchange.departure(of: "bob", from: call) == .callEnded,
                "it ended with \(String(describing: exchange.ending(of: call)))")
            try await stage.connect(ada, bob)
        }
    }
}

extension ConformanceStage {
    /// Devices whose call was answered report, and are connected.
    nonisolated func connect(_ devices: ConformanceDevice...) async throws {
        try await until("every device reports") { devices.allSatisfy { !$0.outcomes.isEmpty } }
        for device in devices {
            try expect(
                device.outcomes == [.connected], "\(device.device.personId)'s device reports \(device.outcomes)")
        }
    }

    /// One publishes a tone in the call that was answered, and the other hears it.
    nonisolated func hear(_ speaker: ConformanceDevice, _ listener: ConformanceDevice, _ hertz: Double) async throws {
        guard let speaking = speaker.person, let listening = listener.person else {
            throw ConformanceFailure("a device is connected without a client")
        }
        try await speaking.call.publish(.testTone(hertz))
        try await until("\(listening.identity) hears \(speaking.identity)") {
            listening.hears(speaking.identity, hertz)
        }
    }

    /// A call ends before anybody is in it, and each device reports once.
    nonisolated func nobodyComes(
        _ call: String, _ exchange: ConformanceExchange, _ reason: CallEndReason,
        _ expected: [(device: ConformanceDevice, outcome: RingOutcome)]
    ) async throws {
        try await until("the call ends") { exchange.ending(of: call) != nil }
        try expect(
            exchange.ending(of: call) == reason, "it ended with \(String(describing: exchange.ending(of: call)))")
        try await until("every device reports") { expected.allSatisfy { !$0.device.outcomes.isEmpty } }
        await pass(milliseconds: 500)
        for (device, outcome) in expected {
            try expect(
                device.outcomes == [outcome], "\(device.device.personId)'s device reports \(device.outcomes)")
            try expect(device.starts == 0, "\(device.device.personId)'s device started a client")
        }
    }
}
