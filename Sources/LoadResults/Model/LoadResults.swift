/// What a load test leaves behind: the content of a results file, `docs/schema/load-results.json`.
package struct LoadResults: Codable, Sendable, Equatable {
    /// Readers take every file of their major number: fields that they don't know are passed over.
    package static let schemaVersion = SchemaVersion(major: 1, minor: 3)

    package var schemaVersion = Self.schemaVersion
    package var run: RunHeader
    package var state: RunState = .complete
    /// What ended the run before its time, in words for people; a signal's name, the server's death.
    package var interruption: String?
    package var durationSeconds = 0.0
    /// Ascending by `second`; one in which nothing was sampled may be missing.
    package var seconds: [SecondSample] = []
    package var participants: [ParticipantResult] = []
    package var histograms = RunHistograms()
    /// Messages and remote procedure calls; nil where there were none. Since 1.1.
    package var data: DataCounters?
    /// What was left after each cycle of a soak, when everybody had gone; nil where there were none. Since 1.2.
    package var cycles: [CycleRemainder]?
    package var verdicts = Verdicts()
    /// Of a merged file: the headers of its parts.
    package var shards: [RunHeader]?

    package init(run: RunHeader) { self.run = run }

    /// All seconds together.
    package var audio: MediaCounters { seconds.reduce(into: MediaCounters()) { $0.add($1.audio) } }
    package var video: MediaCounters { seconds.reduce(into: MediaCounters()) { $0.add($1.video) } }
}

/// What was left after a cycle, when everybody had gone.
package struct CycleRemainder: Codable, Sendable, Equatable {
    /// Bytes of heap in use, without what the report itself holds.
    package var heapBytes: Int64
    package var openFiles: Int

    package init(heapBytes: Int64, openFiles: Int) {
        self.heapBytes = heapBytes
        self.openFiles = openFiles
    }
}

/// How much of the run the file holds.
package enum RunState: String, Codable, Sendable {
    /// All that was planned.
    case complete
    /// It ended early and in order: what was measured until then is whole.
    case interrupted
    /// The tester was killed, or a part of a merge is missing: there is no more than this.
    case partial
}

/// Times of the whole run.
package struct RunHistograms: Codable, Sendable, Equatable {
    /// From the beginning of a join to connected media.
    package var join = HistogramSnapshot()
    /// From the same moment to the first packet of sound, and to the first whole picture.
    package var firstAudio = HistogramSnapshot()
    package var firstVideo = HistogramSnapshot()
    /// From capture to reception, by the time that the media carries.
    package var latency = HistogramSnapshot()
    package var roundTripTime = HistogramSnapshot()
    /// From a remote procedure call to its answer; nil where none was made. Since 1.1.
    package var rpc: HistogramSnapshot?

    package init() {}
}
