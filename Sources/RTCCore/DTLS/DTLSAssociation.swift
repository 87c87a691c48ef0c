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
    private(set) var state = DTLSState.new
    /// The SRTP keys, once connected; nil before, and where no profiles were asked for.
    private(set) var srtpKeys: SRTPKeyingMaterial?
    /// Datagrams and records that were dropped: malformed, too short, forged, too early or out of turn.
    private(set) var droppedRecords = 0

    private var records = RecordLayer()
    private var handshake: DTLSHandshake?
    private var early = EarlyRecords()
    /// A server's ChangeCipherSpec and Finished, for a client that has not got them.
    private var lastFlight: Flight?
    private var expectedFingerprint: DTLSFingerprint?
    /// What waits for the fingerprint.
    private var unjudged: HandshakeResult?

    init(role: DTLSRole, settings: HandshakeSettings, mtu: Int, expectedFingerprint: DTLSFingerprint?) {
        self.role = role
        self.mtu = mtu
        self.expectedFingerprint = expectedFingerprint
        handshake = DTLSHandshake(role, settings, mtu: mtu)
    }

    /// True between the end of the handshake and the end of the association.
    private var hasHandshake: Bool { state == .connected || state == .awaitingFingerprint }

    var nextDeadline: Instant? {
        switch handshake {
        case .some(let handshake): handshake.nextDeadline
        case .none: nil
        }
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
        var action = DTLSAction.none
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
        guard state == .handshaking, let failure = handshake?.advance(&records, way) ?? nil else { return .none }
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

// MARK: Records

extension DTLSAssociation {
    /// Records of epoch 0, during the handshake.
    private mutating func receiveClear(_ records: UnsafeRawBufferPointer, _ way: DTLSWay) -> DTLSAction {
        var rest = records
        var action = DTLSAction.none
        while state == .handshaking, let record = DTLSRecords.first(of: rest) {
            rest = record.rest
            switch record.header.type {
            case .handshake: action.follow(receiveHandshake(record.body, epoch: 0, way))
            case .alert: noteAlert(record.body, way.now)
            case .changeCipherSpec: break  // The epoch of what follows says the same.
            case .applicationData: droppedRecords &+= 1
            }
        }
        return action
    }

    /// Records of epoch 1. Those that can't be opened or used yet are held: data and alerts of a peer that seals stand
    /// behind its Finished, wherever they overtook it.
    private mutating func receiveSealed(
        _ records: UnsafeRawBufferPointer, _ way: DTLSWay, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        var rest = records
        var action = DTLSAction.none
        while state == .handshaking || hasHandshake, let record = DTLSRecords.first(of: rest) {
            rest = record.rest
            let isEarly = !self.records.hasKeys || (record.header.type != .handshake && !hasHandshake)
            if isEarly {
                droppedRecords &+= early.hold(record.whole)
            } else {
                action.follow(open(record, way, deliver))
            }
        }
        return action
    }

    /// Takes what was held, once more can be opened or used than when it came.
    private mutating func receiveEarly(
        _ way: DTLSWay, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        var action = DTLSAction.none
        while !early.isEmpty, early.isDue(hasKeys: records.hasKeys, isFinished: hasHandshake) {
            for held in early.takeAll() {
                action.follow(held.withUnsafeBytes { receiveSealed($0, way, deliver) })
            }
        }
        return action
    }

    private mutating func open(
        _ record: DTLSRecords.Record, _ way: DTLSWay, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        withUnsafeTemporaryAllocation(byteCount: record.body.count, alignment: 8) { buffer in
            switch records.open(record.header, record.body, into: buffer) {
            case .refused:
                droppedRecords &+= 1
                return .none
            case .replayed: return .none
            case .content(let count):
                let content = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                return take(record.header.type, content, way, deliver)
            }
        }
    }

    /// What the peer sealed.
    private mutating func take(
        _ type: DTLSRecordHeader.ContentType, _ content: UnsafeRawBufferPointer, _ way: DTLSWay,
        _ deliver: (UnsafeRawBufferPointer) -> Void
    ) -> DTLSAction {
        switch type {
        case .applicationData:
            if state == .connected, !content.isEmpty { deliver(content) }
        case .alert: return receiveAlert(content, way)
        case .handshake: return receiveHandshake(content, epoch: 1, way)
        case .changeCipherSpec: droppedRecords &+= 1
        }
        return .none
    }
}

// MARK: Alerts

extension DTLSAssociation {
    /// In the clear: an explanation for a handshake that fails, no more.
    private mutating func noteAlert(_ body: UnsafeRawBufferPointer, _ now: Instant) {
        guard let alert = try? TLSAlert(parsing: body.bytes), alert.isFatal else { return droppedRecords &+= 1 }
        handshake?.noteAlert(alert, now)
    }

    private mutating func receiveAlert(_ body: UnsafeRawBufferPointer, _ way: DTLSWay) -> DTLSAction {
        guard let alert = try? TLSAlert(parsing: body.bytes) else { return .none }
        if alert.isFatal { return fail(.alert(alert.description)) }
        guard alert.description == TLSAlert.Description.closeNotify else { return .none }
        send(.closeNotify, way)
        end(.closed)
        return .closed
    }

    /// Sends an alert, sealed once the peer reads sealed records.
    private mutating func send(_ alert: TLSAlert, _ way: DTLSWay) {
        let isSealed = records.hasKeys && (hasHandshake || role == .client)
        var datagram = way.begin(mtu)
        datagram.append(.alert, epoch: isSealed ? 1 : 0, alert.encoded, &records)
        datagram.commit()
    }
}

// MARK: Handshake

extension DTLSAssociation {
    private mutating func receiveHandshake(
        _ body: UnsafeRawBufferPointer, epoch: UInt16, _ way: DTLSWay
    ) -> DTLSAction {
        var rest = body
        var action = DTLSAction.none
        while !rest.isEmpty {
            guard let header = try? DTLSHandshakeHeader(parsing: rest.bytes) else {
                droppedRecords &+= 1
                return action
            }
            let end = DTLSHandshakeHeader.length + header.fragmentLength
            let fragment = UnsafeRawBufferPointer(rebasing: rest[DTLSHandshakeHeader.length..<end])
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
            if state == .handshaking {
                action.follow(receive(header, fragment, epoch: epoch, way))
            } else {
                answerAgain(header, way)
            }
        }
        return action
    }

    /// The client's Finished again: our last flight got lost. Anything else would be a renegotiation.
    private mutating func answerAgain(_ header: DTLSHandshakeHeader, _ way: DTLSWay) {
        guard header.type == .finished, hasHandshake else { return droppedRecords &+= 1 }
        lastFlight?.send(&records, mtu: mtu, to: way)
    }

    private mutating func receive(
        _ header: DTLSHandshakeHeader, _ fragment: UnsafeRawBufferPointer, epoch: UInt16, _ way: DTLSWay
    ) -> DTLSAction {
        guard handshake?.receive(header, fragment, epoch: epoch, &records, way) ?? false else {
            droppedRecords &+= 1
            return .none
        }
        do throws(HandshakeFault) {
            while let next = try handshake?.step(expecting: expectedFingerprint) ?? nil {
                let action = perform(next, way)
                if state != .handshaking { return action }
            }
        } catch {
            switch error {
            case .ignored: droppedRecords &+= 1
            case .fatal(let failure, let alert):
                send(TLSAlert(isFatal: true, description: alert), way)
                return fail(failure)
            }
        }
        return .none
    }

    private mutating func perform(_ action: HandshakeAction, _ way: DTLSWay) -> DTLSAction {
        switch action {
        case .none: break
        case .send(let flight): handshake?.send(flight, &records, way)
        case .use(let keys): records.use(keys)
        case .useAndSend(let keys, let flight):
            records.use(keys)
            handshake?.send(flight, &records, way)
        case .finish(let result, let flight):
            flight?.send(&records, mtu: mtu, to: way)
            lastFlight = flight
            return finish(result, way)
        }
        return .none
    }

    private mutating func finish(_ result: HandshakeResult, _ way: DTLSWay) -> DTLSAction {
        let wantsSRTP = handshake?.wantsSRTP ?? false
        handshake = nil
        state = .awaitingFingerprint
        if wantsSRTP, result.srtpKeys == nil {
            send(.closeNotify, way)
            return fail(.noCommonSRTPProfile)
        }
        unjudged = result
        return expectedFingerprint == nil ? .none : judge(way)
    }

    /// The verdict over the peer's certificate, before anybody hears of the connection.
    private mutating func judge(_ way: DTLSWay) -> DTLSAction {
        guard let result = unjudged, let expectedFingerprint, expectedFingerprint.matches(der: result.peer.der) else {
            send(.closeNotify, way)
            return fail(.fingerprintMismatch)
        }
        unjudged = nil
        srtpKeys = result.srtpKeys
        state = .connected
        return .connected
    }

    private mutating func fail(_ failure: DTLSFailure) -> DTLSAction {
        end(.failed(failure))
        return .failed(failure)
    }

    private mutating func end(_ final: DTLSState) {
        state = final
        handshake = nil
        early = EarlyRecords()
        lastFlight = nil
        unjudged = nil
        records.removeKeys()
    }
}

extension DTLSAction {
    /// The later of two that mean something.
    fileprivate mutating func follow(_ next: DTLSAction) {
        if next != .none { self = next }
    }
}
