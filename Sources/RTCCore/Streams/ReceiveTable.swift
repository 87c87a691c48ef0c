import RTCWire

/// A `ReceiveMap` in the form that a packet asks: by payload type, SSRC and mid.
struct ReceiveTable {
    struct Source {
        var line: Int
        var rtxSSRC: UInt32?
    }

    /// All lines' extensions: identifiers are the bundle's, not the line's (RFC 9143 section 9.1).
    private(set) var extensionMap = RTPExtensionMap()
    /// Some line's sender is to be told when its packets arrive.
    private(set) var takesTransportFeedback = false
    /// Some line's sender is to be told what the path bears, as far as its packets say when they left.
    private(set) var takesReceiverEstimate = false
    /// The place in `codecs` of each payload type, and one more; 0 none.
    private var places = InlineArray<128, UInt8>(repeating: 0)
    private var codecs: [(codec: ReceiveMap.Codec, line: Int?)] = []
    private var sources: [UInt32: Source] = [:]
    private var primaries: [UInt32: UInt32] = [:]
    private var lineOfMid: [ShortToken: Int] = [:]
    private var midOfLine: [Int: ShortToken] = [:]

    init(_ map: ReceiveMap) {
        for line in map.lines {
            add(line)
            for source in line.sources { add(source, line: line.index) }
            for pair in line.extensionMap.pairs { extensionMap.set(pair.id, pair.kind) }
        }
    }

    func codec(_ payloadType: UInt8) -> ReceiveMap.Codec? {
        let place = Int(places[Int(payloadType & 0x7f)])
        return place == 0 ? nil : codecs[place - 1].codec
    }

    func source(_ ssrc: UInt32) -> Source? { sources[ssrc] }
    /// Whether a description names this source.
    func names(_ ssrc: UInt32) -> Bool { sources[ssrc] != nil || primaries[ssrc] != nil }
    func primary(ofRTX ssrc: UInt32) -> UInt32? { primaries[ssrc] }
    func line(mid: ShortToken) -> Int? { lineOfMid[mid] }
    func mid(line: Int) -> ShortToken? { midOfLine[line] }

    /// The line that this payload type alone tells, nil where it tells none.
    func line(of payloadType: UInt8) -> Int? {
        let place = Int(places[Int(payloadType & 0x7f)])
        return place == 0 ? nil : codecs[place - 1].line
    }

    private mutating func add(_ line: ReceiveMap.Line) {
        if let mid = line.mid {
            lineOfMid[mid] = line.index
            midOfLine[line.index] = mid
        }
        for codec in line.codecs {
            let slot = Int(codec.payloadType & 0x7f)
            if codec.transportCC { takesTransportFeedback = true }
            if codec.remb { takesReceiverEstimate = true }
            if places[slot] == 0 {
                codecs.append((codec, line.index))
                places[slot] = UInt8(codecs.count)
            } else {
                // Several lines use it: it tells none of them.
                codecs[Int(places[slot]) - 1].line = nil
            }
        }
    }

    private mutating func add(_ source: ReceiveMap.Source, line: Int) {
        sources[source.ssrc] = Source(line: line, rtxSSRC: source.rtxSSRC)
        if let rtx = source.rtxSSRC { primaries[rtx] = source.ssrc }
    }
}
