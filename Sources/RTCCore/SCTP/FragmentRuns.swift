import RTCWire

/// Fragments of messages that are not whole yet, as runs of consecutive TSNs that belong to one message.
///
/// A fragment joins the runs beside it by looking up two TSNs, so what else is held costs nothing.
struct FragmentRuns {
    struct Run {
        /// TSNs, both included.
        var first: Int64
        var last: Int64
        /// Of all payloads.
        var bytes: Int
        var stream: UInt16

        var count: Int { Int(last - first) + 1 }
    }

    /// Fragments and runs looked at, in all.
    private(set) var steps = 0
    private var chunks: [Int64: DataChunk] = [:]
    /// By the TSN that they begin with.
    private var runs: [Int64: Run] = [:]
    /// Where the run begins that ends with a TSN.
    private var beginnings: [Int64: Int64] = [:]
    private var runsOfStream: [UInt16: Set<Int64>] = [:]
    /// No run begins at or before this TSN.
    private var floor: Int64 = .min

    /// Adds a fragment whose TSN is new; gives the run that it is in now.
    mutating func add(_ chunk: DataChunk, tsn: Int64) -> Run {
        steps += 1
        var run = Run(first: tsn, last: tsn, bytes: chunk.payload.count, stream: chunk.stream)
        if let left = beginnings[tsn - 1], let before = chunks[tsn - 1], before.isContinued(by: chunk),
            let joined = remove(left)
        {
            run.first = joined.first
            run.bytes += joined.bytes
        }
        if let after = chunks[tsn + 1], chunk.isContinued(by: after), let joined = remove(tsn + 1) {
            run.last = joined.last
            run.bytes += joined.bytes
        }
        chunks[tsn] = chunk
        runs[run.first] = run
        beginnings[run.last] = run.first
        runsOfStream[run.stream, default: []].insert(run.first)
        return run
    }

    /// Whether a run is a whole message.
    func isWhole(_ run: Run) -> Bool {
        chunks[run.first]?.isBeginning == true && chunks[run.last]?.isEnd == true
    }

    /// Takes a run's fragments out, in order.
    mutating func take(_ run: Run) -> [DataChunk] {
        guard remove(run.first) != nil else { return [] }
        steps += run.count
        return (run.first...run.last).compactMap { chunks.removeValue(forKey: $0) }
    }

    /// Drops every run that begins at `tsn` or before, whole; gives what was dropped.
    mutating func removeAll(upTo tsn: Int64) -> [Run] {
        guard tsn > floor else { return [] }
        let (distance, isFar) = tsn.subtractingReportingOverflow(floor)
        let due: [Int64]
        // What is held decides the work where the distance is a liar's.
        if isFar || distance > runs.count {
            steps += runs.count
            due = runs.keys.filter { $0 <= tsn }
        } else {
            steps += Int(distance)
            due = ((floor + 1)...tsn).filter { runs[$0] != nil }
        }
        floor = tsn
        return due.compactMap { drop($0) }
    }

    /// Drops all runs of a stream.
    mutating func removeAll(of stream: UInt16) -> [Run] {
        (runsOfStream[stream] ?? []).compactMap { drop($0) }
    }

    /// Streams of which something is held.
    var streams: [UInt16] { Array(runsOfStream.keys) }

    private mutating func drop(_ first: Int64) -> Run? {
        guard let run = remove(first) else { return nil }
        steps += run.count
        for tsn in run.first...run.last { chunks[tsn] = nil }
        return run
    }

    /// Forgets a run, but not its fragments.
    private mutating func remove(_ first: Int64) -> Run? {
        guard let run = runs.removeValue(forKey: first) else { return nil }
        beginnings[run.last] = nil
        runsOfStream[run.stream]?.remove(first)
        if runsOfStream[run.stream]?.isEmpty == true { runsOfStream[run.stream] = nil }
        return run
    }
}

extension DataChunk {
    /// Whether the chunk with the next TSN is the next fragment of the same message.
    fileprivate func isContinued(by next: DataChunk) -> Bool {
        !isEnd && !next.isBeginning && stream == next.stream && isUnordered == next.isUnordered
            && (isUnordered || streamSequence == next.streamSequence)
    }
}
