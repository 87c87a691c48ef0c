import RTCWire

// Alerts, both ways.
extension DTLSAssociation {
    /// In the clear: an explanation for a handshake that fails, no more.
    mutating func noteAlert(_ body: UnsafeRawBufferPointer, _ now: Instant) {
        guard let alert = try? TLSAlert(parsing: body.bytes), alert.isFatal else { return droppedRecords &+= 1 }
        handshake?.noteAlert(alert, now)
    }

    mutating func receiveAlert(_ body: UnsafeRawBufferPointer, _ way: DTLSWay) -> DTLSAction {
        guard let alert = try? TLSAlert(parsing: body.bytes) else { return .none }
        if alert.isFatal { return fail(.alert(alert.description)) }
        guard alert.description == TLSAlert.Description.closeNotify else { return .none }
        send(.closeNotify, way)
        end(.closed)
        return .closed
    }

    /// Sends an alert, sealed once the peer reads sealed records.
    mutating func send(_ alert: TLSAlert, _ way: DTLSWay) {
        let isSealed = records.hasKeys && (hasHandshake || role == .client)
        var datagram = way.begin(mtu)
        datagram.append(.alert, epoch: isSealed ? 1 : 0, alert.encoded, &records)
        datagram.commit()
    }
}
