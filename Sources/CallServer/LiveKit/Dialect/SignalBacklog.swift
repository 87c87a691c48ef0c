import LiveKitProtocol

/// What a client is to be told when it comes back to signalling: what is said while it is away, and what was said to a
/// connection that may have been dead by then.
///
/// Descriptions, candidates, participants and the room are said anew by the resume itself; what only the newest value of
/// matters is kept once. The rest keeps its order, and is said twice rather than never.
struct SignalBacklog {
    /// The oldest give way: a client that stays away for so many is going to be removed.
    static let limit = 256
    /// Of the protobuf of all.
    static let byteLimit = 1 << 20

    private struct Entry {
        var response: Livekit_SignalResponse
        /// Of its connection's messages, from 1; nil where there was none.
        var number: Int?
        var bytes: Int
    }

    private var entries: [Entry] = []
    private var bytes = 0

    var messages: [Livekit_SignalResponse] { entries.map(\.response) }

    /// - Parameters:
    ///   - number: which one of its connection's messages it is, from 1; nil where it could not be sent.
    ///   - bytes: of its protobuf.
    mutating func keep(_ response: Livekit_SignalResponse, number: Int? = nil, bytes: Int) {
        switch response.message {
        case .join, .answer, .offer, .trickle, .update, .leave, .roomUpdate, .refreshToken, .pong, .reconnect,
            .pongResp, .mediaSectionsRequirement, nil:
            return
        // What was sent is confirmed soon, most likely: it is merged when it has to be said again.
        case .speakersChanged(let changed) where number == nil: keepSpeakers(changed)
        case .connectionQuality(let update) where number == nil: keepQuality(update)
        case .subscribedQualityUpdate(let update):
            remove { $0.subscribedQualityUpdate.trackSid == update.trackSid && $0.hasSubscribedQuality }
            append(response, number, bytes)
        default: append(response, number, bytes)
        }
    }

    /// The client has got its connection's first `count` messages.
    mutating func confirm(first count: Int) {
        removeEntries { $0.number.map { $0 <= count } ?? false }
    }

    /// The client has decided on its own since.
    mutating func forgetMute(of track: String) {
        remove { if case .mute(let mute) = $0.message { mute.sid == track } else { false } }
    }

    /// Takes everything out.
    mutating func drain() -> [Livekit_SignalResponse] {
        var merged = SignalBacklog()
        for entry in entries { merged.keep(entry.response, bytes: entry.bytes) }
        self = SignalBacklog()
        return merged.messages
    }

    private mutating func append(_ response: Livekit_SignalResponse, _ number: Int?, _ count: Int) {
        guard count <= SignalBacklog.byteLimit else { return }
        entries.append(Entry(response: response, number: number, bytes: count))
        bytes += count
        while entries.count > SignalBacklog.limit || bytes > SignalBacklog.byteLimit {
            bytes -= entries.removeFirst().bytes
        }
    }

    private mutating func remove(_ isObsolete: (Livekit_SignalResponse) -> Bool) {
        removeEntries { isObsolete($0.response) }
    }

    private mutating func removeEntries(_ isObsolete: (Entry) -> Bool) {
        guard entries.contains(where: isObsolete) else { return }
        entries.removeAll(where: isObsolete)
        bytes = entries.reduce(0) { $0 + $1.bytes }
    }

    /// Levels are differences: the newest of each speaker makes the older ones void.
    private mutating func keepSpeakers(_ changed: Livekit_SpeakersChanged) {
        var merged: [Livekit_SpeakerInfo] = []
        for entry in entries {
            if case .speakersChanged(let older) = entry.response.message { merged += older.speakers }
        }
        remove { if case .speakersChanged = $0.message { true } else { false } }
        let newer = Set(changed.speakers.map(\.sid))
        merged = merged.filter { !newer.contains($0.sid) } + changed.speakers
        append(.with { $0.speakersChanged.speakers = merged }, nil, SignalBacklog.bytesOfState * merged.count)
    }

    private mutating func keepQuality(_ update: Livekit_ConnectionQualityUpdate) {
        var merged: [Livekit_ConnectionQualityInfo] = []
        for entry in entries {
            if case .connectionQuality(let older) = entry.response.message { merged += older.updates }
        }
        remove { if case .connectionQuality = $0.message { true } else { false } }
        let newer = Set(update.updates.map(\.participantSid))
        merged = merged.filter { !newer.contains($0.participantSid) } + update.updates
        append(.with { $0.connectionQuality.updates = merged }, nil, SignalBacklog.bytesOfState * merged.count)
    }

    /// About what the level or the quality of one participant takes.
    private static let bytesOfState = 32
}

extension Livekit_SignalResponse {
    fileprivate var hasSubscribedQuality: Bool { if case .subscribedQualityUpdate = message { true } else { false } }
}
