import RTCWire

/// Fragments on their way to becoming messages, and messages that wait for their turn (RFC 9260 section 6.5, 6.9).
struct Reassembly {
    struct Fragment {
        var tsn: Int64
        var chunk: DataChunk
    }

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
    private var ordered: [UInt16: OrderedStream] = [:]
    private var unordered: [UInt16: [Fragment]] = [:]
    private let maximumMessageSize: Int

    init(maximumMessageSize: Int) { self.maximumMessageSize = maximumMessageSize }

    /// Takes a fragment with a TSN that is new; whole messages are appended to `messages`.
    mutating func add(_ fragment: Fragment, into messages: inout [Message]) -> Outcome {
        bytes += fragment.chunk.payload.count
        fragments += 1
        let before = messages.count
        let outcome: Outcome
        if fragment.chunk.isUnordered {
            outcome = addUnordered(fragment, &messages)
        } else {
            outcome = ordered[fragment.chunk.stream, default: OrderedStream()].add(
                fragment, limit: maximumMessageSize, &messages, &self.dropped)
        }
        settle(messages, from: before)
        return outcome
    }

    /// What an ordered stream threw away without delivering it.
    private var dropped = Dropped()

    struct Dropped {
        var bytes = 0
        var fragments = 0

        mutating func count(_ list: [Fragment]) {
            fragments += list.count
            for fragment in list { bytes += fragment.chunk.payload.count }
        }
    }

    private mutating func settle(_ messages: [Message], from start: Int) {
        bytes -= dropped.bytes
        fragments -= dropped.fragments
        dropped = Dropped()
    }

    /// Skips abandoned messages: everything unordered up to `tsn`, and what the list names of ordered streams.
    mutating func skip(to tsn: Int64, _ skipped: [ForwardTSNChunk.Skipped], into messages: inout [Message]) {
        for (stream, list) in unordered {
            // What continues a skipped message goes with it.
            var count = 0
            var end = tsn
            while count < list.count,
                list[count].tsn <= end || list[count].tsn == end + 1 && !list[count].chunk.isBeginning
            {
                end = max(end, list[count].tsn)
                count += 1
            }
            guard count > 0 else { continue }
            dropped.count(Array(list[..<count]))
            unordered[stream] = count == list.count ? nil : Array(list[count...])
        }
        for entry in skipped {
            ordered[entry.stream, default: OrderedStream()].skip(
                to: entry.streamSequence, &messages, &dropped)
        }
        settle(messages, from: 0)
    }

    /// Streams of the other side begin anew; empty for all.
    mutating func reset(_ streams: [UInt16]) {
        for stream in streams.isEmpty ? Array(ordered.keys) + Array(unordered.keys) : streams {
            if let stream = ordered.removeValue(forKey: stream) { stream.drain(&dropped) }
            if let list = unordered.removeValue(forKey: stream) { dropped.count(list) }
        }
        settle([], from: 0)
    }

    // MARK: Unordered

    private mutating func addUnordered(_ fragment: Fragment, _ messages: inout [Message]) -> Outcome {
        let stream = fragment.chunk.stream
        var list = unordered.removeValue(forKey: stream) ?? []
        defer { if !list.isEmpty { unordered[stream] = list } }
        let index = list.insertByTSN(fragment)
        var size = fragment.chunk.payload.count
        var first = index
        while !list[first].chunk.isBeginning, first > 0, list[first - 1].tsn == list[first].tsn - 1,
            !list[first - 1].chunk.isEnd
        {
            first -= 1
            size += list[first].chunk.payload.count
        }
        var last = index
        while !list[last].chunk.isEnd, last + 1 < list.count, list[last + 1].tsn == list[last].tsn + 1,
            !list[last + 1].chunk.isBeginning
        {
            last += 1
            size += list[last].chunk.payload.count
        }
        if size > maximumMessageSize { return .messageTooLarge }
        guard list[first].chunk.isBeginning, list[last].chunk.isEnd else { return .taken }
        let whole = Array(list[first...last])
        list.removeSubrange(first...last)
        dropped.count(whole)
        messages.append(Message(whole, size: size))
        return .taken
    }
}

extension Reassembly.Message {
    /// All fragments of one message, in order.
    init(_ fragments: [Reassembly.Fragment], size: Int) {
        let head = fragments[0].chunk
        stream = head.stream
        protocolID = head.protocolID
        if fragments.count == 1 {
            payload = head.payload
        } else {
            payload = []
            payload.reserveCapacity(size)
            for fragment in fragments { payload += fragment.chunk.payload }
        }
    }
}

extension [Reassembly.Fragment] {
    /// Puts a fragment in its place, which is mostly the end, and gives its index.
    mutating func insertByTSN(_ fragment: Reassembly.Fragment) -> Int {
        var low = count
        if let last, last.tsn > fragment.tsn {
            low = 0
            var high = count
            while low < high {
                let middle = (low + high) / 2
                if self[middle].tsn < fragment.tsn { low = middle + 1 } else { high = middle }
            }
        }
        insert(fragment, at: low)
        return low
    }
}
