/// Reads what one person, or each of a crowd, is and does; the name and the number are another's task.
struct PersonReader {
    private let reader: MappingReader
    private let durationMs: Int
    private let networks: Set<String>

    init(_ reader: MappingReader, durationMs: Int, networks: Set<String>) {
        self.reader = reader
        self.durationMs = durationMs
        self.networks = networks
    }

    func read() -> PlannedPerson? {
        var person = PlannedPerson(identity: "", position: reader.position(of: "name"))
        readStay(&person)
        person.media = readMedia()
        person.network = reader.text("network")
        if let network = person.network, !networks.contains(network) {
            reader.complain(
                "network",
                "there is no network \"\(network.shortened)\"; \(Nearest.remedy(for: network, among: Array(networks)))")
        }
        person.provider = reader.choice("provider").flatMap(ScenarioProvider.init)
        person.key = reader.text("key")
        person.reception.receives = reader.boolean("receives") ?? true
        person.reception.isCounted = reader.choice("measure") == "counted"
        person.reception.records = reader.boolean("record") ?? false
        if person.reception.records, person.reception.isCounted {
            reader.complain("record", "who only counts frames records none; use measure: decoded")
        }
        person.greeting = reader.text("greeting")
        return person
    }

    private func readStay(_ person: inout PlannedPerson) {
        if case .scalar("never", _) = reader.node("join")?.content {
            person.joinMs = nil
        } else if reader.has("join") {
            person.joinMs = reader.duration("join") ?? 0
        }
        let leave = reader.duration("leave")
        if let stay = reader.duration("stay") {
            if leave != nil { reader.complain("stay", "stay and leave both say when they leave; keep one of them") }
            if person.joinMs == nil { reader.complain("stay", "stay counts from joining; with join: never use leave") }
            person.leaveMs = (person.joinMs ?? 0) + stay
        } else {
            person.leaveMs = leave
        }
        if let join = person.joinMs, let leave, leave <= join {
            reader.complain("leave", "they would leave at \(leave) ms and join at \(join) ms; leave later")
        }
    }

    private func readMedia() -> PlannedMedia {
        var media = PlannedMedia()
        if let speech = reader.text("speech") { media.sound = .speech(speech) }
        if reader.has("tone") {
            if media.sound != nil { reader.complain("tone", "tone and speech are both sound; keep one of them") }
            media.sound = readTone()
        }
        media.spans = readSpans(hasSound: media.sound != nil)
        if let text = reader.text("card") {
            media.card = ScalarText.picture(text)
            if media.card == nil {
                reader.complain(
                    "card",
                    "\"\(text.shortened)\" is no picture; write 320x180@15: 160x90 to 1920x1080, 1 to 60 a second")
            }
        }
        return media
    }

    /// 0 stands for one of their own.
    private func readTone() -> PlannedMedia.Sound? {
        guard let text = reader.text("tone") else { return nil }
        if text == "auto" { return .tone(0) }
        if let hertz = ScalarText.number(text), (100...4000).contains(hertz) { return .tone(hertz) }
        reader.complain("tone", "tone: \"\(text.shortened)\" is neither 100 to 4000 (Hz) nor auto")
        return nil
    }

    private func readSpans(hasSound: Bool) -> [Range<Int>]? {
        guard let node = reader.node("speaks") else { return nil }
        if !hasSound { reader.complain("speaks", "there is nothing to be heard; give tone or speech") }
        if case .scalar("always", _) = node.content { return nil }
        if case .scalar("never", _) = node.content { return [] }
        let spans = reader.items(node).compactMap { item -> Range<Int>? in
            guard let text = reader.scalar(item, "speaks", "a span such as 2s..5s") else { return nil }
            if let span = ScalarText.span(text), span.lowerBound < durationMs { return span }
            reader.problems.add(
                item.position,
                "speaks: \"\(text.shortened)\" is no span within the scenario; write 2s..5s, always or never")
            return nil
        }
        return Intervals(spans).ranges
    }
}
