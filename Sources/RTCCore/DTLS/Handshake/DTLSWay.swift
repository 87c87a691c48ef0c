import RTCWire

/// When something is sent, and which way.
struct DTLSWay {
    let now: Instant
    let outbox: DatagramOutbox
    let destination: TransportAddress

    /// A datagram of at most `mtu` bytes, which is filled in the outbox itself: one at a time.
    func begin(_ mtu: Int) -> Datagram { Datagram(way: self, limit: mtu) }

    struct Datagram {
        let way: DTLSWay
        let limit: Int
        private(set) var length = 0

        init(way: DTLSWay, limit: Int) {
            self.way = way
            self.limit = limit
        }

        var room: Int { limit - length }

        /// Appends a record; one that does not fit, or that has no key, is left out.
        mutating func append(
            _ type: DTLSRecordHeader.ContentType, epoch: UInt16, _ content: [UInt8], _ records: inout RecordLayer
        ) {
            let target = UnsafeMutableRawBufferPointer(rebasing: way.outbox.reserve(limit)[length..<limit])
            length += content.withUnsafeBytes { records.write(type, epoch: epoch, $0, into: target) } ?? 0
        }

        func commit() {
            if length > 0 { way.outbox.commit(length, to: way.destination) }
        }
    }
}
