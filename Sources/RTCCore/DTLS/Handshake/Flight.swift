import RTCWire

/// Messages that are sent together, and again together until they are answered: RFC 6347 section 4.2.4.
struct Flight {
    struct Item {
        var type: DTLSRecordHeader.ContentType
        var epoch: UInt16
        /// A whole handshake message with its header, or the one byte of a ChangeCipherSpec.
        var bytes: [UInt8]

        /// RFC 5246 section 7.1.
        static let changeCipherSpec = Item(type: .changeCipherSpec, epoch: 0, bytes: [1])
    }

    /// A fragment shorter than this begins the next datagram instead.
    private static let leastFragment = 48

    var items: [Item]

    /// Puts all of it into datagrams of at most `mtu` bytes, under new record numbers.
    func send(_ records: inout RecordLayer, mtu: Int, to way: DTLSWay) {
        var datagram = way.begin(mtu)
        for item in items {
            var offset = 0
            while let (fragment, end) = item.fragment(
                from: offset, room: datagram.room - records.overhead(epoch: item.epoch), least: Flight.leastFragment,
                isFirst: datagram.length == 0)
            {
                if let fragment {
                    datagram.append(item.type, epoch: item.epoch, fragment, &records)
                    offset = end
                } else {
                    datagram.commit()
                    datagram = way.begin(mtu)
                }
            }
        }
        datagram.commit()
    }
}

extension Flight.Item {
    private var bodyLength: Int { bytes.count - DTLSHandshakeHeader.length }

    /// The next piece of this item, from `offset` of its body on, and where it ends; nil where nothing is left, a nil
    /// piece where the rest should begin a new datagram.
    fileprivate func fragment(
        from offset: Int, room: Int, least: Int, isFirst: Bool
    ) -> (piece: [UInt8]?, end: Int)? {
        guard type == .handshake else {
            guard offset == 0 else { return nil }
            return bytes.count <= room || isFirst ? (bytes, 1) : (nil, 0)
        }
        let left = bodyLength - offset
        guard left > 0 || (bodyLength == 0 && offset == 0) else { return nil }
        let space = room - DTLSHandshakeHeader.length
        let taken = min(left, max(space, isFirst ? 1 : 0))
        guard isFirst || (space >= 0 && (taken == left || taken >= least)) else { return (nil, offset) }
        return (cut(offset, taken), bodyLength == 0 ? 1 : offset + taken)
    }

    private func cut(_ offset: Int, _ count: Int) -> [UInt8] {
        if count == bodyLength { return bytes }
        var piece = Array(bytes[..<6])
        for number in [offset, count] { piece += [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)] }
        let start = DTLSHandshakeHeader.length + offset
        return piece + bytes[start..<(start + count)]
    }
}
