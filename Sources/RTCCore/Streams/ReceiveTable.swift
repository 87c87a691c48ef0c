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
    private var codecs = [ReceiveMap.Codec?](repeating: nil, count: 128)
    /// The line that alone uses a payload type; -1 none, -2 several.
    private var lineOfPayloadType = [Int](repeating: -1, count: 128)
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

    func codec(_ payloadType: UInt8) -> ReceiveMap.Codec? { codecs[Int(payloadType & 0x7f)] }
    func source(_ ssrc: UInt32) -> Source? { sources[ssrc] }
    /// Whether a description names this source.
    func names(_ ssrc: UInt32) -> Bool { sources[ssrc] != nil || primaries[ssrc] != nil }
    func primary(ofRTX ssrc: UInt32) -> UInt32? { primaries[ssrc] }
    func line(mid: ShortToken) -> Int? { lineOfMid[mid] }
    func mid(line: Int) -> ShortToken? { midOfLine[line] }

    /// The line that this payload type alone tells, nil where it tells none.
    func line(of payloadType: UInt8) -> Int? {
        let line = lineOfPayloadType[Int(payloadType & 0x7f)]
        return line >= 0 ? line : nil
    }

    private mutating func add(_ line: ReceiveMap.Line) {
        if let mid = line.mid {
            lineOfMid[mid] = line.index
            midOfLine[line.index] = mid
        }
        for codec in line.codecs {
            let slot = Int(codec.payloadType & 0x7f)
            codecs[slot] = codecs[slot] ?? codec
            if codec.transportCC { takesTransportFeedback = true }
            lineOfPayloadType[slot] = lineOfPayloadType[slot] == -1 ? line.index : -2
        }
    }

    private mutating func add(_ source: ReceiveMap.Source, line: Int) {
        sources[source.ssrc] = Source(line: line, rtxSSRC: source.rtxSSRC)
        if let rtx = source.rtxSSRC { primaries[rtx] = source.ssrc }
    }
}
