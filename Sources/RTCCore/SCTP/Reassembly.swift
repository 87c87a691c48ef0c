import RTCWire

/// Fragments on their way to becoming messages, and messages that wait for their turn (RFC 9260 section 6.5, 6.9).
struct Reassembly {
    struct Message: Hashable {
        var stream: UInt16
        var protocolID: UInt32
        var payload: [UInt8]
    }

    enum Outcome: Hashable {
        case taken
        /// More bytes than any message may have.
        case messageTooLarge
    }

    /// Bytes of all fragments held.
    private(set) var bytes = 0
    private(set) var fragments = 0
    private(set) var runs = FragmentRuns()
    private var ordered: [UInt16: OrderedStream] = [:]
    private let maximumMessageSize: Int

    init(maximumMessageSize: Int) { self.maximumMessageSize = maximumMessageSize }

    /// Takes a fragment with a TSN that is new; whole messages are appended to `messages`.
    mutating func add(_ chunk: DataChunk, tsn: Int64, into messages: inout [Message]) -> Outcome {
        // Its message has been skipped or delivered.
        guard chunk.isUnordered || expects(chunk) else { return .taken }
        bytes += chunk.payload.count
        fragments += 1
        let run = runs.add(chunk, tsn: tsn)
        guard run.bytes <= maximumMessageSize else { return .messageTooLarge }
        guard runs.isWhole(run) else { return .taken }
        let message = OrderedStream.Waiting(
            message: Message(runs.take(run), size: run.bytes), fragments: run.count)
        if chunk.isUnordered {
            deliver([message], &messages)
        } else if expects(chunk) {
            let due = ordered[chunk.stream, default: OrderedStream()].add(message, sequence: chunk.streamSequence)
            deliver(due, &messages)
        } else {
            forget(message)
        }
        return .taken
    }

    /// Skips abandoned messages: every unfinished one up to `tsn`, and what the list names of ordered streams.
    mutating func skip(to tsn: Int64, _ skipped: [ForwardTSNChunk.Skipped], into messages: inout [Message]) {
        for run in runs.removeAll(upTo: tsn) { forget(run) }
        for entry in skipped {
            let due = ordered[entry.stream, default: OrderedStream()].skip(to: entry.streamSequence)
            deliver(due, &messages)
        }
    }

    /// Streams of the other side begin anew; empty for all.
    mutating func reset(_ streams: [UInt16]) {
        for stream in streams.isEmpty ? Array(ordered.keys) + runs.streams : streams {
            for message in ordered.removeValue(forKey: stream)?.held.map(\.self) ?? [] { forget(message) }
            for run in runs.removeAll(of: stream) { forget(run) }
        }
    }

    private func expects(_ chunk: DataChunk) -> Bool {
        ordered[chunk.stream]?.expects(chunk.streamSequence) ?? OrderedStream().expects(chunk.streamSequence)
    }

    private mutating func deliver(_ due: [OrderedStream.Waiting], _ messages: inout [Message]) {
        for entry in due {
            forget(entry)
            messages.append(entry.message)
        }
    }

    private mutating func forget(_ entry: OrderedStream.Waiting) {
        bytes -= entry.message.payload.count
        fragments -= entry.fragments
    }

    private mutating func forget(_ run: FragmentRuns.Run) {
        bytes -= run.bytes
        fragments -= run.count
    }
}

extension Reassembly.Message {
    /// All fragments of one message, in order.
    init(_ chunks: [DataChunk], size: Int) {
        stream = chunks.first?.stream ?? 0
        protocolID = chunks.first?.protocolID ?? 0
        if chunks.count == 1 {
            payload = chunks[0].payload
        } else {
            payload = []
            payload.reserveCapacity(size)
            for chunk in chunks { payload += chunk.payload }
        }
    }
}
