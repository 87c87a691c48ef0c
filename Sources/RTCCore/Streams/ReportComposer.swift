import RTCWire

/// Puts reports and the names of their sources together into compounds that fit a datagram (RFC 3550 section 6.1).
struct ReportComposer {
    private let limit: Int
    private var packets: [RTCPPacket] = []
    private var names = SourceDescription(chunks: [])
    private var length = 0

    /// `limit` is the largest compound in bytes.
    init(limit: Int) { self.limit = limit }

    /// Adds a report. Gives the compound before it where this one no longer fits in.
    mutating func add(_ packet: RTCPPacket, ssrc: UInt32, cname: String, mid: String? = nil) -> [RTCPPacket]? {
        let isNamed = names.cname(of: ssrc) != nil
        let name = SourceDescription(ssrc: ssrc, cname: cname, mid: mid)
        let added = packet.encodedLength + (isNamed ? 0 : name.encodedLength)
        var full: [RTCPPacket]?
        if !packets.isEmpty, length + added > limit || names.chunks.count == 31 { full = finish() }
        packets.append(packet)
        if names.cname(of: ssrc) == nil { names.chunks += name.chunks }
        length += packet.encodedLength + name.encodedLength
        return full
    }

    /// The compound so far, with its names; empty where nothing was added since the last one.
    mutating func finish() -> [RTCPPacket] {
        defer {
            packets = []
            names.chunks = []
            length = 0
        }
        return packets.isEmpty ? [] : packets + [.sdes(names)]
    }

    /// Takes as many report blocks as one report may carry.
    static func take(_ blocks: inout [ReportBlock]) -> [ReportBlock] {
        let taken = Array(blocks.prefix(ReportBlock.maximumCount))
        blocks.removeFirst(taken.count)
        return taken
    }
}
