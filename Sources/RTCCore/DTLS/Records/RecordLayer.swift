import RTCWire

/// The records of an association, RFC 6347 section 4.1: epoch 0 in the clear, epoch 1 sealed. There is no third, since
/// nobody renegotiates.
struct RecordLayer {
    private var keys: RecordKeys?
    private var window = RecordReplayWindow()
    /// The next number of each epoch. No number is used twice, so no nonce is.
    private var nextSequence: (clear: UInt64, sealed: UInt64) = (0, 0)

    init() {}

    /// The records of another reading of the same handshake: without keys, and no number of the clear is used twice.
    init(beside other: RecordLayer) { nextSequence.clear = other.nextSequence.clear }

    /// `other` has written in between.
    mutating func follow(_ other: RecordLayer) {
        nextSequence.clear = max(nextSequence.clear, other.nextSequence.clear)
    }

    /// Epoch 1 can be read and written.
    var hasKeys: Bool { keys != nil }

    /// Takes the keys of epoch 1, once.
    mutating func use(_ keys: RecordKeys) {
        if self.keys == nil { self.keys = keys }
    }

    /// Forgets the keys: nothing of epoch 1 is read or written any more.
    mutating func removeKeys() { keys = nil }

    /// Bytes that a record of an epoch has beside its content.
    func overhead(epoch: UInt16) -> Int {
        DTLSRecordHeader.length + (epoch == 0 ? 0 : keys?.writing.overhead ?? 0)
    }

    /// Writes a record to the start of `target`. Gives its length; nil where there is no room, no key, or no number left.
    mutating func write(
        _ type: DTLSRecordHeader.ContentType, epoch: UInt16, _ content: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let length = content.count + overhead(epoch: epoch)
        guard length <= target.count, content.count <= 1 << 14 else { return nil }
        var header = DTLSRecordHeader(
            type: type, epoch: epoch, sequence: epoch == 0 ? nextSequence.clear : nextSequence.sealed,
            bodyLength: length - DTLSRecordHeader.length)
        guard header.sequence <= DTLSRecordHeader.lastSequence else { return nil }
        let body = target.suffix(from: DTLSRecordHeader.length)
        if epoch == 0 {
            nextSequence.clear += 1
            body.copyMemory(from: content)
            // A server that knows no 1.2 would not read a first record that says it (RFC 6347 section 4.2.1).
            if type == .handshake, content.first == TLSHandshakeType.clientHello.rawValue {
                header.version = DTLSVersion.v10
            }
        } else {
            nextSequence.sealed += 1
            guard let keys, keys.writing.seal(content, header, into: body) else { return nil }
        }
        header.store(to: target)
        return length
    }

    /// What came of a record of epoch 1.
    enum Opened {
        /// So many bytes of content.
        case content(Int)
        /// Seen before, or too old to tell.
        case replayed
        /// Too short, or not made by the peer.
        case refused
    }

    /// Opens a record of epoch 1 into `target`, which has room for its body.
    mutating func open(
        _ header: DTLSRecordHeader, _ body: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Opened {
        guard let keys, header.version == DTLSVersion.v12 else { return .refused }
        guard window.isFresh(header.sequence) else { return .replayed }
        guard let count = keys.reading.open(body, header, into: target) else { return .refused }
        window.insert(header.sequence)
        return .content(count)
    }
}
