/// A step of the offer and answer of one peer connection, whose uri is the stream (publisher and router) or the subscriber.
package enum RaptorNegotiation: Hashable, Sendable {
    /// Bytes of a description and of a candidate line.
    package static let longestDescription = 128 * 1024
    package static let longestCandidate = 2048

    /// The publisher is to make an offer.
    case generateOffer
    case offer(sdp: String)
    case answer(sdp: String)
    case provisionalAnswer(sdp: String)
    case candidate(RaptorCandidate)

    init?(_ message: RaptorMessage) throws(MessageFault) {
        switch message.method {
        case "generateoffer": self = .generateOffer
        case "offer": self = .offer(sdp: try Self.description(message))
        case "answer": self = .answer(sdp: try Self.description(message))
        case "pranswer": self = .provisionalAnswer(sdp: try Self.description(message))
        case "candidate": self = .candidate(try RaptorCandidate(try message.fields()))
        default: return nil
        }
    }

    private static func description(_ message: RaptorMessage) throws(MessageFault) -> String {
        try message.fields().text("sdp", limit: longestDescription)
    }

    var method: String {
        switch self {
        case .generateOffer: "generateoffer"
        case .offer: "offer"
        case .answer: "answer"
        case .provisionalAnswer: "pranswer"
        case .candidate: "candidate"
        }
    }

    var content: JSON {
        switch self {
        case .generateOffer: [:]
        case .offer(let sdp), .answer(let sdp), .provisionalAnswer(let sdp): ["sdp": .string(sdp)]
        case .candidate(let candidate): candidate.json
        }
    }
}

/// A candidate as browsers have it (WebRTC 1.0, RTCIceCandidateInit).
package struct RaptorCandidate: Hashable, Sendable {
    /// `candidate:…`; empty where there are no more.
    package var candidate: String
    package var sdpMid: String?
    package var sdpMLineIndex: Int?

    package init(candidate: String, sdpMid: String? = nil, sdpMLineIndex: Int? = nil) {
        self.candidate = candidate
        self.sdpMid = sdpMid
        self.sdpMLineIndex = sdpMLineIndex
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        candidate = try fields.text("candidate", limit: RaptorNegotiation.longestCandidate)
        sdpMid = try fields.optionalText("sdpMid")
        sdpMLineIndex = try fields.optionalInteger("sdpMLineIndex", in: 0...1024).map { Int($0) }
    }

    var json: JSON {
        .object([
            "candidate": .string(candidate), "sdpMid": sdpMid.map(JSON.string),
            "sdpMLineIndex": sdpMLineIndex.map { .integer(Int64($0)) },
        ])
    }
}

/// Whose peer connection is negotiated.
package enum RaptorPeer: Hashable, Sendable {
    /// The publisher's, with the router.
    case stream(String)
    case subscriber(stream: String, id: String)

    init?(_ resource: RaptorResource) {
        switch resource {
        case .stream(let id): self = .stream(id)
        case .subscriber(let stream, let id): self = .subscriber(stream: stream, id: id)
        default: return nil
        }
    }

    var resource: RaptorResource {
        switch self {
        case .stream(let id): .stream(id)
        case .subscriber(let stream, let id): .subscriber(stream: stream, id: id)
        }
    }
}
