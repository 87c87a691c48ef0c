/// Transport-wide congestion control feedback, draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1: which
/// packets of a connection arrived, and when.
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|  FMT=15 |    PT=205     |           length              |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                     SSRC of packet sender                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                      SSRC of media source                     |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      base sequence number     |      packet status count      |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                 reference time                | fb pkt. count |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      packet chunk, 16 bits    |      packet chunk ...         |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  receive delta, 8 or 16 bits per packet received | padding    |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct TransportFeedback: Hashable, Sendable {
    /// What became of one packet.
    package enum Status: Hashable, Sendable {
        case lost
        /// Later than the packet received before it in the list, or than the reference time, by this many ticks of
        /// 250 microseconds; negative where packets overtook each other.
        case received(delta: Int16)
    }

    /// What became of packets that follow each other. A run of losses costs what one of them does: a chunk of two bytes
    /// can speak of 8,191.
    package enum Run: Hashable, Sendable {
        /// At least one.
        case lost(count: Int)
        case received(delta: Int16)

        /// Packets that are spoken of.
        package var count: Int {
            switch self {
            case .lost(let count): count
            case .received: 1
            }
        }
    }

    /// Nanoseconds of one unit of a delta.
    package static let deltaTick: Int64 = 250_000
    /// Nanoseconds of one unit of the reference time.
    package static let referenceTick: Int64 = 64_000_000
    /// The most packets that one feedback speaks of.
    package static let maximumCount = 0xffff

    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32
    /// Transport sequence number of the first packet that `runs` speak of; the others follow without a gap.
    package var baseSequenceNumber: UInt16
    /// Signed 24 bits, in units of 64 ms.
    package var referenceTime: Int32
    /// Counts the feedback packets, modulo 256.
    package var feedbackCount: UInt8
    /// Of at most 65,535 packets; losses in a row are one run.
    package private(set) var runs: [Run] = []

    static let headLength = 20

    package init(
        senderSSRC: UInt32, mediaSSRC: UInt32, baseSequenceNumber: UInt16, referenceTime: Int32, feedbackCount: UInt8,
        statuses: [Status]
    ) {
        self.senderSSRC = senderSSRC
        self.mediaSSRC = mediaSSRC
        self.baseSequenceNumber = baseSequenceNumber
        self.referenceTime = referenceTime
        self.feedbackCount = feedbackCount
        for status in statuses.prefix(TransportFeedback.maximumCount) {
            switch status {
            case .lost: appendLost(1)
            case .received(let delta): runs.append(.received(delta: delta))
            }
        }
    }

    /// Packet by packet: as long as the packets spoken of are many.
    package var statuses: [Status] {
        runs.flatMap { run -> [Status] in
            switch run {
            case .lost(let count): Array(repeating: .lost, count: count)
            case .received(let delta): [.received(delta: delta)]
            }
        }
    }

    private mutating func appendLost(_ count: Int) {
        if case .lost(let before) = runs.last {
            runs[runs.count - 1] = .lost(count: before + count)
        } else if count > 0 {
            runs.append(.lost(count: count))
        }
    }

    /// - Throws: `truncated` where chunks or deltas are missing, `invalidValue` for a status of the reserved kind.
    init(parsing packet: RawSpan) throws(WireError) {
        guard packet.byteCount >= TransportFeedback.headLength else { throw .truncated }
        self.init(
            senderSSRC: packet.uint32(4), mediaSSRC: packet.uint32(8), baseSequenceNumber: packet.uint16(12),
            referenceTime: Int32(bitPattern: packet.uint24(16) << 8) >> 8, feedbackCount: packet.byte(19),
            statuses: [])
        var symbols: [TransportFeedbackChunk.Symbols] = []
        var missing = Int(packet.uint16(14))
        var offset = TransportFeedback.headLength
        while missing > 0 {
            guard packet.byteCount >= offset + 2 else { throw .truncated }
            let first = symbols.count
            try TransportFeedbackChunk(packet.uint16(offset)).append(to: &symbols, limit: missing)
            for run in symbols[first...] { missing -= run.count }
            offset += 2
        }
        try readDeltas(packet, symbols, offset)
    }

    private mutating func readDeltas(
        _ packet: RawSpan, _ symbols: [TransportFeedbackChunk.Symbols], _ start: Int
    ) throws(WireError) {
        var offset = start
        for run in symbols {
            let length = run.symbol.deltaLength
            guard length > 0 else {
                appendLost(run.count)
                continue
            }
            guard packet.byteCount >= offset + length * run.count else { throw .truncated }
            for _ in 0..<run.count {
                let delta = length == 1 ? Int16(packet.byte(offset)) : Int16(bitPattern: packet.uint16(offset))
                runs.append(.received(delta: delta))
                offset += length
            }
        }
    }

    /// Length in bytes when written, padding included; 0 where no packet is spoken of.
    package var encodedLength: Int {
        guard !runs.isEmpty else { return 0 }
        var length = TransportFeedback.headLength
        forEachChunk { _ in length += 2 }
        for run in runs { length += run.deltaLength }
        return (length + 3) & ~3
    }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small or nothing is spoken of.
    ///
    /// It may end in padding, so that in a compound it has to be the last packet (RFC 3550 section 6.4.1).
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard length != 0, buffer.count >= length, length <= 4 * 0x1_0000 else { return 0 }
        RTCPHeader.write(count: 15, type: RTCPHeader.transportFeedback, length: length, into: buffer)
        buffer.store(senderSSRC, at: 4)
        buffer.store(mediaSSRC, at: 8)
        buffer.store(baseSequenceNumber, at: 12)
        buffer.store(UInt16(clamping: runs.reduce(0) { $0 + $1.count }), at: 14)
        buffer.store24(UInt32(bitPattern: referenceTime), at: 16)
        buffer.store(feedbackCount, at: 19)
        var offset = TransportFeedback.headLength
        forEachChunk { chunk in
            buffer.store(chunk.bits, at: offset)
            offset += 2
        }
        writeDeltas(into: buffer, &offset)
        pad(buffer, from: offset, to: length)
        return length
    }

    private func writeDeltas(into buffer: UnsafeMutableRawBufferPointer, _ offset: inout Int) {
        for case .received(let delta) in runs {
            let length = Run.received(delta: delta).deltaLength
            if length == 1 {
                buffer.store(UInt8(truncatingIfNeeded: delta), at: offset)
            } else {
                buffer.store(UInt16(bitPattern: delta), at: offset)
            }
            offset += length
        }
    }

    private func pad(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int, to length: Int) {
        guard offset < length else { return }
        for index in offset..<length { buffer[index] = 0 }
        buffer[length - 1] = UInt8(length - offset)
        buffer[0] |= 0x20
    }

    private func forEachChunk(_ body: (TransportFeedbackChunk) -> Void) {
        var rest = statuses[...]
        while !rest.isEmpty {
            let (chunk, taken) = TransportFeedbackChunk.covering(rest)
            body(chunk)
            rest = rest.dropFirst(taken)
        }
    }
}
