import Foundation

/// A results file: one JSON object, `docs/schema/load-results.json`; or JSON lines, which make as much of one as they hold.
package enum ResultsFile {
    /// Reads either form.
    package static func read(_ data: Data) throws(ResultsFileError) -> LoadResults {
        if MetricsLines.isFirstLine(of: data) { return try MetricsLines.read(data) }
        try checkVersion(data)
        let results = try decode(LoadResults.self, data)
        try results.validate()
        return results
    }

    /// One object with sorted keys, on one line.
    package static func data(_ results: LoadResults) throws(ResultsFileError) -> Data {
        try encode(results, [.sortedKeys, .withoutEscapingSlashes]) + Data("\n".utf8)
    }

    static func encode(_ value: some Encodable, _ format: JSONEncoder.OutputFormatting) throws(ResultsFileError) -> Data
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = format
        do {
            return try encoder.encode(value)
        } catch {
            throw ResultsFileError(problem: "a value is no number that JSON can hold")
        }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws(ResultsFileError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw ResultsFileError(error)
        } catch {
            throw ResultsFileError(problem: "it is no JSON object; results are what callagent load --json writes")
        }
    }

    private struct Version: Decodable { var schemaVersion: SchemaVersion }

    /// A file of another major number is refused by its number and not by the first field that differs.
    static func checkVersion(_ data: Data) throws(ResultsFileError) {
        let version = try decode(Version.self, data).schemaVersion
        guard version.major == LoadResults.schemaVersion.major else {
            throw ResultsFileError(
                place: "schemaVersion",
                problem: "the file is of version \(version), this release reads \(LoadResults.schemaVersion.major).x; "
                    + (version.major > LoadResults.schemaVersion.major
                        ? "use a later callagent" : "run the test again"))
        }
    }
}

extension LoadResults {
    /// A month: longer runs are refused, so that what is drawn of a hostile file stays bounded.
    static let longestRun = 31 * 86_400

    /// Checks what the types alone don't say.
    func validate() throws(ResultsFileError) {
        guard durationSeconds >= 0, durationSeconds <= Double(Self.longestRun) else {
            throw ResultsFileError(place: "durationSeconds", problem: "0 to \(Self.longestRun) are possible")
        }
        var last = -1
        for (index, sample) in seconds.enumerated() {
            guard sample.second > last, sample.second < Self.longestRun else {
                throw ResultsFileError(
                    place: "seconds[\(index)].second", problem: "they have to ascend, from 0 to \(Self.longestRun - 1)")
            }
            last = sample.second
        }
        for (index, participant) in participants.enumerated() {
            try participant.timeline?.validate("participants[\(index)].timeline")
        }
    }
}

extension ParticipantTimeline {
    fileprivate func validate(_ place: String) throws(ResultsFileError) {
        let range = 0..<LoadResults.longestRun
        guard range.contains(startSecond), range.contains(intervalSeconds), intervalSeconds > 0 else {
            throw ResultsFileError(place: place, problem: "startSecond or intervalSeconds is impossible")
        }
        let lengths = [packetsExpected, packetsLost, bytesReceived, frozenMs, spatialLayer].map(\.count)
        guard Set(lengths.filter { $0 > 0 }).count <= 1 else {
            throw ResultsFileError(place: place, problem: "its columns have to be of equal length")
        }
    }
}
