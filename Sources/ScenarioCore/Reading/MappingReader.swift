/// Reads one mapping by its table of keys. What is wrong goes onto the list, and the value counts as not given.
struct MappingReader {
    let position: SourcePosition
    let table: KeyTable
    let problems: ProblemList
    private var entries: [String: ScenarioNode.Entry] = [:]
    /// Entries of a template, for keys that the mapping itself does not have.
    private var inherited: [String: ScenarioNode.Entry] = [:]

    /// Nil where it is no mapping.
    init?(_ node: ScenarioNode, _ table: KeyTable, _ problems: ProblemList) {
        position = node.position
        self.table = table
        self.problems = problems
        guard case .mapping(let entries) = node.content else {
            problems.add(node.position, "\(table.name) is a mapping of key: value, not \(node.kind)")
            return nil
        }
        for entry in entries {
            guard table[entry.key] != nil else {
                problems.add(
                    entry.keyPosition,
                    "\(table.name) has no key \"\(entry.key.shortened)\"; "
                        + Nearest.remedy(for: entry.key, among: table.names))
                continue
            }
            self.entries[entry.key] = entry
        }
        for key in table.keys where key.isRequired && self.entries[key.name] == nil {
            problems.add(position, "\(table.name) needs the key \"\(key.name)\": \(key.text)")
        }
    }

    /// What is not said here is as it is there.
    mutating func inherit(_ template: MappingReader) { inherited = template.entries }

    func has(_ key: String) -> Bool { entry(key) != nil }

    func entry(_ key: String) -> ScenarioNode.Entry? {
        assert(table[key] != nil, "\(key) is in no table")
        return entries[key] ?? inherited[key]
    }

    func node(_ key: String) -> ScenarioNode? { entry(key)?.value }

    func position(of key: String) -> SourcePosition { entry(key)?.value.position ?? position }

    func complain(_ key: String, _ text: @autoclosure () -> String) { problems.add(position(of: key), text()) }

    // MARK: Values

    func text(_ key: String) -> String? { node(key).flatMap { scalar($0, key, "a text") } }

    func duration(_ key: String) -> Int? {
        guard let node = node(key), let text = scalar(node, key, "a duration such as 1.5s") else { return nil }
        if let value = ScalarText.duration(text) { return value }
        let isBare = ScalarText.number(text) != nil
        problems.add(
            node.position,
            isBare
                ? "\(key): \(text) has no unit; write \(text)s or \(text)ms"
                : "\(key): \"\(text.shortened)\" is no duration; write 200ms, 1.5s, 10m or 1h, 24h at most")
        return nil
    }

    func integer(_ key: String) -> Int? {
        guard let node = node(key), case .integer(let range) = table[key]?.type else { return nil }
        guard let text = scalar(node, key, "a number") else { return nil }
        if let value = Int(text), range.contains(value) { return value }
        problems.add(
            node.position,
            "\(key): \"\(text.shortened)\" is no whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    func number(_ key: String) -> Double? {
        guard let node = node(key), case .number(let range) = table[key]?.type else { return nil }
        guard let text = scalar(node, key, "a number") else { return nil }
        if let value = ScalarText.number(text), range.contains(value) { return value }
        problems.add(
            node.position,
            "\(key): \"\(text.shortened)\" is no number from \(Decimal.text(range.lowerBound)) to "
                + "\(Decimal.text(range.upperBound))")
        return nil
    }

    func boolean(_ key: String) -> Bool? {
        guard let node = node(key), let text = scalar(node, key, "true or false") else { return nil }
        if let value = ScalarText.boolean(text) { return value }
        problems.add(node.position, "\(key): \"\(text.shortened)\" is neither true nor false")
        return nil
    }

    func rectangle(_ key: String) -> StoryMask? {
        guard let node = node(key), let text = scalar(node, key, "an area such as 160x32+80+96") else { return nil }
        if let mask = ScalarText.rectangle(text) { return mask }
        problems.add(
            node.position, "\(key): \"\(text.shortened)\" is no area; write width x height + x + y as 160x32+80+96")
        return nil
    }

    func limit(_ key: String) -> Limit? {
        guard let node = node(key), case .limit(let unit) = table[key]?.type else { return nil }
        let example = Self.example(unit)
        guard let text = scalar(node, key, "a limit such as \"\(example)\"") else { return nil }
        if let limit = ScalarText.limit(text, unit) { return limit }
        problems.add(node.position, "\(key): \"\(text.shortened)\" is no limit; write it as \"\(example)\"")
        return nil
    }

    private static func example(_ unit: LimitUnit) -> String {
        switch unit {
        case .count: ">= 40"
        case .percent: "< 2%"
        case .duration: "< 500ms"
        }
    }

    /// One of the table's words.
    func choice(_ key: String) -> String? {
        guard let node = node(key), case .choice(let words) = table[key]?.type else { return nil }
        return word(node, key, words)
    }

    /// Some of the table's words, each once.
    func choices(_ key: String) -> [String]? {
        guard let node = node(key), case .choices(let words) = table[key]?.type else { return nil }
        return items(node).compactMap { word($0, key, words) }
    }

    private func word(_ node: ScenarioNode, _ key: String, _ words: [String]) -> String? {
        guard let text = scalar(node, key, "one of \(words.joined(separator: ", "))") else { return nil }
        if words.contains(text) { return text }
        problems.add(
            node.position, "\(key): there is no \"\(text.shortened)\"; \(Nearest.remedy(for: text, among: words))")
        return nil
    }

    /// Names with their places.
    func names(_ key: String) -> [(name: String, position: SourcePosition)]? {
        guard let node = node(key) else { return nil }
        return items(node).compactMap { item in scalar(item, key, "a name").map { ($0, item.position) } }
    }

    /// A list's items; what stands alone is a list of one.
    func items(_ node: ScenarioNode) -> [ScenarioNode] {
        if case .list(let items) = node.content { return items }
        return [node]
    }

    /// The items of a list of mappings.
    func list(_ key: String) -> [ScenarioNode] {
        guard let node = node(key) else { return [] }
        if case .list(let items) = node.content { return items }
        problems.add(node.position, "\(key) is a list; begin each item with \"- \"")
        return []
    }

    /// The entries of a mapping by name.
    func map(_ key: String) -> [ScenarioNode.Entry] {
        guard let node = node(key) else { return [] }
        if case .mapping(let entries) = node.content { return entries }
        problems.add(node.position, "\(key) is a mapping of names, not \(node.kind)")
        return []
    }

    func scalar(_ node: ScenarioNode, _ key: String, _ wanted: String) -> String? {
        if case .scalar(let text, let isQuoted) = node.content, isQuoted || !text.isEmpty { return text }
        problems.add(node.position, "\(key): \(node.kind) stands where \(wanted) belongs")
        return nil
    }
}
