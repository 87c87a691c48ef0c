import RTCWire

/// What has been sent and not yet been acknowledged up to its cumulative TSN, and what became of each chunk of it
/// (RFC 9260 sections 6.2.1, 6.3 and 7.2.4; RFC 3758 section 3.5).
struct OutstandingData {
    /// Chunks that may be outstanding. Receivers of ours take none further ahead either.
    static let limit = 16_384

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
    /// Chunks looked at, in all.
    private(set) var steps = 0
    private var items = FIFO<Item>()
    private var detector = LossDetector()
    private var lost = LostChunks()
    /// Ordered streams with messages given up between `cumulative` and `advancePoint`, and the last of them.
    private var skips: [UInt16: (sequence: UInt16, tsn: Int64)] = [:]
    /// A round trip is measured once in its own time.
    private var measureFrom: Int64
    private let canAbandon: Bool

    /// - Parameter canAbandon: the other side knows FORWARD TSN.
    init(initialTSN: UInt32, canAbandon: Bool = true) {
        cumulative = Int64(initialTSN) - 1
        advancePoint = cumulative
        measureFrom = Int64(initialTSN)
        self.canAbandon = canAbandon
    }

    var nextTSN: Int64 { cumulative + 1 + Int64(items.count) }
    /// Nothing waits for an acknowledgement, be it of data or of skipping.
    var isEmpty: Bool { items.isEmpty }
    var hasRoom: Bool { items.count < OutstandingData.limit }
    var mustSkip: Bool { advancePoint > cumulative }

    private func index(_ tsn: Int64) -> Int { Int(tsn - cumulative - 1) }

    // MARK: Sending

    /// Gives a new fragment its TSN.
    mutating func send(_ fragment: SendQueue.Fragment, now: Instant) -> DataChunk {
        var chunk = fragment.chunk
        let tsn = nextTSN
        chunk.tsn = tsn.serial32
        flight += chunk.payload.count
        items.append(
            Item(
                chunk: chunk, message: fragment.message, maximumRetransmissions: fragment.maximumRetransmissions,
                expiry: fragment.expiry, sentAt: now, order: detector.sent(tsn), nextUnreported: tsn))
        return chunk
    }

    /// The first chunk to be sent again of at most `room` payload bytes.
    mutating func resend(room: Int, now: Instant) -> DataChunk? {
        while lostCount > 0, let tsn = lost.first {
            steps += 1
            guard let item = items.at(index(tsn)), item.fate == .lost else {
                lost.removeFirst()
                continue
            }
            guard item.chunk.payload.count <= room else { return nil }
            lost.removeFirst()
            let order = detector.sent(tsn)
            items.update(index(tsn)) { item in
                item.fate = .inFlight
                item.transmissions += 1
                item.sentAt = now
                item.order = order
            }
            flight += item.chunk.payload.count
            noteFound()
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
            acknowledge(cumulative + 1, now, &result, &newest)
            items.removeFirst()
            cumulative += 1
        }
        let highest = acknowledgeGaps(sack.gapBlocks, now, &result, &newest)
        if highest != nil, newest > 0 { detector.acknowledged(newest: newest) }
        result.hasLoss = loseMissing(below: highest)
        advance()
        return result
    }

    /// Blocks that don't ascend are a liar's, and end the list. What earlier SACKs reported is passed over, so the work
    /// is that of the blocks and of what is new in them.
    private mutating func acknowledgeGaps(
        _ blocks: [SackChunk.GapBlock], _ now: Instant, _ result: inout Acknowledgement, _ newest: inout Int64
    ) -> Int64? {
        var highest: Int64?
        for block in blocks {
            let (first, last) = (cumulative + Int64(block.start), cumulative + Int64(block.end))
            guard first > highest ?? cumulative + 1, last >= first, last < nextTSN else { break }
            var tsn = nextUnreported(first)
            while tsn <= last {
                acknowledge(tsn, now, &result, &newest)
                tsn = nextUnreported(tsn + 1)
            }
            highest = last
        }
        return highest
    }

    /// The first TSN from `tsn` on that no gap block has reported; shortens the way for the next time.
    private mutating func nextUnreported(_ tsn: Int64) -> Int64 {
        var end = tsn
        while let item = items.at(index(end)), item.nextUnreported != end {
            steps += 1
            end = item.nextUnreported
        }
        var step = tsn
        while step != end, let next = items.at(index(step))?.nextUnreported {
            items.update(index(step)) { $0.nextUnreported = end }
            step = next
        }
        return end
    }

