import OpenTokSignalling
import RTCWire

/// Streams of others that we receive.
extension OpenTokMachine {
    mutating func subscribe(
        to stream: RaptorStream, _ wanted: Set<String>, _ command: CommandID?, _ turn: inout ClientTurn
    ) {
        let id = subscribers.nextID(settings.connection)
        var subscriber = Subscriber(
            stream: stream.id, id: id, wanted: wanted, deadline: turn.now + settings.limits.media)
        if let command { subscriber.commands = [command] }
        request(subscriber, stream, &turn)
    }

    private mutating func request(_ subscriber: Subscriber, _ stream: RaptorStream, _ turn: inout ClientTurn) {
        subscribers[stream.id] = subscriber
        // Candidates may come before the offer.
        peers[subscriber.peer] = PeerState()
        ask(
            .subscribe(stream: stream.id, subscriber.request(channels: stream.channels)),
            for: .subscribe(stream: stream.id, subscriber: subscriber.id), &turn)
        guard settings.isRelayed else { return }
        // The request itself goes no further than to the server.
        for wish in subscriber.request(channels: stream.channels).channels where !hasEnded {
            ask(
                .updateSubscriber(
                    stream: stream.id, subscriber: subscriber.id, channel: wish.id, wish.preferences), &turn)
        }
    }

    /// The server has answered the request to subscribe.
    mutating func subscribed(_ stream: String, _ id: String, status: Int, _ turn: inout ClientTurn) {
        guard let subscriber = subscribers[stream], subscriber.id == id else { return }
        subscribers[stream]?.commands = []
        guard (200..<300).contains(status) else {
            let error = ClientError(subscriptionStatus: status)
            for command in subscriber.commands { turn.fail(command, error) }
            dropSubscriber(of: stream, &turn)
            return turn.report(.subscriber(.failed(error), stream: stream))
        }
        for command in subscriber.commands { turn.settle(command) }
    }

    mutating func setSubscribed(
        _ isSubscribed: Bool, _ id: String, _ channel: String, _ command: CommandID, _ turn: inout ClientTurn
    ) {
        guard let stream = roster.streams[id], stream.channels.contains(where: { $0.id == channel }) else {
            return turn.fail(
                command, ClientError(.streamNotFound, "there is no stream \(id) with a channel \(channel)"))
        }
        guard var subscriber = subscribers[id] else {
            guard isSubscribed else { return turn.settle(command) }
            return subscribe(to: stream, [channel], command, &turn)
        }
        if isSubscribed { subscriber.wanted.insert(channel) } else { subscriber.wanted.remove(channel) }
        guard !subscriber.wanted.isEmpty else { return unsubscribe(subscriber, command, &turn) }
        subscribers[id] = subscriber
        tellSubscriber(of: id, &turn)
        let wish = RaptorSubscriberPreferences(isActive: isSubscribed)
        ask(
            .updateSubscriber(stream: id, subscriber: subscriber.id, channel: channel, wish),
            for: .command(command, .unableToSubscribe), &turn)
    }

    private mutating func unsubscribe(_ subscriber: Subscriber, _ command: CommandID, _ turn: inout ClientTurn) {
        for waiting in subscriber.commands {
            turn.fail(waiting, ClientError(.unableToSubscribe, "the subscription was ended meanwhile"))
        }
        dropSubscriber(of: subscriber.stream, &turn)
        ask(
            .unsubscribe(stream: subscriber.stream, subscriber: subscriber.id),
            for: .command(command, .subscriberNotFound), &turn)
    }

    mutating func prefer(
        _ preferences: RaptorSubscriberPreferences, _ id: String, _ channel: String, _ command: CommandID,
        _ turn: inout ClientTurn
    ) {
        guard let subscriber = subscribers[id] else {
            return turn.fail(command, ClientError(.subscriberNotFound, "the stream \(id) is not subscribed to"))
        }
        subscribers[id]?.preferences[channel] = preferences
        ask(
            .updateSubscriber(stream: id, subscriber: subscriber.id, channel: channel, preferences),
            for: .command(command, .subscriberNotFound), &turn)
    }

    /// The subscription is over: nothing of it arrives any more.
    mutating func dropSubscriber(of stream: String, _ turn: inout ClientTurn) {
        guard var subscriber = subscribers[stream] else { return }
        subscriber.media = []
        for event in subscriber.news() { turn.report(.subscriber(event, stream: stream)) }
        peers.close(subscriber.peer, &turn)
        subscribers[stream] = nil
    }

