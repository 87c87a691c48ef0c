import RTCWire

/// All incoming sources of a peer, and how a packet finds its own.
///
/// The number of sources is bounded, on each line and in all. A source that no description names takes the place of the
/// one on its line that has been silent the longest; one that a description names, that of any other that is not named.
struct ReceiveStreams {
    /// Where a packet belongs.
    enum Resolution {
        case stream(index: Int, isRTX: Bool)
        case unknownPayloadType
        case refused
        /// A retransmission whose primary stream isn't known.
        case orphan
    }

    struct Binding {
        var index: Int
        var isRTX: Bool
    }

    private(set) var table = ReceiveTable(ReceiveMap())
    private(set) var streams: [ReceiveStream] = []
    private var bindings: [UInt32: Binding] = [:] {
        didSet { recent = RecentSources() }
    }
    private var recent = RecentSources()
    private let limits: StreamLimits
    /// Lines whose sources are all too lively to give a place away, and until when that is sure.
    private var fullUntil: [Int: Instant] = [:]
    /// Streams looked at for a place, in all.
    private(set) var steps = 0

    init(limits: StreamLimits) { self.limits = limits }

    /// Takes a new description in; sources that are known already keep their state.
    mutating func setMap(_ map: ReceiveMap) {
        table = ReceiveTable(map)
        fullUntil.removeAll(keepingCapacity: true)
        for index in streams.indices {
            if let source = table.source(streams[index].ssrc) {
                streams[index].line = source.line
                if let rtx = source.rtxSSRC { bindRTX(rtx, to: index) }
            } else if let mid = streams[index].mid {
                streams[index].line = table.line(mid: mid) ?? -1
            }
        }
    }

    func index(ssrc: UInt32) -> Int? {
        guard let binding = bindings[ssrc], !binding.isRTX else { return nil }
        return binding.index
    }

    /// Whether a packet of this source is no surprise: it is received already, or a description names it.
    func isExpected(_ ssrc: UInt32) -> Bool { bindings[ssrc] != nil || table.names(ssrc) }

    /// The other side says that a source has ended: its place may be taken.
    mutating func end(_ index: Int) {
        streams[index].hasEnded = true
        streams[index].forgetLosses(before: .max)
        fullUntil[streams[index].line] = nil
    }

    /// Changes one source in place.
    mutating func update<R>(_ index: Int, _ body: (inout ReceiveStream) -> R) -> R { body(&streams[index]) }

    /// A report block for each source that sent something since the last call.
    mutating func takeReports(now: Instant, patience: Interval = .zero) -> [ReportBlock] {
        var blocks: [ReportBlock] = []
        for index in streams.indices {
            if let block = streams[index].takeReport(now: now, patience: patience) { blocks.append(block) }
        }
        return blocks
    }

    /// Whether packets of any source are to be asked for.
    func hasLossDue(by now: Instant) -> Bool {
        for index in streams.indices where streams[index].losses.deadline <= now { return true }
        return false
    }

    /// Finds the source of a packet, binding its SSRC where it is new (RFC 9143 section 9.2).
    mutating func resolve(
        _ header: RTPHeader, _ extensions: RTPExtensions, originalSequence: UInt16, now: Instant
    ) -> Resolution {
        guard let codec = table.codec(header.payloadType) else { return .unknownPayloadType }
        if let binding = binding(header.ssrc), binding.isRTX == (codec.apt != nil) {
            if !binding.isRTX { learn(binding.index, extensions) }
            return .stream(index: binding.index, isRTX: binding.isRTX)
        }
        if let apt = codec.apt {
            guard
                let index = primary(
                    of: header, extensions, apt: apt, originalSequence: originalSequence)
            else { return .orphan }
            bindRTX(header.ssrc, to: index)
            return .stream(index: index, isRTX: true)
        }
        guard let index = add(header.ssrc, codec, extensions, now) else { return .refused }
        return .stream(index: index, isRTX: false)
    }

    private mutating func binding(_ ssrc: UInt32) -> Binding? {
        if let known = recent.find(ssrc) { return known }
        guard let binding = bindings[ssrc] else { return nil }
        recent.add(ssrc, binding)
        return binding
    }

    /// Fills in what is known of a packet's source where the packet itself doesn't say it.
    func complete(_ extensions: inout RTPExtensions, _ index: Int) {
        if extensions.mid == nil { extensions.mid = streams[index].mid }
        if extensions.rid == nil { extensions.rid = streams[index].rid }
    }

    /// Whether losses were given up for want of room since the last call, so that only a key frame helps.
    mutating func takeLostTooMuch(_ index: Int) -> Bool {
        guard streams[index].lostTooMuch else { return false }
        streams[index].lostTooMuch = false
        return true
    }

    /// A known source may tell its mid and rid later, or move to another line.
    private mutating func learn(_ index: Int, _ extensions: RTPExtensions) {
        if let mid = extensions.mid, streams[index].mid != mid {
            streams[index].mid = mid
            streams[index].line = table.line(mid: mid) ?? streams[index].line
        }
        if let rid = extensions.rid, streams[index].rid != rid { streams[index].rid = rid }
    }

