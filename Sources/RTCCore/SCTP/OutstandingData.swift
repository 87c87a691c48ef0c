import RTCWire

/// What has been sent and not yet been acknowledged up to its cumulative TSN, and what became of each chunk of it
/// (RFC 9260 sections 6.2.1, 6.3 and 7.2.4; RFC 3758 section 3.5).
struct OutstandingData {
    enum Fate: Hashable {
        case inFlight
        /// To be sent again.
        case lost
        case acknowledged
        /// Given up; the other side is to skip it.
        case abandoned
    }

    struct Item {
        var chunk: DataChunk
        var message: Int64
        var maximumRetransmissions: Int?
        var expiry: Instant?
        var fate = Fate.inFlight
        var sentAt: Instant
        /// Position among all transmissions, so that a chunk sent again is judged by what was sent after it.
        var order: Int64
        var transmissions = 1
        /// Times that something sent later was acknowledged and this was not.
        var missing = 0

        /// May not be sent again.
        func isExhausted(_ now: Instant) -> Bool {
            if let expiry, expiry <= now { return true }
            return maximumRetransmissions.map { transmissions > $0 } ?? false
        }
    }

    /// What a SACK brought.
    struct Acknowledgement {
        var bytes = 0
        var hasAdvanced = false
        var hasNew = false
        var roundTrip: Interval?
        /// Chunks are missing that were not known to be.
        var hasLoss = false
    }

    /// The other side has everything up to here.
    private(set) var cumulative: Int64
    /// Where the other side may be told to skip to: at least `cumulative`.
    private(set) var advancePoint: Int64
    /// Payload bytes in flight.
    private(set) var flight = 0
    private(set) var lostCount = 0
    private var items = FIFO<Item>()
    private var lastOrder: Int64 = 0
    /// A round trip is measured once in its own time.
    private var measureFrom: Int64

    init(initialTSN: UInt32) {
        cumulative = Int64(initialTSN) - 1
        advancePoint = cumulative
        measureFrom = Int64(initialTSN)
    }

    var nextTSN: Int64 { cumulative + 1 + Int64(items.count) }
    /// Nothing waits for an acknowledgement, be it of data or of skipping.
    var isEmpty: Bool { items.isEmpty }
    var mustSkip: Bool { advancePoint > cumulative }

    // MARK: Sending

    /// Gives a new fragment its TSN.
    mutating func send(_ fragment: SendQueue.Fragment, now: Instant) -> DataChunk {
        var chunk = fragment.chunk
        chunk.tsn = nextTSN.serial32
        lastOrder += 1
        flight += chunk.payload.count
        items.append(
            Item(
                chunk: chunk, message: fragment.message, maximumRetransmissions: fragment.maximumRetransmissions,
                expiry: fragment.expiry, sentAt: now, order: lastOrder))
        return chunk
    }

    /// The first chunk to be sent again of at most `room` payload bytes.
    mutating func resend(room: Int, now: Instant) -> DataChunk? {
        guard lostCount > 0 else { return nil }
        for index in 0..<items.count {
            guard let item = items.at(index), item.fate == .lost else { continue }
            guard item.chunk.payload.count <= room else { return nil }
            lastOrder += 1
            let order = lastOrder
            items.update(index) { item in
                item.fate = .inFlight
                item.transmissions += 1
                item.missing = 0
                item.sentAt = now
                item.order = order
            }
            lostCount -= 1
            flight += item.chunk.payload.count
            return item.chunk
        }
        return nil
    }

    // MARK: Acknowledgements

    /// Takes a SACK in; nil for one that is older than what is known, or that acknowledges what was never sent.
    mutating func acknowledge(_ sack: SackChunk, now: Instant) -> Acknowledgement? {
        let tsn = Int64(unwrapping: sack.cumulativeTSN, near: cumulative)
        guard tsn >= cumulative, tsn < nextTSN else { return nil }
        var result = Acknowledgement(hasAdvanced: tsn > cumulative)
        var newest: Int64 = 0
        while cumulative < tsn {
            acknowledge(at: 0, now, &result, &newest)
            items.removeFirst()
            cumulative += 1
        }
        let highest = acknowledgeGaps(sack.gapBlocks, now, &result, &newest)
        if let highest, newest > 0 { countMissing(below: highest, newest, &result) }
        advance()
        return result
    }

    /// Blocks that don't ascend are a liar's, and end the list: so the work is bounded by what is outstanding.
    private mutating func acknowledgeGaps(
        _ blocks: [SackChunk.GapBlock], _ now: Instant, _ result: inout Acknowledgement, _ newest: inout Int64
    ) -> Int? {
        var highest: Int?
        for block in blocks {
            let first = Int(block.start) - 1
            let last = Int(block.end) - 1
            guard first > highest ?? 0, last >= first, last < items.count else { break }
            for index in first...last { acknowledge(at: index, now, &result, &newest) }
            highest = last
        }
        return highest
    }

