import OpenTokSignalling
import RTCWire

/// What the server tells of the session.
extension OpenTokMachine {
    mutating func take(_ event: RaptorEvent, from sender: String?, _ turn: inout ClientTurn) {
        switch event {
        case .connectionCreated(let connection): add(connection, &turn)
        case .connectionDeleted(let id, let reason): removed(connection: id, reason, &turn)
        case .streamCreated(let stream): created(stream, &turn)
        case .streamUpdated(let stream, let channel, let news): updated(stream, channel, news, &turn)
        case .streamDeleted(let id, let reason): deleted(stream: id, reason, &turn)
        case .subscriberCreated(let stream, let subscriber): created(subscriber, of: stream, &turn)
        case .subscriberUpdated(let stream, let subscriber, let channel, let news):
            updated(.subscriber(stream: stream, id: subscriber), channel, news, &turn)
        case .subscriberDeleted(let stream, let id): deleted(.subscriber(stream: stream, id: id), &turn)
        case .negotiate(let peer, let step): negotiate(peer, step, &turn)
        case .signal(_, let content): heard(content, from: sender, &turn)
        case .archiveCreated(let archive), .archiveUpdated(let archive): turn.report(.archive(archive))
        case .streamMuted(let id): muteByForce(stream: id, &turn)
        case .muteForced(let mute): muteForced(mute, &turn)
        }
    }

    // MARK: Connections

    mutating func add(_ connection: RaptorConnection, _ turn: inout ClientTurn) {
        guard connection.id != settings.connection, let event = roster.add(connection) else { return }
        turn.report(event)
        for early in roster.takeEarly(of: connection.id) {
            switch early {
            case .stream(let stream): add(stream, &turn)
            case .signal(let content): turn.report(.signal(content, from: connection.id))
            }
        }
    }

    private mutating func removed(connection id: String, _ reason: RaptorReason, _ turn: inout ClientTurn) {
        guard id != settings.connection else { return end(.removed(reason), &turn) }
        guard let (streams, event) = roster.removeConnection(id, reason) else { return }
        for stream in streams { destroyed(stream, reason, &turn) }
        turn.report(event)
    }

    // MARK: Streams

    private mutating func created(_ stream: RaptorStream, _ turn: inout ClientTurn) {
        guard stream.connection == settings.connection || publishers.isOurs(stream.id) else {
            return add(stream, &turn)
        }
        guard stream.connection == settings.connection else { return }
        publishers[stream.id]?.isCreated = true
        settleIfReady(stream.id, &turn)
    }

    mutating func add(_ stream: RaptorStream, _ turn: inout ClientTurn) {
        guard stream.connection != settings.connection, roster.add(stream) else { return }
        turn.report(.streamCreated(stream))
        guard settings.subscribesAutomatically, own.permissions.contains(.subscribe) else { return }
        subscribe(to: stream, Set(stream.channels.map(\.id)), nil, &turn)
    }

    private mutating func updated(
        _ id: String, _ channel: String, _ news: RaptorChannelProperties, _ turn: inout ClientTurn
    ) {
        guard let (stream, isActiveChanged) = roster.update(stream: id, channel: channel, news) else { return }
        if isActiveChanged, let isActive = news.isActive {
            turn.report(.streamActive(isActive, stream, channel: channel))
        }
        if news.width != nil || news.height != nil || news.frameRate != nil || news.orientation != nil {
            turn.report(.streamChanged(stream, channel: channel))
        }
        if let isWarning = news.hasDisableWarning { changeVideo(of: id, &turn) { $0.warn(isWarning) } }
    }

    private mutating func deleted(stream id: String, _ reason: RaptorReason, _ turn: inout ClientTurn) {
        if publishers[id] != nil { return publisherDestroyed(id, reason, &turn) }
        guard let stream = roster.removeStream(id) else { return }
        destroyed(stream, reason, &turn)
    }

    /// A stream that the roster has forgotten.
    private mutating func destroyed(_ stream: RaptorStream, _ reason: RaptorReason, _ turn: inout ClientTurn) {
        dropSubscriber(of: stream.id, &turn)
        turn.report(.streamDestroyed(stream, reason))
    }

    // MARK: Signals

    /// A signal to the whole session comes to its sender as well, as in the client SDKs.
    private mutating func heard(_ content: SignalContent, from sender: String?, _ turn: inout ClientTurn) {
        guard let sender, sender != settings.connection else { return turn.report(.signal(content, from: sender)) }
        if roster.admit(content, from: sender) { turn.report(.signal(content, from: sender)) }
    }

    // MARK: Force mute

    private mutating func muteForced(_ mute: ForceMute, _ turn: inout ClientTurn) {
        own.forceMute = mute.isActive ? mute : nil
        turn.report(.muteForced(mute))
        guard mute.isActive else { return }
        for id in publishers.ids where !mute.excludedStreams.contains(id) { muteByForce(stream: id, &turn) }
    }

    /// The sound of a stream of ours stops; its publisher may let it sound again.
    mutating func muteByForce(stream id: String, _ turn: inout ClientTurn) {
        for channel in publishers[id]?.audibleChannels ?? [] {
            _ = publishers[id]?.setActive(false, channel: channel)
            turn.outputs.append(.setActive(false, stream: id, channel: channel))
            ask(.updateStream(stream: id, channel: channel, RaptorChannelProperties(isActive: false)), &turn)
            turn.report(.publisher(.muteForced(channel: channel), stream: id))
        }
    }
}
