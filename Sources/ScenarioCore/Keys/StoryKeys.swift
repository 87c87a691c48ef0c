/// Every key of a file that is a story.
package enum StoryKeys {
    package static let file = KeyTable(
        name: "a story",
        keys: [
            KeyEntry("story", .text, "Its name; a file with this key is a story and no scenario.", isRequired: true),
            KeyEntry("description", .text, "What it shows, for people."),
            KeyEntry(
                "clients", .integer(1...StoryLimits.clients),
                "So many stories at once, each with a visitor and an agent, 1."),
            KeyEntry(
                "calls", .integer(1...StoryLimits.clients),
                "So many calls at once, the others in turn; where it isn't said, what the machine's cores bear."),
            KeyEntry(
                "patience", .duration, "How long a side may take to see something; 30s, and 1s more for each story."),
            KeyEntry("steps", .list(step), "What happens, one after another.", isRequired: true),
            KeyEntry("expect", .list(expectation), "What must come of it, beside the steps themselves."),
        ])

    package static let step = KeyTable(
        name: "a story's step",
        keys: [
            KeyEntry("do", .choice(StoryWord.allCases.map(\.rawValue)), "What.", isRequired: true),
            KeyEntry("name", .text, "What it is called in reports and expectations; what it does where it isn't said."),
            KeyEntry("text", .text, "What is written or asked."),
            KeyEntry("answer", .text, "What is answered."),
            KeyEntry("greeting", .text, "What is spoken to the visitor until the call is heard."),
            KeyEntry("provider", .choice(ScenarioProvider.allCases.map(\.rawValue)), "Who carries the call, livekit."),
            KeyEntry("pictures", .integer(1...1_000), "So many of the other side's are seen, 10."),
            KeyEntry("upload", .integer(16...StoryLimits.fileBytes), "Bytes of the visitor's picture, 70001."),
            KeyEntry("download", .integer(16...StoryLimits.fileBytes), "Bytes of the agent's text, 40."),
            KeyEntry(
                "mask", .rectangle,
                "The covered area of the shared 320x240 pixels: 160x32+80+96, width x height + x + y."),
        ])

    package static let expectation = KeyTable(
        name: "a story's expectation",
        keys: [
            KeyEntry("step", .text, "In which step, by its name."),
            KeyEntry("who", .choices(StorySide.allCases.map(\.rawValue)), "Which sides."),
            KeyEntry("sees", .choices(StorySight.allCases.map(\.rawValue)), "What they see in the step."),
            KeyEntry(
                "provider", .choice(ScenarioProvider.allCases.map(\.rawValue)), "Who carries their call, in a talk."),
            KeyEntry("took", .limit(.duration), "How long the step took, in each story."),
            KeyEntry("greeting", .limit(.duration), "How long the greeting was heard."),
            KeyEntry("overlap", .limit(.duration), "How long greeting and call were heard at once."),
            KeyEntry("whole", .limit(.percent), "Stories that came to their end, of all; all where it isn't said."),
            KeyEntry("journal", .choice(["valid"]), "The journal of all calls breaks no rule."),
        ])

    /// Which steps a key of theirs is for.
    static let uses: [(key: String, words: [StoryWord])] = [
        ("text", [.message, .push, .drop, .backAgain, .chat]), ("answer", [.message, .drop, .chat]),
        ("greeting", [.lockedAnswer]), ("provider", [.ring, .callBack]), ("pictures", [.talk]), ("upload", [.files]),
        ("download", [.files]), ("mask", [.coBrowsing]),
    ]
}
