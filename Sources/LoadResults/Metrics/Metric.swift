/// One number of a run that can be asserted and compared.
package struct Metric: Sendable {
    /// Which way is better; nil where neither is.
    package enum Better: String, Codable, Sendable { case lower, higher }

    /// `video.freezeRatio`.
    package var name: String
    package var unit: MetricUnit
    /// What it is, half a sentence.
    package var meaning: String
    package var better: Better?
    /// Nil where nothing of the kind was measured.
    package var value: @Sendable (LoadResults) -> Double?

    init(
        _ name: String, _ unit: MetricUnit, _ meaning: String, _ better: Better? = .lower,
        value: @escaping @Sendable (LoadResults) -> Double?
    ) {
        self.name = name
        self.unit = unit
        self.meaning = meaning
        self.better = better
        self.value = value
    }

    /// The metric of that name.
    package static func named(_ name: some StringProtocol) -> Metric? { byName[String(name)] }

    /// The name that is nearest to one that does not exist.
    package static func nearest(to name: some StringProtocol) -> String? {
        let wanted = Array(name.lowercased().prefix(80))
        return all.map { (name: $0.name, distance: editDistance(wanted, Array($0.name.lowercased()))) }
            .min { $0.distance < $1.distance }?.name
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// How many letters have to be put in, taken out or exchanged (Levenshtein).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for (column, other) in right.enumerated() {
            let exchanged = diagonal + (letter == other ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(exchanged, diagonal + 1, row[column] + 1)
        }
    }
    return row[right.count]
}
