/// What a run has measured. Memory is what the process has for itself (`RssAnon`), in bytes.
struct BudgetFigures: Sendable, Hashable {
    /// Of the program, as it is loaded: without what debuggers read.
    var loadedBytes = 0
    /// Memory before the threads and providers of calls are made, after that, and in the call.
    var memoryAtStart = 0
    var memoryReady = 0
    var memoryBeforeCall = 0
    var memoryInCall = 0
    /// Heap in use that came with the call.
    var heapOfCall = 0
    var call = BudgetCall.Cost()
    /// Signalling of all who got in, both directions.
    var joinBytes = 0
    var narrow = BudgetCall.Cost()
    /// Kilobits a second of the narrow network.
    var narrowRate = 0.0
    var talk = BudgetConversation.Cost()

    /// The rows, in the order of the sources. A debug build's size and processor time say nothing of what is shipped.
    ///
    /// - Parameter limits: those that take the place of the sources', by the rows' names.
    func rows(isDebug: Bool, limits: [String: Double] = [:]) -> [BudgetRow] {
        (program(isDebug) + memory + callRows(isDebug) + narrowRows + talkRows).map { row in
            var row = row
            if let limit = limits[row.name] { row.limit = limit }
            return row
        }
    }

    /// What `--limit` may name.
    static var names: [String] { BudgetFigures().rows(isDebug: false).map(\.name) }

    private static let megabyte = 1e6
    private var people: Double { Double(max(1, call.participants)) }

    private func program(_ isDebug: Bool) -> [BudgetRow] {
        [
            // 5 MB without a provider, about 22 with LiveKit, about 30 with Vonage: this program has both, and beside them the
            // server and the tools, which are given 3.
            BudgetRow(
                name: "size", source: "N1", what: "the program as it is loaded, both providers in it",
                figure: Double(loadedBytes) / Self.megabyte, unit: "MB", limit: isDebug ? nil : 50,
                remedy: "see which target has grown: size -A, or nm --size-sort")
        ]
    }

    private var memory: [BudgetRow] {
        let before = Double(memoryReady) / Self.megabyte
        return [
            BudgetRow(
                name: "initialising", source: "N2", what: "memory for threads and providers, before any call",
                figure: Double(max(0, memoryReady - memoryAtStart)) / Self.megabyte, unit: "MB", limit: 4,
                remedy: "make nothing before the first call that only a call needs"),
            BudgetRow(
                name: "ready", source: "N2", what: "memory of the process, ready for a call",
                figure: before, unit: "MB", limit: 29,
                remedy: "look at what is made at the start: heaptrack callagent budget"),
            BudgetRow(
                name: "call-memory", source: "N2", what: "memory of the process in the call, server and all in it",
                figure: Double(memoryInCall) / Self.megabyte, unit: "MB", limit: 400,
                remedy: "use fewer participants or smaller pictures, or look for what holds frames"),
            BudgetRow(
                name: "participant-memory", source: "N2", what: "of it for each participant",
                figure: Double(max(0, memoryInCall - memoryBeforeCall)) / people / Self.megabyte, unit: "MB",
                limit: 100,
                remedy: "look at picture pools and jitter buffers"),
            BudgetRow(
                name: "participant-heap", source: "", what: "heap in use for each participant",
                figure: Double(max(0, heapOfCall)) / people / Self.megabyte, unit: "MB", remedy: "a limit of yours"),
        ]
    }

    private func callRows(_ isDebug: Bool) -> [BudgetRow] {
        [
            BudgetRow(
                name: "cpu", source: "N2",
                what: "processor time of a participant in a minute, the server's share in it",
                figure: call.cpuSecondsPerMinute, unit: "s", limit: isDebug ? nil : 30,
                remedy: "docs/performance.md says where the time goes"),
            BudgetRow(
                name: "pictures", source: "", what: "share of the pictures that were due and arrived",
                figure: call.share, unit: "", limit: 0.5, bound: .least,
                remedy: "nothing was measured of a call that has no pictures; is the machine busy?"),
            BudgetRow(
                name: "up", source: "", what: "sent by a participant in a minute",
                figure: call.sentPerMinute / Self.megabyte, unit: "MB", remedy: "a limit of yours"),
            BudgetRow(
                name: "down", source: "", what: "received by a participant in a minute",
                figure: call.receivedPerMinute / Self.megabyte, unit: "MB", remedy: "a limit of yours"),
            BudgetRow(
                name: "join", source: "N3", what: "signalling until a participant is in the call",
                figure: Double(joinBytes) / people / Self.megabyte, unit: "MB", limit: 0.3,
                remedy: "look at the descriptions: callagent call --log-level trace"),
        ]
    }

    private var narrowRows: [BudgetRow] {
        [
            BudgetRow(
                name: "narrow", source: "N5", what: "sent where the network carries \(Int(narrowRate)) kbit/s",
                figure: narrow.sentPerMinute * 8 / 60 / 1_000, unit: "kbit/s", limit: narrowRate * 1.1,
                remedy: "the sender does not follow its network: docs/congestion.md"),
            BudgetRow(
                name: "narrow-pictures", source: "N5", what: "share of the pictures that arrive through it",
                figure: narrow.share, unit: "", limit: 0.3, bound: .least,
                remedy: "the call does not live in a narrow network: docs/quality.md"),
        ]
    }

    private var talkRows: [BudgetRow] {
        [
            BudgetRow(
                name: "message", source: "N3", what: "a message beside its own text: HTTP, and the news of it",
                figure: talk.overheadBytes / 1_000, unit: "KB", limit: 4,
                remedy: "look at the token and the fields of requests"),
            BudgetRow(
                name: "share-rate", source: "N4", what: "frames a second of a screen that always changes",
                figure: talk.framesPerSecond, unit: "/s", limit: 5.5,
                remedy: "the rate that the server allows is not kept"),
            BudgetRow(
                name: "share-image", source: "N4", what: "each image of them: what has changed goes in tiles",
                figure: talk.bytesPerTile / 1_000, unit: "KB", limit: 20,
                remedy: "tiles are not halved where they are too large: docs/co-browsing.md"),
            BudgetRow(
                name: "share-bytes", source: "N4", what: "all of them in a second",
                figure: talk.sharedPerSecond / 1_000, unit: "KB", limit: 120,
                remedy: "neither quality nor rate follows the budget of bytes: docs/co-browsing.md"),
        ]
    }
}