    private mutating func tellSubscriber(of stream: String, _ turn: inout ClientTurn) {
        for event in subscribers[stream]?.news() ?? [] { turn.report(.subscriber(event, stream: stream)) }
    }

    // MARK: What the server says

    mutating func updated(
        _ peer: RaptorPeer, _ channel: String, _ news: RaptorSubscriberPreferences, _ turn: inout ClientTurn
    ) {
        guard publishers[peer.stream] == nil else { return wanted(peer, channel, news, &turn) }
        guard subscribers.subscriber(of: peer) != nil, let isActive = news.isActive,
            roster.streams[peer.stream]?.channels.first(where: { $0.id == channel })?.kind == .video
        else { return }
        changeVideo(of: peer.stream, &turn) { $0.setActive(isActive) }
    }

    /// A subscriber of a relayed session says what it wants of a stream of ours: there is nobody else to send it less.
    private func wanted(
        _ peer: RaptorPeer, _ channel: String, _ wish: RaptorSubscriberPreferences, _ turn: inout ClientTurn
    ) {
        guard settings.isRelayed, peers[peer] != nil,
            publishers[peer.stream]?.stream.channels.contains(where: { $0.id == channel }) == true
        else { return }
        turn.peer(.prefer(wish, channel: channel), peer)
    }

    mutating func changeVideo(
        of stream: String, _ turn: inout ClientTurn, _ body: (inout VideoStanding) -> [VideoChange]
    ) {
        guard var subscriber = subscribers[stream] else { return }
        let changes = body(&subscriber.video)
        subscribers[stream] = subscriber
        for change in changes { turn.report(.subscriber(.video(change), stream: stream)) }
    }

    /// A subscription is gone: ours, or that of somebody who received a stream of ours in a relayed session.
    mutating func deleted(_ peer: RaptorPeer, _ turn: inout ClientTurn) {
        if publishers[peer.stream] != nil { return peers.close(peer, &turn) }
        guard let subscriber = subscribers.subscriber(of: peer) else { return }
        let error = ClientError(.subscriberNotFound, "the server has ended the subscription")
        for command in subscriber.commands { turn.fail(command, error) }
        dropSubscriber(of: peer.stream, &turn)
        turn.report(.subscriber(.failed(error), stream: peer.stream))
    }

    // MARK: Media

    mutating func media(_ isThere: Bool, _ kind: RaptorChannel.Kind, _ peer: RaptorPeer, _ turn: inout ClientTurn) {
        guard subscribers.subscriber(of: peer) != nil,
            let channel = roster.streams[peer.stream]?.channels.first(where: { $0.kind == kind })?.id
        else { return }
        if isThere {
            subscribers[peer.stream]?.media.insert(channel)
        } else {
            subscribers[peer.stream]?.media.remove(channel)
        }
        tellSubscriber(of: peer.stream, &turn)
    }

    /// Asks for a stream that does not come through, as a new subscriber.
    mutating func subscribeAnew(_ id: String, _ why: String, _ turn: inout ClientTurn) {
        guard var subscriber = subscribers[id], let stream = roster.streams[id], !hasEnded else { return }
        guard subscriber.attempts < settings.limits.attempts else {
            ask(.unsubscribe(stream: id, subscriber: subscriber.id), &turn)
            dropSubscriber(of: id, &turn)
            let error = ClientError(.subscriberTimedOut, "the stream can't be received: \(why)")
            return turn.report(.subscriber(.failed(error), stream: id))
        }
        let standing = peers[subscriber.peer]?.standing ?? .new
        ask(.unsubscribe(stream: id, subscriber: subscriber.id), &turn)
        guard !hasEnded else { return }
        peers.close(subscriber.peer, &turn)
        subscriber.media = []
        for event in subscriber.news() { turn.report(.subscriber(event, stream: id)) }
        subscriber.attempts += 1
        subscriber.id = subscribers.nextID(settings.connection)
        subscriber.deadline = turn.now + settings.limits.media
        request(subscriber, stream, &turn)
        // A path that was lost is so until the new one stands.
        peers[subscriber.peer]?.standing = standing == .connected ? .lost : standing
    }
}

extension ClientError {
    init(subscriptionStatus status: Int) {
        switch status {
        case 403: self.init(.unableToSubscribe, "the token's role does not allow to subscribe")
        case 404: self.init(.streamNotFound, "the stream is gone")
        case 408: self.init(.subscriberTimedOut, "the server did not answer the request to subscribe")
        case 409, 429: self.init(.streamLimitExceeded, "the server lets us receive no more streams")
        default: self.init(.unableToSubscribe, "the server refused the subscription (status \(status))")
        }
    }
}
