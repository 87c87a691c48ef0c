import RTCWire

extension LinkProfile {
    /// How a value is written, beside a plain number.
    enum Unit {
        /// `5`, `5%`.
        case percent
        /// `20`, `20ms`, `2s`.
        case milliseconds
        /// `500`, `500k`, `2M`.
        case kilobits
    }

    typealias Field = (name: String, range: ClosedRange<Double>, unit: Unit, path: WritableKeyPath<Self, Double>)

    static var fields: [Field] {
        [
            ("loss", 0...100, .percent, \.loss), ("burst", 0...60_000, .milliseconds, \.burst),
            ("burst-loss", 1...100, .percent, \.burstLoss), ("delay", 0...10_000, .milliseconds, \.delay),
            ("jitter", 0...10_000, .milliseconds, \.jitter), ("reorder", 0...100, .percent, \.reorder),
            ("reorder-delay", 0...10_000, .milliseconds, \.reorderDelay),
            ("duplicate", 0...100, .percent, \.duplicate), ("rate", 10...10_000_000, .kilobits, \.rate),
            ("queue", 0...10_000, .milliseconds, \.queue),
        ]
    }
}

/// Reads the text of a network: pairs for both directions first, those of one direction after them.
struct NetworkProfileReader {
    private struct Pair {
        /// As written.
        var key: String
        var name: String
        var isUp: Bool
        var isDown: Bool
        var value: String

        var isGeneral: Bool { isUp && isDown }
    }

    private var start = NetworkProfile()
    private var pairs: [Pair] = []

    /// Most bytes of the text.
    static let longest = 4096

    init(_ text: String) throws(NetworkProfileError) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        var seen: Set<String> = []
        for (index, part) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            let halves = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if index == 0, halves.count == 1, !part.contains("=") {
                guard let preset = NetworkProfile.preset(halves[0]) else { throw .noProfile(halves[0]) }
                start = preset
                continue
            }
            guard halves.count == 2, !halves[1].isEmpty else { throw .noPair(String(part)) }
            guard seen.insert(halves[0]).inserted else { throw .repeated(halves[0]) }
            pairs.append(Self.pair(halves[0], halves[1]))
        }
    }

    private static func pair(_ key: String, _ value: String) -> Pair {
        for direction in ["up.", "down."] where key.hasPrefix(direction) {
            return Pair(
                key: key, name: String(key.dropFirst(direction.count)), isUp: direction == "up.",
                isDown: direction == "down.", value: value)
        }
        return Pair(key: key, name: key, isUp: true, isDown: true, value: value)
    }

    func profile(
        _ read: (String) throws(NetworkProfileError) -> [UInt8]
    ) throws(NetworkProfileError) -> NetworkProfile {
        var profile = start
        for pair in pairs where pair.isGeneral { try set(pair, &profile, read) }
        for pair in pairs where !pair.isGeneral { try set(pair, &profile, read) }
        for link in [profile.up, profile.down] where link.burst > 0 {
            guard link.loss > 0 else { throw .burstWithoutLoss }
            guard link.loss < link.burstLoss else {
                throw .invalid("loss", link.loss.text, range: "less than \(link.burstLoss.text) with burst")
            }
        }
        return profile
    }

    private func set(
        _ pair: Pair, _ profile: inout NetworkProfile, _ read: (String) throws(NetworkProfileError) -> [UInt8]
    ) throws(NetworkProfileError) {
        switch (pair.name, pair.isGeneral) {
        case ("seed", true):
            guard let value = UInt64(pair.value) else {
                throw .invalid(pair.key, pair.value, range: "a whole number from 0")
            }
            profile.seed = value
        case ("rebind", true):
            guard let value = Self.number(pair.value, .milliseconds), value == 0 || (100...86_400_000).contains(value)
            else { throw .invalid(pair.key, pair.value, range: "100ms to 86400s, or 0") }
            profile.rebind = value
        case ("trace", _): try setTrace(pair, &profile, read)
        case ("blackout", _):
            let outages = try Self.outages(pair)
            if pair.isUp { profile.up.blackouts = outages }
            if pair.isDown { profile.down.blackouts = outages }
        default: try setField(pair, &profile)
        }
    }

    private func setField(_ pair: Pair, _ profile: inout NetworkProfile) throws(NetworkProfileError) {
        guard let field = LinkProfile.fields.first(where: { $0.name == pair.name }) else { throw .unknown(pair.key) }
        guard let value = Self.number(pair.value, field.unit), field.range.contains(value) else {
            let range = "\(Int(field.range.lowerBound)) to \(Int(field.range.upperBound))"
            throw .invalid(pair.key, pair.value, range: range)
        }
        if pair.isUp { profile.up[keyPath: field.path] = value }
        if pair.isDown { profile.down[keyPath: field.path] = value }
    }

    private func setTrace(
        _ pair: Pair, _ profile: inout NetworkProfile, _ read: (String) throws(NetworkProfileError) -> [UInt8]
    ) throws(NetworkProfileError) {
        let bytes = try read(pair.value)
        let file: NetworkTraceFile
        do throws(NetworkTraceError) { file = try NetworkTraceFile(parsing: bytes) } catch {
            throw .trace(pair.value, error)
        }
        if pair.isUp { profile.up.trace = file.up }
        if pair.isDown { profile.down.trace = file.down }
    }

    /// `LENGTH@START` or `LENGTH@START/PERIOD`, several joined by `+`.
    private static func outages(_ pair: Pair) throws(NetworkProfileError) -> [NetworkOutage] {
        var outages: [NetworkOutage] = []
        for part in pair.value.split(separator: "+", omittingEmptySubsequences: false) {
            let halves = part.split(separator: "@", maxSplits: 1).map(String.init)
            let times = halves.count == 2 ? halves[1].split(separator: "/", maxSplits: 1).map(String.init) : []
            let numbers = (halves.prefix(1) + times).map { number($0, .milliseconds) ?? -1 }
            guard numbers.count >= 2, numbers.allSatisfy({ (0...86_400_000).contains($0) }), numbers[0] >= 1,
                numbers.count == 2 || numbers[2] > numbers[0]
            else {
                throw .invalid(pair.key, String(part), range: "LENGTH@START or LENGTH@START/PERIOD, as 8s@20s/60s")
            }
            outages.append(
                NetworkOutage(
                    start: interval(numbers[1]), length: interval(numbers[0]),
                    period: numbers.count == 3 ? interval(numbers[2]) : nil))
        }
        return outages
    }

    /// To the nearest nanosecond, so that what is written reads the same again.
    private static func interval(_ milliseconds: Double) -> Interval {
        Interval(nanoseconds: Int64((milliseconds * 1e6).rounded()))
    }

    /// A number, with a unit or without.
    private static func number(_ text: String, _ unit: LinkProfile.Unit) -> Double? {
        // A number would end at a zero byte, and what follows be overlooked.
        guard !text.utf8.contains(0) else { return nil }
        let factors: [(String, Double)] =
            switch unit {
            case .percent: [("%", 1)]
            case .milliseconds: [("ms", 1), ("s", 1000)]
            case .kilobits: [("k", 1), ("M", 1000)]
            }
        for (suffix, factor) in factors where text.hasSuffix(suffix) {
            return Double(text.dropLast(suffix.count)).map { $0 * factor }
        }
        return Double(text)
    }
}

extension Double {
    fileprivate var text: String { self == rounded() && magnitude < 1e15 ? String(Int(self)) : String(self) }
}
