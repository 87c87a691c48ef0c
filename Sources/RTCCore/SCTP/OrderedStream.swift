import RTCWire

/// The messages of one ordered stream of the other side, by stream sequence number.
struct OrderedStream {
    /// The sequence number that is delivered next, unwrapped.
    private var next: Int64 = 0
    private var messages: [Int64: PartialMessage] = [:]

    private struct PartialMessage {
        /// By TSN.
        var fragments: [Reassembly.Fragment] = []
        var size = 0

        var isComplete: Bool {
            guard let first = fragments.first, let last = fragments.last else { return false }
            return first.chunk.isBeginning && last.chunk.isEnd && last.tsn - first.tsn + 1 == Int64(fragments.count)
        }
    }

    mutating func add(
        _ fragment: Reassembly.Fragment, limit: Int, _ delivered: inout [Reassembly.Message],
        _ dropped: inout Reassembly.Dropped
    ) -> Reassembly.Outcome {
        let sequence = Int64(unwrapping: fragment.chunk.streamSequence, near: next)
        guard sequence >= next else {
            // Its message has been skipped or delivered.
            dropped.count([fragment])
            return .taken
        }
        var message = messages.removeValue(forKey: sequence) ?? PartialMessage()
        _ = message.fragments.insertByTSN(fragment)
        message.size += fragment.chunk.payload.count
        let size = message.size
        messages[sequence] = message
        guard size <= limit else { return .messageTooLarge }
        deliver(&delivered, &dropped)
        return .taken
    }

    /// Messages up to this sequence number will not come.
    mutating func skip(
        to wire: UInt16, _ delivered: inout [Reassembly.Message], _ dropped: inout Reassembly.Dropped
    ) {
        let sequence = Int64(unwrapping: wire, near: next)
        guard sequence >= next else { return }
        // A hostile sender may skip far: what is held decides the work, not the distance.
        for key in messages.keys.filter({ $0 <= sequence }).sorted() {
            guard let message = messages.removeValue(forKey: key) else { continue }
            dropped.count(message.fragments)
            if message.isComplete { delivered.append(Reassembly.Message(message.fragments, size: message.size)) }
        }
        next = sequence + 1
        deliver(&delivered, &dropped)
    }

    /// Counts everything held as dropped.
    func drain(_ dropped: inout Reassembly.Dropped) {
        for message in messages.values { dropped.count(message.fragments) }
    }

    private mutating func deliver(
        _ delivered: inout [Reassembly.Message], _ dropped: inout Reassembly.Dropped
    ) {
        while let message = messages[next], message.isComplete {
            messages[next] = nil
            next += 1
            dropped.count(message.fragments)
            delivered.append(Reassembly.Message(message.fragments, size: message.size))
        }
    }
}
