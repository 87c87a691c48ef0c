import RTCWire

// What comes in: records in the clear, and sealed ones, some of them too early.
extension DTLSAssociation {
    /// Records of epoch 0, during the handshake.
    mutating func receiveClear(_ records: UnsafeRawBufferPointer, _ way: DTLSWay) -> DTLSAction {
        var rest = records
        var action = DTLSAction.none
        while state == .handshaking, !contradictions.isRefused, let record = DTLSRecords.first(of: rest) {
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
    mutating func receiveSealed(
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
    mutating func receiveEarly(
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

    mutating func open(
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
    mutating func take(
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
