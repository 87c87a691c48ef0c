/// The keys of an expectation: who, when, what, and how well.
enum ExpectationKeys {
    static let frame: [KeyEntry] = [
        KeyEntry("who", .names, "Whose expectation it is: names, groups, all. A journal is nobody's."),
        KeyEntry("from", .duration, "Judged from here on; else wherever the plan says that media flows."),
        KeyEntry("until", .duration, "Judged until here."),
    ]

    static let claims: [KeyEntry] = [
        KeyEntry("hears", .names, "Whom they hear, by tone or loudness: names, groups, others, nobody."),
        KeyEntry("sees", .names, "Whom they see, by the test card: names, groups, others, nobody."),
        KeyEntry("not-hears", .names, "Whom they don't hear."),
        KeyEntry("not-sees", .names, "Whom they don't see."),
        KeyEntry("meets", .names, "Who was there with them at some time, and nobody else."),
        KeyEntry("join-time", .limit(.duration), "From joining to connected media."),
        KeyEntry("reconnects", .limit(.count), "How often their connection was lost and made anew."),
        KeyEntry("gap", .limit(.duration), "How long each loss of the connection lasted."),
        KeyEntry("ended", .choice(ScenarioEnding.allCases.map(\.rawValue)), "How their call ended."),
        KeyEntry("provider", .choice(ScenarioProvider.allCases.map(\.rawValue)), "Who carried their call, in the end."),
        KeyEntry("provider-changes", .limit(.count), "How often another provider stepped in."),
        KeyEntry("speaker", .names, "Who is the active speaker, until the window's end."),
        KeyEntry(
            "indicator", .choice(["video", "avatar", "empty"]),
            "What the active-call indicator shows at the window's end."),
        KeyEntry("recorded", .names, "Of whom they have a recording."),
        KeyEntry("greeting", .limit(.duration), "How long they heard the greeting."),
        KeyEntry("overlap", .limit(.duration), "How long greeting and call were heard at once."),
        KeyEntry(
            "ring", .choice(ScenarioRingOutcome.allCases.map(\.rawValue)), "What became of the ringing on their device."
        ),
        KeyEntry("undecryptable", .limit(.count), "Frames that could not be decrypted."),
        KeyEntry("events", .list(eventCount), "How often something was told to them."),
        KeyEntry("journal", .choice(["valid"]), "The journal of the call breaks no rule."),
    ]

    static let measures: [KeyEntry] = [
        KeyEntry("share", .limit(.percent), "Of the time in which they should be heard or seen, >= 90%."),
        KeyEntry("concealment", .limit(.percent), "Sound that was invented, of all played."),
        KeyEntry("loss", .limit(.percent), "Packets that never came."),
        KeyEntry("frames", .limit(.count), "Pictures of the right card, or frames of sound where they are counted."),
        KeyEntry("missing", .limit(.count), "Pictures left out between the first and the last."),
        KeyEntry("freezes", .limit(.count), "Pictures that stood still for too long."),
        KeyEntry("freeze-ratio", .limit(.percent), "Of the time in which pictures stood still."),
        KeyEntry("first-frame", .limit(.duration), "From the subscription to the first sound or picture."),
        KeyEntry("length", .limit(.duration), "Of each recording."),
        KeyEntry("tracks", .limit(.count), "Of each recording."),
    ]

    static let eventCount = KeyTable(
        name: "a count of events",
        keys: [
            KeyEntry("event", .choice(ScenarioEvents.names), "Which.", isRequired: true),
            KeyEntry("count", .limit(.count), "How often.", isRequired: true),
        ])

    static var all: [KeyEntry] { frame + claims + measures }
}
