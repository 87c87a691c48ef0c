import LiveKitProtocol

/// What a client is to be told when it comes back to signalling.
///
/// Descriptions, candidates, participants and the room are said anew by the resume itself; what only the newest value of
/// matters is kept once. The rest keeps its order.
struct SignalBacklog {
    /// The oldest give way: a client that stays away for so many is going to be removed.
    static let limit = 256

    private(set) var messages: [Livekit_SignalResponse] = []

    mutating func keep(_ response: Livekit_SignalResponse) {
        switch response.message {
        case .join, .answer, .offer, .trickle, .update, .leave, .roomUpdate, .refreshToken, .pong, .reconnect,
            .pongResp, .mediaSectionsRequirement, nil:
            return
        case .speakersChanged(let changed): keepSpeakers(changed)
        case .connectionQuality(let update): keepQuality(update)
        case .subscribedQualityUpdate(let update):
            remove { $0.subscribedQualityUpdate.trackSid == update.trackSid && $0.hasSubscribedQuality }
            append(response)
        default: append(response)
        }
    }

    /// Takes everything out.
    mutating func drain() -> [Livekit_SignalResponse] {
        defer { messages = [] }
        return messages
    }

    private mutating func append(_ response: Livekit_SignalResponse) {
        if messages.count >= SignalBacklog.limit { messages.removeFirst() }
        messages.append(response)
    }

    private mutating func remove(_ isObsolete: (Livekit_SignalResponse) -> Bool) {
        messages.removeAll(where: isObsolete)
    }

    /// Levels are differences: the newest of each speaker makes the older ones void.
    private mutating func keepSpeakers(_ changed: Livekit_SpeakersChanged) {
        var merged: [Livekit_SpeakerInfo] = []
        for message in messages { if case .speakersChanged(let older) = message.message { merged += older.speakers } }
        remove { if case .speakersChanged = $0.message { true } else { false } }
        let newer = Set(changed.speakers.map(\.sid))
        merged = merged.filter { !newer.contains($0.sid) } + changed.speakers
        append(.with { $0.speakersChanged.speakers = merged })
    }

    private mutating func keepQuality(_ update: Livekit_ConnectionQualityUpdate) {
        var merged: [Livekit_ConnectionQualityInfo] = []
        for message in messages { if case .connectionQuality(let older) = message.message { merged += older.updates } }
        remove { if case .connectionQuality = $0.message { true } else { false } }
        let newer = Set(update.updates.map(\.participantSid))
        merged = merged.filter { !newer.contains($0.participantSid) } + update.updates
        append(.with { $0.connectionQuality.updates = merged })
    }
}

extension Livekit_SignalResponse {
    fileprivate var hasSubscribedQuality: Bool { if case .subscribedQualityUpdate = message { true } else { false } }
}
