import RTCWire

// Several readings of one handshake.
extension DTLSAssociation {
    /// A message of the peer's that has been read already. Where it says something else now, one of the two is forged:
    /// the handshake is read the other way too.
    mutating func receiveRepeated(
        _ header: DTLSHandshakeHeader, _ fragment: UnsafeRawBufferPointer, _ way: DTLSWay
    ) -> DTLSAction {
        let believed = handshake?.believed ?? []
        guard header.type != .finished, believed.contains(where: { $0.sequence == header.messageSequence }),
            let message = contradictions.whole(header, fragment), !believed.contains(message),
            !rivals.contains(where: { $0.believes(message) }), contradictions.mayRead
        else { return .none }
        addRival()
        return inRival(rivals.count - 1) { association in
            var action = DTLSAction.none
            for known in believed.prefix(while: { $0.sequence < message.sequence }) + [message] {
                action.follow(known.body.withUnsafeBytes { association.receive(known.header, $0, epoch: 0, way) })
            }
            return action
        }
    }

    /// Reads the handshake from its opening on once more. The reading that has come least far makes room.
    mutating func addRival() {
        switch handshake {
        case .some(let own):
            guard contradictions.mayRead else { return }
            contradictions.beginReading()
            if rivals.count == HandshakeContradictions.rivalLimit,
                let least = rivals.indices.min(by: { rivals[$0].progress < rivals[$1].progress })
            {
                rivals.remove(at: least)
            }
            rivals.append(RivalReading(HandshakeReading(own.rival(mtu: mtu), RecordLayer(beside: records))))
        case .none: break
        }
    }

    /// Does something as every other reading.
    mutating func inRivals(_ body: (inout DTLSAssociation) -> DTLSAction) -> DTLSAction {
        var action = DTLSAction.none
        // From the last on, since one that fails goes.
        for index in rivals.indices.reversed() where state == .handshaking { action.follow(inRival(index, body)) }
        return action
    }

    /// Does something as another reading. It is the association's where it ends the handshake.
    private mutating func inRival(_ index: Int, _ body: (inout DTLSAssociation) -> DTLSAction) -> DTLSAction {
        let rival = rivals[index]
        let (dropped, wasRefused) = (droppedRecords, contradictions.isRefused)
        contradictions.isInRival = true
        exchange(with: rival)
        let action = body(&self)
        (contradictions.isInRival, contradictions.isRefused) = (false, wasRefused)
        guard state == .handshaking else { return action }
        droppedRecords = dropped
        let goesOn = handshake != nil
        exchange(with: rival)
        if !goesOn { rivals.remove(at: index) }
        return action
    }

    /// Where the first reading has failed another one goes on in its place; where there is none, all have failed.
    mutating func replaceFailedReading(_ way: DTLSWay) -> DTLSAction {
        guard state == .handshaking, handshake == nil, let failure = contradictions.failure else { return .none }
        guard rivals.isEmpty else {
            exchange(with: rivals.removeFirst())
            return .none
        }
        send(TLSAlert(isFatal: true, description: TLSAlert.Description.handshakeFailure), way)
        return fail(failure)
    }

    /// The association's own reading becomes the rival's, and the other way round.
    private mutating func exchange(with rival: RivalReading) {
        let other = rival.reading.take()
        let written = records
        if let own = handshake.take() { rival.reading = .some(HandshakeReading(own, records, early)) }
        guard let other else { return }
        handshake = .some(other.handshake)
        (records, early) = (other.records, other.early)
        records.follow(written)
    }
}

extension HandshakeMessage {
    fileprivate var header: DTLSHandshakeHeader {
        DTLSHandshakeHeader(
            type: type, messageLength: body.count, messageSequence: sequence, fragmentOffset: 0,
            fragmentLength: body.count)
    }
}
