import RTCWire

/// Which TSNs have come: what SACKs say, and when they are due (RFC 9260 section 6.2).
struct ReceiveTracker {
    enum Arrival {
        case new
        case duplicate
        /// Too far ahead, or one gap too many: as if it had been lost.
        case refused
    }

    /// Everything up to here has come or been skipped.
    private(set) var cumulative: Int64
    /// What came beyond, ascending and apart from each other.
    private(set) var ranges: [ClosedRange<Int64>] = []
    private var duplicates: [UInt32] = []
    /// Packets with data since the last SACK.
    private var unacknowledged = 0
    private(set) var isAcknowledgementDue = false
    /// The first data is answered at once, so that the other side learns the round trip.
    private var hasAcknowledged = false
    private let span: Int64
    private let maximumGaps: Int

    private static let duplicateLimit = 16

    init(initialTSN: UInt32, configuration: SCTPConfiguration) {
        cumulative = Int64(initialTSN) - 1
        span = Int64(min(configuration.maximumFragments, 65_535))
        maximumGaps = configuration.maximumGaps
    }

    func unwrap(_ tsn: UInt32) -> Int64 { Int64(unwrapping: tsn, near: cumulative) }

    /// Whether `tsn` is new and may be taken.
    func judge(_ tsn: Int64) -> Arrival {
        if tsn <= cumulative { return .duplicate }
        guard tsn - cumulative <= span else { return .refused }
        let index = position(of: tsn)
        if index < ranges.count, ranges[index].contains(tsn) { return .duplicate }
        return isAdjacent(tsn, index) || ranges.count < maximumGaps ? .new : .refused
    }

    /// Takes in a TSN that `judge` found new.
    mutating func note(_ tsn: Int64, isImmediate: Bool) {
        if tsn == cumulative + 1 {
            cumulative = tsn
            absorb()
        } else {
            insert(tsn)
        }
        if isImmediate || !ranges.isEmpty { isAcknowledgementDue = true }
    }

    mutating func noteDuplicate(_ tsn: UInt32) {
        if duplicates.count < ReceiveTracker.duplicateLimit { duplicates.append(tsn) }
        isAcknowledgementDue = true
    }

    /// The packet is at its end: every second one with data is answered at once.
    mutating func packetEnded(withData: Bool) {
        guard withData else { return }
        unacknowledged += 1
        if unacknowledged >= 2 || !hasAcknowledged { isAcknowledgementDue = true }
    }

    /// Something of the received data waits to be acknowledged.
    var isAcknowledgementPending: Bool { isAcknowledgementDue || unacknowledged > 0 }

    mutating func askForAcknowledgement() { isAcknowledgementDue = true }

    /// What was abandoned up to `tsn` is not waited for any more.
    mutating func skip(to tsn: Int64) {
        guard tsn > cumulative else { return }
        cumulative = tsn
        ranges.removeAll { $0.upperBound <= tsn }
        absorb()
    }

    /// The SACK that says it all, of at most `room` bytes.
    mutating func acknowledge(window: UInt32, room: Int) -> SackChunk {
        let entries = max(0, (room - SackChunk.fixedLength) / 4)
        let blocks = ranges.prefix(entries).map { range in
            SackChunk.GapBlock(
                start: UInt16(clamping: range.lowerBound - cumulative),
                end: UInt16(clamping: range.upperBound - cumulative))
        }
        let repeats = Array(duplicates.prefix(entries - blocks.count))
        duplicates.removeAll(keepingCapacity: true)
        unacknowledged = 0
        isAcknowledgementDue = false
        hasAcknowledged = true
        return SackChunk(
            cumulativeTSN: cumulative.serial32, receiverWindow: window, gapBlocks: Array(blocks), duplicates: repeats)
    }

    // MARK: Ranges

    /// Index of the first range that ends at `tsn` or later.
    private func position(of tsn: Int64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < tsn { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isAdjacent(_ tsn: Int64, _ index: Int) -> Bool {
        tsn == cumulative + 1 || (index > 0 && ranges[index - 1].upperBound + 1 == tsn)
            || (index < ranges.count && ranges[index].lowerBound - 1 == tsn)
    }

    private mutating func insert(_ tsn: Int64) {
        let index = position(of: tsn)
        let joinsBefore = index > 0 && ranges[index - 1].upperBound + 1 == tsn
        let joinsAfter = index < ranges.count && ranges[index].lowerBound - 1 == tsn
        switch (joinsBefore, joinsAfter) {
        case (true, true):
            ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
            ranges.remove(at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...tsn
        case (false, true): ranges[index] = tsn...ranges[index].upperBound
        case (false, false): ranges.insert(tsn...tsn, at: index)
        }
    }

    /// Moves the cumulative TSN over what follows it without a gap.
    private mutating func absorb() {
        while let first = ranges.first, first.lowerBound <= cumulative + 1 {
            cumulative = max(cumulative, first.upperBound)
            ranges.removeFirst()
        }
    }
}