    private mutating func acknowledge(
        at index: Int, _ now: Instant, _ result: inout Acknowledgement, _ newest: inout Int64
    ) {
        // What was given up stays so: a part of a message is of no use, and all of it is to be skipped.
        guard let item = items.at(index), item.fate == .inFlight || item.fate == .lost else {
            if items.at(index)?.fate == .abandoned { result.hasNew = true }
            return
        }
        let tsn = cumulative + 1 + Int64(index)
        let size = item.chunk.payload.count
        if item.fate == .inFlight {
            flight -= size
            newest = max(newest, item.order)
            if item.transmissions == 1, tsn >= measureFrom {
                result.roundTrip = now - item.sentAt
                measureFrom = nextTSN
            }
        } else {
            lostCount -= 1
        }
        result.hasNew = true
        result.bytes += size
        items.update(index) { $0.fate = .acknowledged }
    }

    /// Chunks below the highest acknowledged one, sent before the newest of what was acknowledged now, are missing; a chunk
    /// found missing three times is lost.
    private mutating func countMissing(below highest: Int, _ newest: Int64, _ result: inout Acknowledgement) {
        for index in 0..<highest {
            let isLost = items.update(index) { item -> Bool in
                guard item.fate == .inFlight, item.order < newest else { return false }
                item.missing += 1
                return item.missing >= 3
            }
            guard isLost == true else { continue }
            lose(index)
            result.hasLoss = true
        }
    }

    private mutating func lose(_ index: Int) {
        let size = items.update(index) { item -> Int in
            item.fate = .lost
            return item.chunk.payload.count
        }
        flight -= size ?? 0
        lostCount += 1
    }

    /// The retransmission timer ran out: everything in flight is to be sent again.
    mutating func loseAll() {
        for index in 0..<items.count where items.at(index)?.fate == .inFlight { lose(index) }
        // The other side may take back what it only reported in a gap block (section 6.2).
        if items.first?.fate == .acknowledged {
            items.update(0) { $0.fate = .lost }
            lostCount += 1
        }
    }

    // MARK: Abandoning

    /// A message of which a part waits in the queue, and whose other part has been given up.
    struct Unfinished: Hashable {
        var message: Int64
        var stream: UInt16
    }

    /// Gives up every message of which a chunk is lost and may not be sent again: by its number of transmissions, or by
    /// time. Messages are not interleaved, so at most one of them is unfinished.
    mutating func abandonExhausted(_ now: Instant) -> Unfinished? {
        guard lostCount > 0 else { return nil }
        var unfinished: Unfinished?
        for index in 0..<items.count {
            guard let item = items.at(index), item.fate == .lost, item.isExhausted(now) else { continue }
            if !abandonMessage(at: index, item.message) {
                unfinished = Unfinished(message: item.message, stream: item.chunk.stream)
            }
        }
        advance()
        return unfinished
    }

    /// Gives up all chunks of the message around `index`; false where its end is not among them.
    private mutating func abandonMessage(at index: Int, _ message: Int64) -> Bool {
        var first = index
        while let item = items.at(first - 1), item.message == message { first -= 1 }
        var last = first
        var hasEnd = false
        while let item = items.at(last), item.message == message {
            abandon(last)
            hasEnd = item.chunk.isEnd
            last += 1
        }
        return hasEnd
    }

    private mutating func abandon(_ index: Int) {
        guard let item = items.at(index) else { return }
        switch item.fate {
        case .inFlight: flight -= item.chunk.payload.count
        case .lost: lostCount -= 1
        case .acknowledged, .abandoned: break
        }
        items.update(index) { $0.fate = .abandoned }
    }

    /// Gives up a message of which a part has not been sent, and puts an end that is never sent in that part's place: the
    /// other side, which may have all that was, must skip to behind it.
    mutating func abandon(_ rest: SendQueue.Rest, now: Instant) {
        var index = items.count - 1
        while let item = items.at(index), item.message == rest.message {
            abandon(index)
            index -= 1
        }
        let chunk = DataChunk(
            tsn: nextTSN.serial32, stream: rest.stream, streamSequence: rest.sequence, protocolID: 0, payload: [],
            isUnordered: rest.isUnordered, isBeginning: false)
        lastOrder += 1
        items.append(Item(chunk: chunk, message: rest.message, fate: .abandoned, sentAt: now, order: lastOrder))
        advance()
    }

    private mutating func advance() {
        advancePoint = max(advancePoint, cumulative)
        while let item = items.at(Int(advancePoint - cumulative)), item.fate == .abandoned { advancePoint += 1 }
    }

    /// FORWARD TSN to the advance point, or as far towards it as `room` bytes can name the streams.
    mutating func skip(room: Int) -> ForwardTSNChunk {
        advance()
        let limit = max(1, (room - ForwardTSNChunk.fixedLength) / 4)
        var skipped: [ForwardTSNChunk.Skipped] = []
        var tsn = cumulative
        while tsn < advancePoint, let item = items.at(Int(tsn - cumulative)) {
            if !item.chunk.isUnordered {
                let entry = ForwardTSNChunk.Skipped(
                    stream: item.chunk.stream, streamSequence: item.chunk.streamSequence)
                if let known = skipped.firstIndex(where: { $0.stream == entry.stream }) {
                    skipped[known] = entry
                } else {
                    guard skipped.count < limit else { break }
                    skipped.append(entry)
                }
            }
            tsn += 1
        }
        return ForwardTSNChunk(newCumulativeTSN: tsn.serial32, skipped: skipped)
    }
}
