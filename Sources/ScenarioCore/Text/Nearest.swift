/// The known name that a mistyped one is probably meant to be.
enum Nearest {
    /// Nil where none is near: more than a third of the letters would have to change.
    static func name(to word: String, among known: [String]) -> String? {
        let typed = Array(word.lowercased().unicodeScalars.prefix(64))
        let ranked = known.map {
            (name: $0, distance: distance(typed, Array($0.lowercased().unicodeScalars.prefix(64))))
        }
        guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
        return best.distance <= max(1, typed.count / 3) ? best.name : nil
    }

    /// `, did you mean "join"?`, or all that there are.
    static func remedy(for word: String, among known: [String]) -> String {
        if let near = name(to: word, among: known) { return "did you mean \"\(near)\"?" }
        guard !known.isEmpty else { return "there is none" }
        let shown = known.sorted().prefix(24).joined(separator: ", ")
        return "known: \(shown)\(known.count > 24 ? ", ..." : "")"
    }

    /// Letters that are left out, put in, replaced, or exchanged with their neighbours.
    private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        var (before, last) = ([Int](), Array(0...second.count))
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                var best = min(last[j] + (first[i] == second[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[second.count]
    }
}
