import RTCWire

/// The whole messages of one ordered stream of the other side that wait for their turn, by stream sequence number.
struct OrderedStream {
    struct Waiting {
        var message: Reassembly.Message
        /// Of which it came.
        var fragments: Int
    }

    /// The sequence number that is delivered next, unwrapped.
    private var next: Int64 = 0
    private var waiting: [Int64: Waiting] = [:]

    /// Whether a message with this number can still be delivered.
    func expects(_ wire: UInt16) -> Bool {
        let sequence = Int64(unwrapping: wire, near: next)
        return sequence >= next && waiting[sequence] == nil
    }

    /// Takes a message that `expects` holds for; gives those whose turn it is.
    mutating func add(_ message: Waiting, sequence wire: UInt16) -> [Waiting] {
        waiting[Int64(unwrapping: wire, near: next)] = message
        return takeDue()
    }

    /// Messages up to this sequence number that are not here will not come; gives those whose turn it is then.
    mutating func skip(to wire: UInt16) -> [Waiting] {
        let sequence = Int64(unwrapping: wire, near: next)
        guard sequence >= next else { return [] }
        // A hostile sender may skip far: what is held decides the work, not the distance.
        let passed =
            sequence - next < Int64(waiting.count)
            ? Array(next...sequence) : waiting.keys.filter { $0 <= sequence }.sorted()
        let due = passed.compactMap { waiting.removeValue(forKey: $0) }
        next = sequence + 1
        return due + takeDue()
    }

    /// All that wait.
    var held: some Collection<Waiting> { waiting.values }

    private mutating func takeDue() -> [Waiting] {
        var due: [Waiting] = []
        while let message = waiting.removeValue(forKey: next) {
            next += 1
            due.append(message)
        }
        return due
    }
}
