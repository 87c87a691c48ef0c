import RTCWire

/// Times the datagrams of a mux, where somebody wants to know what holds its loop.
struct HoldWatch {
    /// Is told what holds the loop for long; nil where nobody asks.
    var meter: StallMeter?
    private var timer = DatagramTimer()

    /// A batch begins.
    mutating func begin(_ now: Instant) { if meter != nil { timer.begin(now) } }

    /// A datagram has been handled.
    mutating func handled(_ datagram: UnsafeRawBufferPointer) {
        if let meter, let hold = timer.next() { meter.note(hold, datagram) }
    }

    /// All have been handled, and what followed has been sent.
    mutating func end() { if let meter, let hold = timer.end() { meter.note(hold) } }
}
