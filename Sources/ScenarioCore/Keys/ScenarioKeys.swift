/// Every key of the language.
package enum ScenarioKeys {
    package static let file = KeyTable(
        name: "a scenario",
        keys: [
            KeyEntry("scenario", .text, "Its name.", isRequired: true),
            KeyEntry("description", .text, "What it shows, for people."),
            KeyEntry(
                "modes", .choices(ScenarioMode.allCases.map(\.rawValue)),
                "In which modes it runs; both where it isn't said."),
            KeyEntry("duration", .duration, "How long it lasts, to 24h.", isRequired: true),
            KeyEntry("seed", .integer(0...Int.max), "Seed of the networks' weather, 1."),
            KeyEntry("room", .text, "The room's name, \"scenario\"."),
            KeyEntry(
                "grace", .duration, "How long media may take after somebody came, spoke or unmuted, 1500ms."),
            KeyEntry("recovery", .duration, "How long it may take after a network came back, 5s."),
            KeyEntry(
                "providers", .choices(ScenarioProvider.allCases.map(\.rawValue)),
                "Who can carry the call, in the order in which they are tried; livekit."),
            KeyEntry(
                "down", .choices(ScenarioProvider.allCases.map(\.rawValue)),
                "Providers that don't answer when it begins."),
            KeyEntry("networks", .map(network), "Network profiles by name."),
            KeyEntry("templates", .map(template), "What several people have in common, by name."),
            KeyEntry("people", .list(person), "Who takes part.", isRequired: true),
            KeyEntry("timeline", .list(step), "What happens, and when."),
            KeyEntry("expect", .list(expectation), "What each must see and hear.", isRequired: true),
        ])

    package static let network = KeyTable(
        name: "a network",
        keys: [
            KeyEntry("loss", .number(0...100), "Percent of datagrams lost, each way."),
            KeyEntry("burst", .duration, "Mean length of a burst of losses; without it losses are independent."),
            KeyEntry("delay", .duration, "One-way delay, to 10s."),
            KeyEntry("jitter", .duration, "Further delay, uniform from 0 to this."),
            KeyEntry("reorder", .number(0...100), "Percent of datagrams held back by 10 ms."),
            KeyEntry("duplicate", .number(0...100), "Percent of datagrams that come twice."),
            KeyEntry("rate", .integer(10...10_000_000), "Bottleneck in kbit/s."),
            KeyEntry("queue", .duration, "Longest wait at the bottleneck, 200ms."),
            KeyEntry("profile", .text, "A network in the words of --network instead: 3g, or 4g,up.rate=300."),
        ])

    private static let traits: [KeyEntry] = [
        KeyEntry("join", .durationOr("never"), "When they join, 0s; never: by ringing or by the timeline."),
        KeyEntry("leave", .duration, "When they leave; at the end where it isn't said."),
        KeyEntry("stay", .duration, "How long after joining they leave, instead of leave."),
        KeyEntry("tone", .tone, "They publish a tone: 100 to 4000 Hz, or auto for one of their own."),
        KeyEntry("speech", .text, "They publish this, spoken over and over."),
        KeyEntry("speaks", .spans(["always", "never"]), "When sound leaves: 2s..5s, a list of those, always, never."),
        KeyEntry("card", .picture, "They publish a moving test card: 320x180@15."),
        KeyEntry("network", .text, "Their network, one of networks."),
        KeyEntry(
            "provider", .choice(ScenarioProvider.allCases.map(\.rawValue)),
            "The dialect they speak; the first provider's."),
        KeyEntry("key", .text, "Their passphrase of end-to-end encryption."),
        KeyEntry("receives", .boolean, "Whether they receive the others, true."),
        KeyEntry(
            "measure", .choice(["decoded", "counted"]),
            "decoded: they hear and see. counted: frames are counted by the stamps in them; so for crowds above 20."),
        KeyEntry("record", .boolean, "They record everybody whom they receive."),
        KeyEntry("greeting", .text, "Spoken to them from answering until the call is heard."),
    ]

    package static let template = KeyTable(name: "a template", keys: traits)

    package static let person = KeyTable(
        name: "a person",
        keys: [
            KeyEntry("name", .text, "The identity; of a crowd with {n} in it.", isRequired: true),
            KeyEntry("like", .text, "A template, whose keys count where the person's own don't say otherwise."),
            KeyEntry("count", .integer(1...ScenarioLimits.people), "So many of them, numbered."),
            KeyEntry("first", .integer(0...1_000_000), "The first one's number, 1."),
            KeyEntry("every", .duration, "Between the joining of one of a crowd and the next, 0s."),
            KeyEntry("group", .text, "What all of them are called together."),
        ] + traits)

    package static let step = KeyTable(
        name: "a step",
        keys: [
            KeyEntry("at", .duration, "When.", isRequired: true),
            KeyEntry("who", .names, "Who does it: names, groups, all."),
            KeyEntry("do", .choice(ScenarioAction.names), "What.", isRequired: true),
            KeyEntry("what", .choice(["audio", "video", "both"]), "What is muted or unmuted, audio."),
            KeyEntry("network", .text, "Which network to roam into."),
            KeyEntry("address", .choice(["new"]), "new: who roams has another address from then on."),
            KeyEntry("to", .names, "Who is rung; to whom is transferred."),
            KeyEntry(
                "provider", .choice(ScenarioProvider.allCases.map(\.rawValue)), "Which one stops."),
            KeyEntry("for", .duration, "After so long it is undone: mute, speak, hide, drop, roam."),
            KeyEntry("repeat", .integer(1...ScenarioLimits.steps), "So many times."),
            KeyEntry("every", .duration, "Between one time and the next."),
            KeyEntry("spread", .duration, "Of many who do it the last one does so much later than the first."),
        ])

    package static let expectation = KeyTable(name: "an expectation", keys: ExpectationKeys.all)
}