    private mutating func acknowledge(
        _ tsn: Int64, _ now: Instant, _ result: inout Acknowledgement, _ newest: inout Int64
    ) {
        steps += 1
        guard let item = items.at(index(tsn)) else { return }
        items.update(index(tsn)) { $0.nextUnreported = tsn + 1 }
        // What was given up stays so: a part of a message is of no use, and all of it is to be skipped.
        guard item.fate == .inFlight || item.fate == .lost else {
            if item.fate == .abandoned { result.hasNew = true }
            return
        }
        let size = item.chunk.payload.count
        items.update(index(tsn)) { $0.fate = .acknowledged }
        if item.fate == .inFlight {
            flight -= size
            newest = max(newest, item.order)
            if item.transmissions == 1, tsn >= measureFrom {
                result.roundTrip = now - item.sentAt
                measureFrom = nextTSN
            }
        } else {
            noteFound()
        }
        result.hasNew = true
        result.bytes += size
    }

    /// Chunks below the highest reported one that three SACKs tell to be missing are lost. Drops what has been settled
    /// from the front of the transmissions. True where a chunk was found lost.
    private mutating func loseMissing(below highest: Int64?) -> Bool {
        var hasLoss = false
        while let first = detector.transmissions.first {
            let item = items.at(index(first.tsn))
            if let item, item.order == first.order, item.fate == .inFlight {
                guard let highest, first.tsn < highest, detector.isLost(first) else { break }
                lose(first.tsn)
                hasLoss = true
            }
            steps += 1
            detector.removeFirst()
        }
        return hasLoss
    }

    private mutating func lose(_ tsn: Int64) {
        guard let item = items.at(index(tsn)) else { return }
        if item.fate == .inFlight { flight -= item.chunk.payload.count }
        lostCount += 1
        lost.add(tsn)
        if canAbandon, item.hasNoMoreTries { lost.addExhausted(tsn) }
        let expiry = canAbandon && !item.isExpiring ? item.expiry : nil
        if let expiry { lost.add(tsn, expiring: expiry) }
        items.update(index(tsn)) { item in
            item.fate = .lost
            if expiry != nil { item.isExpiring = true }
        }
    }

    /// A chunk is lost no more.
    private mutating func noteFound() {
        lostCount -= 1
        if lostCount == 0 { lost.removeResendable() }
    }

    /// The retransmission timer ran out: everything in flight is to be sent again.
    mutating func loseAll() {
        while let first = detector.transmissions.first {
            if let item = items.at(index(first.tsn)), item.order == first.order, item.fate == .inFlight {
                lose(first.tsn)
            }
            detector.removeFirst()
        }
        // The other side may take back what it only reported in a gap block (section 6.2).
        if items.first?.fate == .acknowledged { lose(cumulative + 1) }
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
        while let tsn = lost.takeExhausted(now) {
            steps += 1
            items.update(index(tsn)) { $0.isExpiring = false }
            guard let item = items.at(index(tsn)), item.fate == .lost, item.isExhausted(now) else { continue }
            if !abandonMessage(at: index(tsn), item.message) {
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
        case .lost: noteFound()
        case .acknowledged, .abandoned: break
        }
        steps += 1
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
        items.append(
            Item(
                chunk: chunk, message: rest.message, fate: .abandoned, sentAt: now, order: 0, nextUnreported: nextTSN))
        advance()
    }

    private mutating func advance() {
        if advancePoint <= cumulative {
            advancePoint = cumulative
            if !skips.isEmpty { skips.removeAll(keepingCapacity: true) }
        }
        while let item = items.at(index(advancePoint + 1)), item.fate == .abandoned {
            steps += 1
            advancePoint += 1
            guard !item.chunk.isUnordered else { continue }
            skips[item.chunk.stream] = (item.chunk.streamSequence, advancePoint)
        }
    }

    /// FORWARD TSN to the advance point, or as far towards it as `room` bytes can name the streams.
    mutating func skip(room: Int) -> ForwardTSNChunk {
        advance()
        let limit = max(1, (room - ForwardTSNChunk.fixedLength) / 4)
        let named = skips.filter { $0.value.tsn > cumulative }
        guard named.count <= limit else { return skipPart(streams: limit) }
        return ForwardTSNChunk(
            newCumulativeTSN: advancePoint.serial32,
            skipped: named.map { .init(stream: $0.key, streamSequence: $0.value.sequence) })
    }

    /// As far as the first message of one stream too many.
    private func skipPart(streams limit: Int) -> ForwardTSNChunk {
        var sequences: [UInt16: UInt16] = [:]
        var tsn = cumulative
        while tsn < advancePoint, let chunk = items.at(index(tsn + 1))?.chunk {
            if !chunk.isUnordered {
                if sequences.count == limit, sequences[chunk.stream] == nil { break }
                sequences[chunk.stream] = chunk.streamSequence
            }
            tsn += 1
        }
        return ForwardTSNChunk(
            newCumulativeTSN: tsn.serial32,
            skipped: sequences.map { .init(stream: $0.key, streamSequence: $0.value) })
    }
}
