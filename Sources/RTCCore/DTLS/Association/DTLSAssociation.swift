import RTCWire

/// One DTLS 1.2 association of our own, RFC 6347 over RFC 5246, for WebRTC alone: ECDHE and AEAD, mutual certificates
/// that are judged by fingerprint, extended master secret, DTLS-SRTP; no resumption, no renegotiation.
///
/// What comes in the clear can be anybody's. What can't be read is dropped and counted; a fatal alert in the clear ends
/// nothing by itself. What comes sealed is the peer's.
struct DTLSAssociation: ~Copyable {
    let role: DTLSRole
    /// Largest datagram to send, in bytes.
    let mtu: Int
    var state = DTLSState.new
    /// The SRTP keys, once connected and until they are taken; nil where no profiles were asked for.
    var srtpKeys: SRTPKeyingMaterial?
    /// Datagrams and records that were dropped: malformed, too short, forged, too early or out of turn.
    var droppedRecords = 0

    var records = RecordLayer()
    var handshake: DTLSHandshake?
    var early = EarlyRecords()
    /// A server's ChangeCipherSpec and Finished, for a client that has not got them.
    var lastFlight: Flight?
    var expectedFingerprint: DTLSFingerprint?
    /// What waits for the fingerprint.
    var unjudged: HandshakeResult?
    /// Other readings of the handshake, where messages in the clear contradict each other.
    var rivals: [RivalReading] = []
    var contradictions = HandshakeContradictions()

    init(role: DTLSRole, settings: HandshakeSettings, mtu: Int, expectedFingerprint: DTLSFingerprint?) {
        self.role = role
        self.mtu = mtu
        self.expectedFingerprint = expectedFingerprint
        handshake = DTLSHandshake(role, settings, mtu: mtu)
    }

    /// True between the end of the handshake and the end of the association.
    var hasHandshake: Bool { state == .connected || state == .awaitingFingerprint }

    var nextDeadline: Instant? {
        let own: Instant? =
            switch handshake {
            case .some(let handshake): handshake.nextDeadline
            case .none: nil
            }
        return rivals.reduce(own) { [$0, $1.nextDeadline].compactMap(\.self).min() }
    }

    /// Sends the client's first flight, or begins to wait for it.
    mutating func start(_ way: DTLSWay) {
        guard state == .new else { return }
        state = .handshaking
        handshake?.start(&records, way)
    }

    /// Takes a datagram. A server that was not started starts.
    mutating func receive(
        _ datagram: UnsafeRawBufferPointer, _ way: DTLSWay, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        if role == .server { start(way) }
        guard let (clear, sealed) = DTLSRecords.split(datagram) else {
            droppedRecords &+= 1
            return .none
        }
        guard state == .handshaking || hasHandshake else { return .none }
        contradictions.beginDatagram()
        var action = read(clear, sealed, way, deliver)
        action.follow(inRivals { $0.read(clear, sealed, way, deliver) })
        action.follow(replaceFailedReading(way))
        return action
    }

    private mutating func read(
        _ clear: UnsafeRawBufferPointer, _ sealed: UnsafeRawBufferPointer, _ way: DTLSWay,
        _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        var action = DTLSAction.none
        contradictions.isRefused = false
        // Once there is an association, records in the clear mean nothing any more.
        if state == .handshaking { action.follow(receiveClear(clear, way)) }
        action.follow(receiveEarly(way, deliver))
        action.follow(receiveSealed(sealed, way, deliver))
        action.follow(receiveEarly(way, deliver))
        return action
    }

    /// Says what the peer's fingerprint must be. Gives the verdict where the handshake waited for it.
    mutating func expect(_ fingerprint: DTLSFingerprint, _ way: DTLSWay) -> DTLSAction {
        expectedFingerprint = fingerprint
        return state == .awaitingFingerprint ? judge(way) : .none
    }

    /// Does what is due.
    mutating func advance(_ way: DTLSWay) -> DTLSAction {
        guard state == .handshaking else { return .none }
        var action = inRivals { $0.advanceReading(way) }
        action.follow(advanceReading(way))
        action.follow(replaceFailedReading(way))
        return action
    }

    private mutating func advanceReading(_ way: DTLSWay) -> DTLSAction {
        guard let failure = handshake?.advance(&records, way) ?? nil else { return .none }
        return fail(failure)
    }

    /// Sends a message that fits the MTU; false where it can't be sent.
    mutating func send(_ message: UnsafeRawBufferPointer, _ way: DTLSWay) -> Bool {
        guard state == .connected,
            let length = records.write(.applicationData, epoch: 1, message, into: way.outbox.reserve(mtu))
        else { return false }
        way.outbox.commit(length, to: way.destination)
        return true
    }

    /// Says close_notify where there is an association, and is closed.
    mutating func close(_ way: DTLSWay) {
        if hasHandshake { send(.closeNotify, way) }
        if case .failed = state { return }
        end(.closed)
    }
}

extension DTLSAction {
    /// The later of two that mean something.
    mutating func follow(_ next: DTLSAction) {
        if next != .none { self = next }
    }
}
