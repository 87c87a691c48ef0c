/// What `NAME.facts.json` says of the RTP and RTCP of a recorded session.
struct SessionFacts: Decodable {
    /// "URI: 193" for a header extension, a bare number for a profile.
    struct Count: Decodable {
        var value: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                value = number
            } else {
                value = try container.decode(String.self).split(separator: " ").last.flatMap { Int($0) } ?? -1
            }
        }
    }

    struct Stream: Decodable {
        var packets: Int
        var payloadTypes: [String: String]
        var firstSeq: UInt16
        var lastSeq: UInt16
        var distinctSeqs: Int
        var firstTimestamp: UInt32
        var lastTimestamp: UInt32
        var distinctTimestamps: Int
        var markers: Int
        var payloadBytesWithoutPadding: Int
        var paddingOnlyPackets: Int
        var headerExtensions: [String: Count]
        var missingSeqs: [UInt16]
        var keyFrames: Int?
        var keyFrameTimestamps: [UInt32]?
        var ridsSeen: [String]?
    }

    struct Control: Decodable {
        var datagrams: Int
        var packets: [String: Int]
        var nackedSequenceNumbers: [UInt16]?
        var rembBitrates: [UInt64]?
    }

    struct Repair: Decodable {
        struct Entry: Decodable {
            var rtxSeq: UInt16
            var originalSeq: UInt16
            var originalWasDropped: Bool
        }

        var retransmissionsWithPayload: Int
        var list: [Entry]
    }

    var file: String
    var datagrams: Int
    var rtp: [String: Stream]
    var rtcpFromA: Control
    var rtcpFromB: Control
    var rtx: Repair?
    var offerExtmap: [String: [String]]

    /// The recorded sessions with decrypted RTP.
    static let names = [
        "av1-dd", "av1-l1t3", "h264", "opus-dtx", "opus-red-dtmf", "vp8-nack", "vp8-remb", "vp8-rtx", "vp8-simulcast",
        "vp8-ulpfec", "vp9-l3t3", "vp9-svc",
    ]

    static func of(_ name: String) throws -> SessionFacts {
        try VectorFiles.json("\(name).facts.json", as: SessionFacts.self)
    }
}
