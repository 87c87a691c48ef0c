import RTCWire

/// A look at the records of a datagram before any is opened.
enum DTLSRecords {
    /// The only epoch with keys: nobody renegotiates.
    private static let sealedEpoch: UInt16 = 1

    /// One record of a datagram, and what stands behind it.
    struct Record {
        let header: DTLSRecordHeader
        let body: UnsafeRawBufferPointer
        /// Header and body.
        let whole: UnsafeRawBufferPointer
        let rest: UnsafeRawBufferPointer
    }

    /// Splits a datagram into the records in the clear (epoch 0) and what follows from the first encrypted record on.
    ///
    /// Nil where a record doesn't fit the datagram, is of no kind or epoch that DTLS 1.2 has here, or where one in the
    /// clear follows an encrypted one.
    static func split(
        _ datagram: UnsafeRawBufferPointer
    ) -> (clear: UnsafeRawBufferPointer, sealed: UnsafeRawBufferPointer)? {
        var rest = datagram
        var clearLength = 0
        var isSealed = false
        while !rest.isEmpty {
            guard let record = first(of: rest) else { return nil }
            if record.header.epoch == sealedEpoch {
                isSealed = true
            } else if record.header.epoch != 0 || isSealed {
                return nil
            } else {
                clearLength += record.whole.count
            }
            rest = record.rest
        }
        return (
            UnsafeRawBufferPointer(rebasing: datagram[..<clearLength]),
            UnsafeRawBufferPointer(rebasing: datagram[clearLength...])
        )
    }

    /// Whether each record of `sealed`, as `split` gave it, holds at least `overhead` bytes: explicit nonce and tag.
    static func areOpenable(_ sealed: UnsafeRawBufferPointer, overhead: Int) -> Bool {
        var rest = sealed
        while !rest.isEmpty {
            guard let record = first(of: rest), record.body.count >= overhead else { return false }
            rest = record.rest
        }
        return true
    }

    /// The first record; nil where none is whole.
    static func first(of bytes: UnsafeRawBufferPointer) -> Record? {
        guard let header = try? DTLSRecordHeader(parsing: bytes.bytes) else { return nil }
        let end = DTLSRecordHeader.length + header.bodyLength
        return Record(
            header: header, body: UnsafeRawBufferPointer(rebasing: bytes[DTLSRecordHeader.length..<end]),
            whole: UnsafeRawBufferPointer(rebasing: bytes[..<end]),
            rest: UnsafeRawBufferPointer(rebasing: bytes[end...]))
    }
}
