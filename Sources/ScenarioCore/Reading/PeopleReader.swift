/// Reads `people`: single ones and crowds, by templates.
struct PeopleReader {
    let problems: ProblemList
    let durationMs: Int
    let networks: Set<String>
    private var templates: [String: MappingReader] = [:]
    private var names: [String: SourcePosition] = [:]
    private var people: [PlannedPerson] = []

    init(_ file: MappingReader, durationMs: Int, networks: Set<String>) {
        problems = file.problems
        self.durationMs = durationMs
        self.networks = networks
        for entry in file.map("templates") {
            templates[entry.key] = MappingReader(entry.value, ScenarioKeys.template, problems)
        }
    }

    mutating func read(_ file: MappingReader) -> [PlannedPerson] {
        for node in file.list("people") {
            guard var reader = MappingReader(node, ScenarioKeys.person, problems) else { continue }
            let template = reader.text("like")
            if let template {
                if let found = templates[template] {
                    reader.inherit(found)
                } else {
                    reader.complain(
                        "like",
                        "there is no template \"\(template.shortened)\"; "
                            + Nearest.remedy(for: template, among: Array(templates.keys)))
                }
            }
            expand(reader, template)
        }
        if people.isEmpty, problems.isEmpty { file.complain("people", "nobody takes part; people needs somebody") }
        for group in Set(people.flatMap(\.groups)).sorted() where names[group] != nil {
            problems.add(names[group] ?? file.position, "\"\(group)\" is a person and a group; rename one of them")
        }
        return people
    }

    // MARK: Crowds

    private mutating func expand(_ reader: MappingReader, _ template: String?) {
        guard let pattern = reader.text("name") else { return }
        // Before it is put together for each of a crowd.
        guard pattern.utf8.count <= 2 * PeopleReader.longestName else {
            return reader.complain("name", PeopleReader.lengthProblem)
        }
        let count = reader.integer("count")
        let isPattern = pattern.range(of: "{n}") != nil
        if count != nil, !isPattern {
            return reader.complain("name", "\"\(pattern.shortened)\" of a crowd needs {n}: viewer-{n}")
        }
        if count == nil, isPattern, !reader.has("count") {
            return reader.complain("name", "{n} is for a crowd; give it a count")
        }
        if count == nil, reader.has("count") { return }
        guard people.count + (count ?? 1) <= ScenarioLimits.people else {
            return reader.complain("name", "these are more than \(ScenarioLimits.people) people in all")
        }
        guard var model = PersonReader(reader, durationMs: durationMs, networks: networks).read() else { return }
        if let template { model.groups.insert(template) }
        if let group = reader.text("group") { model.groups.insert(group) }
        if count != nil, !reader.has("group") { model.groups.insert(PeopleReader.stem(pattern)) }
        if !reader.has("measure"), count ?? 1 > PeopleReader.decodedCrowd { model.reception.isCounted = true }
        let interval = reader.duration("every") ?? 0
        let first = reader.integer("first") ?? 1
        for index in 0..<(count ?? 1) {
            add(model, pattern.replacing("{n}", by: "\(first + index)"), delay: index * interval, reader)
        }
    }

    /// More than so many of one kind are counted, not decoded.
    private static let decodedCrowd = 20

    private static func stem(_ pattern: String) -> String {
        var stem = pattern.replacing("{n}", by: "")
        while let last = stem.last, "-_. ".contains(last) { stem.removeLast() }
        return stem.isEmpty ? "crowd" : stem
    }

    private mutating func add(_ model: PlannedPerson, _ name: String, delay: Int, _ reader: MappingReader) {
        let position = reader.position(of: "name")
        if let problem = PeopleReader.problem(with: name) { return problems.add(position, problem) }
        if let earlier = names[name] {
            return problems.add(
                position,
                "\"\(name.shortened)\" is there already, in line \(earlier.line); give everybody a name of their own")
        }
        names[name] = position
        var person = model
        person.identity = name
        person.joinMs = model.joinMs.map { $0 + delay }
        if reader.has("stay"), let leave = model.leaveMs { person.leaveMs = leave + delay }
        if let join = person.joinMs, join >= durationMs {
            problems.add(
                position, "\"\(name.shortened)\" would join at \(join) ms, when the scenario is over (\(durationMs) ms)"
            )
        }
        people.append(person)
    }

    private static let longestName = 128
    private static let lengthProblem = "a name has 1 to \(longestName) bytes"

    private static func problem(with name: String) -> String? {
        if ["all", "others", "nobody"].contains(name) { return "\"\(name)\" means somebody else; choose another name" }
        guard !name.isEmpty, name.utf8.count <= longestName else { return lengthProblem }
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0.properties.numericType != nil || "-_.@ ".unicodeScalars.contains($0)
        }
        return isPlain ? nil : "\"\(name.shortened)\" has characters beside letters, digits, - _ . @ and spaces"
    }
}
