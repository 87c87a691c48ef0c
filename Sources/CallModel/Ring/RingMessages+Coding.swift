/// Ring messages as JSON objects: `{"type": "answer", "callId": "c"}`.
private enum RingKey: String, CodingKey {
    case type, callId, request, leftReason, offer, reason, callState, endReason
}

extension RingCommand: Codable {
    private enum Kind: String, Codable { case place, answer, decline, abort, connected, hangUp }

    /// Writes the command's object.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: RingKey.self)
        try fields.encode(callId, forKey: .callId)
        switch self {
        case .place(let request):
            try fields.encode(Kind.place, forKey: .type)
            try fields.encode(request, forKey: .request)
        case .answer: try fields.encode(Kind.answer, forKey: .type)
        case .decline: try fields.encode(Kind.decline, forKey: .type)
        case .abort: try fields.encode(Kind.abort, forKey: .type)
        case .connected: try fields.encode(Kind.connected, forKey: .type)
        case .hangUp(_, let reason):
            try fields.encode(Kind.hangUp, forKey: .type)
            try fields.encode(reason, forKey: .leftReason)
        }
    }

    /// Reads a command's object.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: RingKey.self)
        let kind = try fields.decode(Kind.self, forKey: .type)
        if kind == .place {
            self = .place(try fields.decode(RingRequest.self, forKey: .request))
            return
        }
        let id = try fields.decode(String.self, forKey: .callId)
        switch kind {
        case .answer: self = .answer(callId: id)
        case .decline: self = .decline(callId: id)
        case .abort: self = .abort(callId: id)
        case .connected: self = .connected(callId: id)
        case .place, .hangUp:
            let reason = try fields.decodeIfPresent(ParticipantLeftReason.self, forKey: .leftReason)
            self = .hangUp(callId: id, reason ?? .hangUp)
        }
    }
}

extension RingSignal: Codable {
    /// What kind of signal it is; also the name of its server-sent event.
    public enum Kind: String, Sendable, Codable {
        /// It rings.
        case offer
        /// The answer counts.
        case granted
        /// The answer does not count.
        case refused
        /// It rings no longer.
        case withdrawn
        /// Where the call stands.
        case progress
        /// The call is over.
        case ended
    }

    /// Its kind.
    public var kind: Kind {
        switch self {
        case .offer: .offer
        case .granted: .granted
        case .refused: .refused
        case .withdrawn: .withdrawn
        case .progress: .progress
        case .ended: .ended
        }
    }

    /// Writes the signal's object.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: RingKey.self)
        try fields.encode(kind, forKey: .type)
        try fields.encode(callId, forKey: .callId)
        switch self {
        case .offer(let offer): try fields.encode(offer, forKey: .offer)
        case .granted: break
        case .refused(_, let reason), .withdrawn(_, let reason): try fields.encode(reason, forKey: .reason)
        case .progress(_, let phase): try fields.encode(phase, forKey: .callState)
        case .ended(_, let reason): try fields.encode(reason, forKey: .endReason)
        }
    }

    /// Reads a signal's object.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: RingKey.self)
        let id = try fields.decode(String.self, forKey: .callId)
        switch try fields.decode(Kind.self, forKey: .type) {
        case .offer: self = .offer(try fields.decode(RingOffer.self, forKey: .offer))
        case .granted: self = .granted(callId: id)
        case .refused: self = .refused(callId: id, try fields.decode(RingWithdrawal.self, forKey: .reason))
        case .withdrawn: self = .withdrawn(callId: id, try fields.decode(RingWithdrawal.self, forKey: .reason))
        case .progress: self = .progress(callId: id, try fields.decode(CallPhase.self, forKey: .callState))
        case .ended: self = .ended(callId: id, try fields.decode(CallEndReason.self, forKey: .endReason))
        }
    }
}
