import RTCCore
import RTCWire

/// What a mux has at hand while it deals with a batch of datagrams, or with a deadline.
struct MuxBatch {
    /// The time of the batch; nil where there is none.
    var now: Instant?
    /// Calls that have been handed the outbox and have not come back.
    var calls = 0
    private let pool: OutboxPool
    private var lent: Outbox?
    /// Those that have been called since the last flush.
    private(set) var touched: [PeerFlow] = []

    init(_ pool: OutboxPool) { self.pool = pool }

    /// Where the peers put what they send and what they tell.
    var outbox: Outbox {
        mutating get {
            if let lent { return lent }
            let taken = pool.take()
            lent = taken
            return taken
        }
    }

    /// Gives the outbox back, where nobody is at it and nothing stands in it.
    mutating func rest() {
        guard now == nil, calls == 0, let outbox = lent, outbox.isEmpty else { return }
        lent = nil
        pool.give(outbox)
    }

    mutating func touch(_ flow: PeerFlow) {
        guard !flow.touched else { return }
        flow.touched = true
        touched.append(flow)
    }

    mutating func forget(_ flow: PeerFlow) { touched.removeAll { $0 === flow } }

    mutating func takeTouched() -> [PeerFlow] {
        var taken: [PeerFlow] = []
        swap(&taken, &touched)
        for flow in taken { flow.touched = false }
        return taken
    }

    /// Gives back the memory of what was taken.
    mutating func reuse(_ flows: consuming [PeerFlow]) {
        flows.removeAll(keepingCapacity: true)
        if touched.isEmpty { touched = flows }
    }

    /// Takes what the peers have told: handlers may make other peers speak, so the outbox must be free for them. Nil where
    /// they have told nothing.
    mutating func takeEvents() -> [PeerEvent]? {
        guard let lent, !lent.events.isEmpty else { return nil }
        var events = pool.takeEvents()
        swap(&events, &lent.events)
        return events
    }

    /// Gives back the memory of what was taken.
    func reuse(_ events: consuming [PeerEvent]) { pool.give(events) }
}
