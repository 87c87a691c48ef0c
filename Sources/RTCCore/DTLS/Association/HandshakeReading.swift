import RTCWire

/// One reading of what came in the clear: a handshake, the records that go with it, and what waits for its keys.
///
/// Who may send in the clear is unknown until a signature holds, so two messages can claim one place. Then both are
/// believed, each in a reading of its own, and the first whose Finished holds is the association's.
struct HandshakeReading: ~Copyable {
    let handshake: DTLSHandshake
    let records: RecordLayer
    let early: EarlyRecords

    init(_ handshake: consuming DTLSHandshake, _ records: RecordLayer, _ early: EarlyRecords = EarlyRecords()) {
        self.handshake = handshake
        self.records = records
        self.early = early
    }

    borrowing func copied() -> HandshakeReading { HandshakeReading(handshake.copied(), records, early) }
}

/// A reading beside the association's own: on the heap, for there is none but under attack.
final class RivalReading {
    /// Nil while it stands in the association's place and that one has failed.
    var reading: HandshakeReading?

    init(_ reading: consuming HandshakeReading) { self.reading = .some(reading) }

    func copied() -> RivalReading? {
        switch reading {
        case .some(let reading): RivalReading(reading.copied())
        case .none: nil
        }
    }

    var nextDeadline: Instant? {
        switch reading {
        case .some(let reading): reading.handshake.nextDeadline
        case .none: nil
        }
    }

    /// In messages of the peer's.
    var progress: Int {
        switch reading {
        case .some(let reading): reading.handshake.believed.count
        case .none: 0
        }
    }

    func believes(_ message: HandshakeMessage) -> Bool {
        switch reading {
        case .some(let reading): reading.handshake.believed.contains(message)
        case .none: false
        }
    }
}
