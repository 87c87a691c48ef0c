/// One packet of an RTCP compound.
package enum RTCPPacket: Hashable, Sendable {
    case senderReport(SenderReport)
    case receiverReport(ReceiverReport)
    case sdes(SourceDescription)
    case bye(Goodbye)
    case nack(GenericNACK)
    case pli(PictureLossIndication)
    case fir(FullIntraRequest)
    case transportFeedback(TransportFeedback)
    case remb(ReceiverEstimatedMaximumBitrate)
    case xr(ExtendedReport)
    /// A packet of a type that isn't read here; `count` is its 5-bit count or feedback message type.
    case unknown(type: UInt8, count: UInt8)

    /// Feedback message types: RFC 4585 sections 6.2 and 6.3, RFC 5104 section 4.3, the REMB and transport-cc drafts.
    private enum Format {
        static let nack: UInt8 = 1
        static let transportWideCC: UInt8 = 15
        static let pli: UInt8 = 1
        static let fir: UInt8 = 4
        static let application: UInt8 = 15
    }

    /// Reads one packet; `packet` begins with its head and ends before its padding.
    init(parsing packet: RawSpan, _ header: RTCPHeader) throws(WireError) {
        switch (header.type, header.count) {
        case (RTCPHeader.senderReport, let count):
            self = .senderReport(try SenderReport(parsing: packet, count: Int(count)))
        case (RTCPHeader.receiverReport, let count):
            self = .receiverReport(try ReceiverReport(parsing: packet, count: Int(count)))
        case (RTCPHeader.sourceDescription, let count):
            self = .sdes(try SourceDescription(parsing: packet, count: Int(count)))
        case (RTCPHeader.goodbye, let count): self = .bye(try Goodbye(parsing: packet, count: Int(count)))
        case (RTCPHeader.transportFeedback, Format.nack): self = .nack(try GenericNACK(parsing: packet))
        case (RTCPHeader.transportFeedback, Format.transportWideCC):
            self = .transportFeedback(try TransportFeedback(parsing: packet))
        case (RTCPHeader.payloadFeedback, Format.pli): self = .pli(try PictureLossIndication(parsing: packet))
        case (RTCPHeader.payloadFeedback, Format.fir): self = .fir(try FullIntraRequest(parsing: packet))
        case (RTCPHeader.payloadFeedback, Format.application)
        where ReceiverEstimatedMaximumBitrate.isOne(packet):
            self = .remb(try ReceiverEstimatedMaximumBitrate(parsing: packet))
        case (RTCPHeader.extendedReport, _): self = .xr(try ExtendedReport(parsing: packet))
        default: self = .unknown(type: header.type, count: header.count)
        }
    }

    /// Length in bytes when written; 0 for what has no written form (`unknown`).
    package var encodedLength: Int {
        switch self {
        case .senderReport(let packet): packet.encodedLength
        case .receiverReport(let packet): packet.encodedLength
        case .sdes(let packet): packet.encodedLength
        case .bye(let packet): packet.encodedLength
        case .nack(let packet): packet.encodedLength
        case .pli(let packet): packet.encodedLength
        case .fir(let packet): packet.encodedLength
        case .remb(let packet): packet.encodedLength
        case .xr(let packet): packet.encodedLength
        case .transportFeedback(let packet): packet.encodedLength
        case .unknown: 0
        }
    }

    /// Writes the packet and gives its length; 0, writing nothing, where it doesn't fit or has no written form.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .senderReport(let packet): packet.write(into: buffer)
        case .receiverReport(let packet): packet.write(into: buffer)
        case .sdes(let packet): packet.write(into: buffer)
        case .bye(let packet): packet.write(into: buffer)
        case .nack(let packet): packet.write(into: buffer)
        case .pli(let packet): packet.write(into: buffer)
        case .fir(let packet): packet.write(into: buffer)
        case .remb(let packet): packet.write(into: buffer)
        case .xr(let packet): packet.write(into: buffer)
        case .transportFeedback(let packet): packet.write(into: buffer)
        case .unknown: 0
        }
    }
}
