import RTCCore
import RTCWire

/// What a mux has at hand while it deals with a batch of datagrams, or with a deadline.
struct MuxBatch {
    /// Where the peers put what they send and what they tell.
    let outbox = Outbox()
    /// The time of the batch; nil where there is none.
    var now: Instant?
    /// Those that have been called since the last flush.
    private(set) var touched: [PeerFlow] = []
    private var spare: [PeerEvent] = []

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

    /// Takes what the peers have told: handlers may make other peers speak, so the outbox must be free for them.
    mutating func takeEvents() -> [PeerEvent] {
        var events = spare
        spare = []
        swap(&events, &outbox.events)
        return events
    }

    /// Gives back the memory of what was taken.
    mutating func reuse(_ events: consuming [PeerEvent]) {
        events.removeAll(keepingCapacity: true)
        spare = events
    }
}
