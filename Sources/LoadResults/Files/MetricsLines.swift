import Foundation

/// `--metrics FILE`: JSON lines while the run goes on, `docs/schema/load-metrics.json`. The first is the run's header, then
/// comes one a second, the last one says how it ended. Of a tester that was killed all but the last second is there.
package enum MetricsLines {
    package static func header(_ run: RunHeader) throws(ResultsFileError) -> Data {
        try line(Line(type: .run, schemaVersion: LoadResults.schemaVersion, run: run))
    }

    package static func second(_ sample: SecondSample) throws(ResultsFileError) -> Data {
        try line(Line(type: .second, sample: sample))
    }

    /// - Parameter interruption: what ended the run before its time.
    package static func end(
        _ state: RunState, durationSeconds: Double, interruption: String? = nil
    ) throws(ResultsFileError) -> Data {
        try line(Line(type: .end, state: state, durationSeconds: durationSeconds, interruption: interruption))
    }

    /// The results that the lines hold: without participants, and with the histograms that the seconds have. Without a last
    /// line they are partial.
    package static func read(_ data: Data) throws(ResultsFileError) -> LoadResults {
        let lines = data.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first else { throw ResultsFileError(problem: "the file is empty") }
        try ResultsFile.checkVersion(first)
        guard let run = try ResultsFile.decode(Line.self, first).run else {
            throw ResultsFileError(place: "line 1", problem: "the run's header is missing")
        }
        var results = LoadResults(run: run)
        results.state = .partial
        results.interruption = "the tester ended without a word"
        let isCut = data.last != UInt8(ascii: "\n")
        for (index, text) in lines.enumerated().dropFirst() {
            do throws(ResultsFileError) {
                results.add(try ResultsFile.decode(Line.self, text))
            } catch {
                // A line that was being written when the tester was killed.
                if isCut, index == lines.count - 1 { break }
                throw ResultsFileError(place: "line \(index + 1)", problem: error.description)
            }
        }
        try results.validate()
        return results
    }

    /// Whether the file's first line is the header of such lines.
    static func isFirstLine(of data: Data) -> Bool {
        let first = data.prefix { $0 != UInt8(ascii: "\n") }
        guard first.count < 1 << 20 else { return false }
        return (try? JSONDecoder().decode(Line.self, from: first))?.type == .run
    }

    private static func line(_ line: Line) throws(ResultsFileError) -> Data {
        try ResultsFile.encode(line, [.sortedKeys, .withoutEscapingSlashes]) + Data("\n".utf8)
    }
}

/// One line, as it stands in the file.
private struct Line: Codable {
    enum Kind: String, Codable {
        case run, second, end
        /// Of a later release.
        case other

        init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
        }
    }

    var type: Kind
    var schemaVersion: SchemaVersion?
    var run: RunHeader?
    var sample: SecondSample?
    var state: RunState?
    var durationSeconds: Double?
    var interruption: String?
}

extension LoadResults {
    fileprivate mutating func add(_ line: Line) {
        if let sample = line.sample {
            seconds.append(sample)
            durationSeconds = Double(sample.second) + 1
            histograms.add(sample)
        }
        guard line.type == .end, let state = line.state else { return }
        self.state = state
        interruption = line.interruption
        durationSeconds = line.durationSeconds ?? durationSeconds
    }
}

extension RunHistograms {
    /// Adds the times of one second. What has another precision than the first ones is left out.
    fileprivate mutating func add(_ sample: SecondSample) {
        func add(_ times: HistogramSnapshot?, _ sum: inout HistogramSnapshot) {
            guard let times else { return }
            if sum.isEmpty { sum = times } else { sum.add(times) }
        }
        add(sample.join, &join)
        add(sample.latency, &latency)
        add(sample.roundTripTime, &roundTripTime)
    }
}
