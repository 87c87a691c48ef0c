// Bytes of the heap that results hold themselves: a run whose heap has grown by what it reports has lost nothing.

extension LoadResults {
    /// Of its seconds and its participants.
    package var footprint: Int {
        seconds.heapBytes + participants.heapBytes + seconds.reduce(0) { $0 + $1.footprint }
            + participants.reduce(0) { $0 + $1.footprint }
    }
}

extension SecondSample {
    fileprivate var footprint: Int {
        tester.threads.heapBytes + tester.threads.reduce(0) { $0 + $1.name.heapBytes } + saturated.heapBytes
            + [latency, roundTripTime, join].reduce(0) { $0 + ($1?.buckets.heapBytes ?? 0) }
    }
}

extension ParticipantResult {
    fileprivate var footprint: Int {
        identity.heapBytes + room.heapBytes + (failure?.heapBytes ?? 0) + (timeline?.footprint ?? 0)
    }
}

extension ParticipantTimeline {
    /// Of its columns.
    package var footprint: Int {
        [packetsExpected, packetsLost, bytesReceived, frozenMs, spatialLayer].reduce(0) { $0 + $1.heapBytes }
    }
}

/// What an object and the heap put before its elements.
private let header = 48

extension Array {
    fileprivate var heapBytes: Int { capacity == 0 ? 0 : header + capacity * MemoryLayout<Element>.stride }
}

extension String {
    /// Short ones need no memory of their own.
    fileprivate var heapBytes: Int { utf8.count > 15 ? header + utf8.count : 0 }
}