    private mutating func add(
        _ ssrc: UInt32, _ codec: ReceiveMap.Codec, _ extensions: RTPExtensions, _ now: Instant
    ) -> Int? {
        let source = table.source(ssrc)
        let line =
            source?.line ?? extensions.mid.flatMap { table.line(mid: $0) } ?? table.line(of: codec.payloadType) ?? -1
        var stream = ReceiveStream(ssrc: ssrc, line: line, codec: codec, now: now)
        stream.mid = extensions.mid ?? table.mid(line: line)
        stream.rid = extensions.rid
        guard let index = place(stream, now) else { return nil }
        bindings[ssrc] = Binding(index: index, isRTX: false)
        if let rtx = source?.rtxSSRC { bindRTX(rtx, to: index) }
        return index
    }

    /// Puts a new stream into a free place, or into that of another.
    private mutating func place(_ stream: ReceiveStream, _ now: Instant) -> Int? {
        if table.names(stream.ssrc) { return placeNamed(stream, now) }
        if let full = fullUntil[stream.line], now < full { return nil }
        steps += streams.count
        let learned = streams.indices.filter { streams[$0].line == stream.line && !table.names(streams[$0].ssrc) }
        guard learned.count >= limits.maximumLearnedStreams || streams.count >= limits.maximumReceiveStreams else {
            return append(stream)
        }
        guard let oldest = longestSilent(learned) else {
            let index = placeAnywhere(stream, now)
            if index == nil { fullUntil[stream.line] = now + ReceiveStreams.learnedIdle }
            return index
        }
        let free = streams[oldest].lastArrival + ReceiveStreams.learnedIdle
        guard streams[oldest].hasEnded || free <= now else {
            fullUntil[stream.line] = free
            return nil
        }
        return replace(oldest, stream)
    }

    private mutating func placeNamed(_ stream: ReceiveStream, _ now: Instant) -> Int? {
        if streams.count < limits.maximumReceiveStreams { return append(stream) }
        steps += streams.count
        let learned = streams.indices.filter { !table.names(streams[$0].ssrc) }
        if let oldest = longestSilent(learned) { return replace(oldest, stream) }
        return placeAnywhere(stream, now)
    }

    private mutating func placeAnywhere(_ stream: ReceiveStream, _ now: Instant) -> Int? {
        steps += streams.count
        guard let oldest = longestSilent(Array(streams.indices)),
            streams[oldest].hasEnded || now - streams[oldest].lastArrival >= ReceiveStreams.idle
        else { return nil }
        return replace(oldest, stream)
    }

    /// The one that has ended, or else was heard the longest ago.
    private func longestSilent(_ indices: [Int]) -> Int? {
        indices.min { left, right in
            let (left, right) = (streams[left], streams[right])
            return left.hasEnded == right.hasEnded ? left.lastArrival < right.lastArrival : left.hasEnded
        }
    }

    private mutating func append(_ stream: ReceiveStream) -> Int {
        streams.append(stream)
        return streams.count - 1
    }

    private mutating func replace(_ index: Int, _ stream: ReceiveStream) -> Int {
        bindings[streams[index].ssrc] = nil
        if let rtx = streams[index].rtxSSRC { bindings[rtx] = nil }
        streams[index] = stream
        return index
    }

    private mutating func bindRTX(_ ssrc: UInt32, to index: Int) {
        guard bindings[ssrc] == nil || bindings[ssrc]?.isRTX == true else { return }
        if let old = streams[index].rtxSSRC, old != ssrc { bindings[old] = nil }
        if let old = bindings[ssrc], old.index != index { streams[old.index].rtxSSRC = nil }
        streams[index].rtxSSRC = ssrc
        bindings[ssrc] = Binding(index: index, isRTX: true)
    }

    /// The stream that an unannounced RTX source repeats: by FID, repaired rid, or as the only one on its line that has
    /// none, or that misses just this packet (RFC 4588 section 5.3).
    private func primary(
        of header: RTPHeader, _ extensions: RTPExtensions, apt: UInt8, originalSequence: UInt16
    ) -> Int? {
        if let ssrc = table.primary(ofRTX: header.ssrc) { return index(ssrc: ssrc) }
        let line = extensions.mid.flatMap { table.line(mid: $0) } ?? table.line(of: header.payloadType)
        let candidates = streams.indices.filter {
            streams[$0].codec.payloadType == apt && !streams[$0].hasEnded
                && (line == nil || streams[$0].line == line)
        }
        if let rid = extensions.repairedRid { return candidates.first { streams[$0].rid == rid } }
        let free = candidates.filter { streams[$0].rtxSSRC == nil }
        if free.count == 1 { return free[0] }
        let missing = candidates.filter { streams[$0].isMissing(originalSequence) }
        return missing.count == 1 ? missing[0] : nil
    }

    /// A source that has been silent this long may lose its place to a new one.
    static let idle = Interval.seconds(10)
    /// The same for one that no description names, against one on the same line.
    static let learnedIdle = Interval.seconds(2)
}
