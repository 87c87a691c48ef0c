import RTCWire

// Handshake messages and what they lead to.
extension DTLSAssociation {
    mutating func receiveHandshake(
        _ body: UnsafeRawBufferPointer, epoch: UInt16, _ way: DTLSWay
    ) -> DTLSAction {
        var rest = body
        var action = DTLSAction.none
        while !rest.isEmpty, !contradictions.isRefused {
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
    mutating func answerAgain(_ header: DTLSHandshakeHeader, _ way: DTLSWay) {
        guard header.type == .finished, hasHandshake else { return droppedRecords &+= 1 }
        lastFlight?.send(&records, mtu: mtu, to: way)
    }

    mutating func receive(
        _ header: DTLSHandshakeHeader, _ fragment: UnsafeRawBufferPointer, epoch: UInt16, _ way: DTLSWay
    ) -> DTLSAction {
        switch handshake?.receive(header, fragment, epoch: epoch, &records, way) ?? .refused {
        case .taken: break
        case .repeated: return receiveRepeated(header, fragment, way)
        case .refused:
            droppedRecords &+= 1
            return .none
        }
        do throws(HandshakeFault) {
            while let next = try handshake?.step(expecting: expectedFingerprint, now: way.now) ?? nil {
                let action = perform(next, way)
                if state != .handshaking { return action }
            }
        } catch {
            switch error {
            case .ignored: droppedRecords &+= 1
            case .restarted:
                droppedRecords &+= 1
                contradictions.isRefused = true
            case .fatal(let failure, let alert):
                if isLastReading { send(TLSAlert(isFatal: true, description: alert), way) }
                return fail(failure)
            }
        }
        return .none
    }

    mutating func perform(_ action: HandshakeAction, _ way: DTLSWay) -> DTLSAction {
        switch action {
        case .none: break
        case .send(let flight): handshake?.send(flight, &records, way)
        case .sendAgain: handshake?.sendAgain(&records, way)
        case .sendChanged(let flight):
            addRival()
            handshake?.sendChanged(flight, &records, way)
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

    mutating func finish(_ result: HandshakeResult, _ way: DTLSWay) -> DTLSAction {
        let wantsSRTP = handshake?.wantsSRTP ?? false
        handshake = nil
        rivals = []
        state = .awaitingFingerprint
        if wantsSRTP, result.srtpKeys == nil {
            send(.closeNotify, way)
            return fail(.noCommonSRTPProfile)
        }
        unjudged = result
        return expectedFingerprint == nil ? .none : judge(way)
    }

    /// The verdict over the peer's certificate, before anybody hears of the connection.
    mutating func judge(_ way: DTLSWay) -> DTLSAction {
        guard let result = unjudged, let expectedFingerprint, expectedFingerprint.matches(der: result.peer.der) else {
            send(.closeNotify, way)
            return fail(.fingerprintMismatch)
        }
        unjudged = nil
        srtpKeys = result.srtpKeys
        state = .connected
        return .connected
    }

    private var isLastReading: Bool { rivals.isEmpty }

    /// One reading fails: the association does where there is no other.
    mutating func fail(_ failure: DTLSFailure) -> DTLSAction {
        if state == .handshaking, !isLastReading {
            handshake = nil
            contradictions.failure = failure
            return .none
        }
        end(.failed(failure))
        return .failed(failure)
    }

    mutating func end(_ final: DTLSState) {
        state = final
        handshake = nil
        rivals = []
        early = EarlyRecords()
        lastFlight = nil
        unjudged = nil
        srtpKeys = nil
        records.removeKeys()
    }
}
