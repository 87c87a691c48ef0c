import RTCSim
import RTCWire

/// The conditions of a simulated network as a person writes them: `loss=5,delay=20,jitter=5`.
///
/// Shares are percent, times milliseconds, the rate kbit/s; each direction of each participant's path is treated so.
package struct NetworkProfile: Sendable, Hashable, Codable {
    /// Percent of datagrams lost, 0...100.
    package var loss = 0.0
    /// Mean length of a burst of losses in milliseconds, 0 for independent losses; `loss` stays the average.
    package var burst = 0.0
    /// One-way delay in milliseconds, 0...10,000.
    package var delay = 0.0
    /// Further delay in milliseconds, uniform in 0...jitter, 0...10,000.
    package var jitter = 0.0
    /// Percent of datagrams held back by 10 ms, 0...100.
    package var reorder = 0.0
    /// Percent of datagrams that come twice, 0...100.
    package var duplicate = 0.0
    /// Bottleneck in kbit/s, 0 for none.
    package var rate = 0.0
    /// Longest wait at the bottleneck in milliseconds, 0...10,000.
    package var queue = 200.0
    /// Seed of everything random.
    package var seed: UInt64 = 1

    /// A network that changes nothing.
    package init() {}

    /// Reads `name=value` pairs separated by commas. Throws `NetworkProfileError`.
    package init(parsing text: String) throws(NetworkProfileError) {
        var seen: Set<String> = []
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            guard halves.count == 2, !halves[1].isEmpty else { throw .noPair(String(pair)) }
            guard seen.insert(halves[0]).inserted else { throw .repeated(halves[0]) }
            try set(halves[0], halves[1])
        }
        guard burst == 0 || loss > 0 else { throw .burstWithoutLoss }
        guard burst == 0 || loss < 100 else { throw .invalid("loss", "100", range: "less than 100 with burst") }
    }

    private typealias Field = (name: String, range: ClosedRange<Double>, path: WritableKeyPath<Self, Double>)

    private static var fields: [Field] {
        [
            ("loss", 0...100, \.loss), ("burst", 0...60_000, \.burst), ("delay", 0...10_000, \.delay),
            ("jitter", 0...10_000, \.jitter), ("reorder", 0...100, \.reorder), ("duplicate", 0...100, \.duplicate),
            ("rate", 10...10_000_000, \.rate), ("queue", 0...10_000, \.queue),
        ]
    }

    /// The names that `init(parsing:)` knows.
    package static var names: [String] { fields.map(\.name) + ["seed"] }

    private mutating func set(_ name: String, _ text: String) throws(NetworkProfileError) {
        if name == "seed" {
            guard let value = UInt64(text) else { throw .invalid(name, text, range: "a whole number from 0") }
            seed = value
            return
        }
        guard let field = Self.fields.first(where: { $0.name == name }) else { throw .unknown(name) }
        guard let value = Double(text), field.range.contains(value) else {
            let range = "\(Int(field.range.lowerBound)) to \(Int(field.range.upperBound))"
            throw .invalid(name, text, range: range)
        }
        self[keyPath: field.path] = value
    }

    /// What the network model takes.
    package var conditions: NetworkConditions {
        var result = NetworkConditions(delay: .seconds(delay / 1000), jitter: .seconds(jitter / 1000))
        if burst > 0 {
            // In bad times everything is lost; their share of the time is the average loss.
            let good = burst * (100 - loss) / max(loss, 0.001)
            result.bursts = .init(meanGood: .seconds(good / 1000), meanBad: .seconds(burst / 1000))
        } else {
            result.loss = loss / 100
        }
        result.reordering = reorder / 100
        result.duplication = duplicate / 100
        result.rate = rate > 0 ? Int(rate * 1000) : nil
        result.queue = .seconds(queue / 1000)
        return result
    }
}

/// Why a text names no network.
package enum NetworkProfileError: Error, Hashable, CustomStringConvertible {
    case noPair(String)
    case unknown(String)
    case repeated(String)
    case invalid(String, String, range: String)
    case burstWithoutLoss

    package var description: String {
        switch self {
        case .noPair(let text):
            "\"\(text)\" is no name=value pair; write for example loss=5,delay=20,jitter=5,seed=1"
        case .unknown(let name): "\"\(name)\" is unknown; use \(NetworkProfile.names.joined(separator: ", "))"
        case .repeated(let name): "\(name) is given twice; give it once"
        case .invalid(let name, let text, let range): "\(name)=\(text) is not possible; use \(range)"
        case .burstWithoutLoss: "burst needs loss, the average share that is lost; add for example loss=5"
        }
    }
}
