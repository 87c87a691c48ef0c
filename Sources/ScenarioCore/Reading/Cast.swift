/// Who can be named: people by identity, and groups of them.
struct Cast {
    private(set) var identities: [String] = []
    private var known: Set<String> = []
    private var groups: [String: [String]] = [:]
    private let remedies = Remedies()

    /// What was said of names that nobody has: the same one may be asked for by each of a crowd.
    private final class Remedies {
        var known: [String: String] = [:]
    }

    init(_ people: [PlannedPerson]) {
        for person in people {
            identities.append(person.identity)
            known.insert(person.identity)
            for group in person.groups { groups[group, default: []].append(person.identity) }
        }
    }

    /// Identities that a name stands for; nil for a name that nobody has.
    func resolve(_ name: String) -> [String]? {
        if name == "all" { return identities }
        if known.contains(name) { return [name] }
        return groups[name]
    }

    /// All of several names, each once, in their order. Unknown ones go onto the list.
    func resolve(
        _ names: [(name: String, position: SourcePosition)], _ problems: ProblemList
    ) -> [(identity: String, position: SourcePosition)] {
        var seen: Set<String> = []
        var result: [(identity: String, position: SourcePosition)] = []
        for (name, position) in names {
            guard let found = resolve(name) else {
                problems.add(position, "nobody is called \"\(name.shortened)\"; \(remedy(for: name))")
                continue
            }
            for identity in found where seen.insert(identity).inserted { result.append((identity, position)) }
        }
        return result
    }

    private func remedy(for name: String) -> String {
        if let known = remedies.known[name] { return known }
        let remedy = Nearest.remedy(for: name, among: suggestions)
        remedies.known[name] = remedy
        return remedy
    }

    /// Of crowds their groups are enough.
    private var suggestions: [String] {
        ["all"] + groups.keys.sorted().prefix(200) + identities.prefix(200)
    }
}
