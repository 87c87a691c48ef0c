/// Subscribers, and the descriptions of all peer connections.
extension OpenTokSession {
    mutating func subscribe(
        _ subscriber: RaptorSubscriber, to stream: String, by member: Member, into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        let id = member.connection.id
        guard member.may(.subscribe) else { return .refused(.forbidden) }
        guard let live = streams[stream] else { return .refused(.notFound) }
        guard live.subscribers[subscriber.id] == nil else { return .refused(.conflict) }
        guard member.subscriptions.count < bounds.subscribersPerConnection else { return .refused(.tooMany) }
        var subscriber = subscriber
        subscriber.connection = id
        streams[stream]?.subscribers[subscriber.id] = subscriber
        members[id]?.subscriptions.insert(SubscriberKey(stream: stream, id: subscriber.id))
        guard isRouted else {
            let peer = RaptorPeer.subscriber(stream: stream, id: subscriber.id)
            tell(live.publisher, .negotiate(peer, .generateOffer), from: id, into: &actions)
            return .done
        }
        route(.subscribe(stream: stream, subscriber: subscriber.id), into: &actions)
        for channel in subscriber.channels {
            prefer(channel.preferences, of: channel.id, live, subscriber.id, into: &actions)
        }
        return .done
    }

    mutating func unsubscribe(
        _ key: SubscriberKey, by id: String, into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        guard let subscriber = streams[key.stream]?.subscribers[key.id] else { return .refused(.notFound) }
        guard subscriber.connection == id else { return .refused(.forbidden) }
        endSubscriber(key, into: &actions)
        return .done
    }

    mutating func endSubscriber(_ key: SubscriberKey, into actions: inout [Action]) {
        guard let live = streams[key.stream], let subscriber = live.subscribers[key.id],
            let owner = subscriber.connection
        else { return }
        streams[key.stream]?.subscribers[key.id] = nil
        members[owner]?.subscriptions.remove(key)
        if isRouted {
            route(.unsubscribe(stream: key.stream, subscriber: key.id), into: &actions)
        } else {
            let event = RaptorEvent.subscriberDeleted(stream: key.stream, subscriber: key.id)
            tell(live.publisher, event, from: owner, into: &actions)
        }
    }

    mutating func update(
        _ key: SubscriberKey, _ channel: String, _ preferences: RaptorSubscriberPreferences, by id: String,
        into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        guard let live = streams[key.stream], let subscriber = live.subscribers[key.id] else {
            return .refused(.notFound)
        }
        guard subscriber.connection == id else { return .refused(.forbidden) }
        guard live.stream.channels.contains(where: { $0.id == channel }) else { return .refused(.notFound) }
        guard isRouted else {
            // The publisher may send less.
            let event = RaptorEvent.subscriberUpdated(
                stream: key.stream, subscriber: key.id, channel: channel, preferences)
            tell(live.publisher, event, from: id, into: &actions)
            return .done
        }
        prefer(preferences, of: channel, live, key.id, into: &actions)
        return .done
    }

    private func prefer(
        _ preferences: RaptorSubscriberPreferences, of channel: String, _ live: LiveStream, _ subscriber: String,
        into actions: inout [Action]
    ) {
        guard let kind = live.stream.channels.first(where: { $0.id == channel })?.kind else { return }
        route(.prefer(stream: live.stream.id, subscriber: subscriber, kind, preferences), into: &actions)
    }

    // MARK: Descriptions

    /// Routed: to the router. Relayed: between subscriber and publisher, whose connection is the subscriber's.
    mutating func negotiate(
        _ peer: RaptorPeer, _ step: RaptorNegotiation, by id: String, into actions: inout [Action]
    ) -> OpenTokServerConnection.Answer {
        switch peer {
        case .stream(let stream):
            guard let live = streams[stream] else { return .refused(.notFound) }
            guard live.publisher == id else { return .refused(.forbidden) }
            guard isRouted else { return .refused(.conflict) }
        case .subscriber(let stream, let subscriber):
            guard let live = streams[stream], let owner = live.subscribers[subscriber]?.connection else {
                return .refused(.notFound)
            }
            guard isRouted else {
                guard id == owner || id == live.publisher else { return .refused(.forbidden) }
                // One who subscribes to a stream of its own tells by the step which side it is.
                let isPublisher = id == live.publisher && (id != owner || step.isOffer)
                tell(isPublisher ? owner : live.publisher, .negotiate(peer, step), from: id, into: &actions)
                return .done
            }
            guard owner == id else { return .refused(.forbidden) }
        }
        actions.append(.media(.negotiate(peer, step)))
        return .done
    }

    /// The router says something to the client whose connection it is.
    package func routerSays(_ step: RaptorNegotiation, to peer: RaptorPeer, into actions: inout [Action]) {
        guard let owner = owner(of: peer) else { return }
        tell(owner, .negotiate(peer, step), into: &actions)
    }

    /// The client whose peer connection that is.
    package func owner(of peer: RaptorPeer) -> String? {
        switch peer {
        case .stream(let id): streams[id]?.publisher
        case .subscriber(let stream, let id): streams[stream]?.subscribers[id]?.connection
        }
    }

    /// The router has dropped video for one subscriber, is about to, or sends it again.
    package func videoChanged(
        _ change: VideoFallbackChange, stream: String, subscriber: String, into actions: inout [Action]
    ) {
        guard let live = streams[stream], let owner = live.subscribers[subscriber]?.connection else { return }
        for channel in live.stream.channels where channel.kind == .video {
            switch change {
            case .warned(let isWarned):
                var properties = RaptorChannelProperties()
                properties.hasDisableWarning = isWarned
                tell(owner, .streamUpdated(stream: stream, channel: channel.id, properties), into: &actions)
            case .disabled(let isDisabled):
                let preferences = RaptorSubscriberPreferences(isActive: !isDisabled)
                tell(
                    owner,
                    .subscriberUpdated(
                        stream: stream, subscriber: subscriber, channel: channel.id, preferences), into: &actions)
            }
        }
    }
}

/// How a subscriber's video follows its link.
package enum VideoFallbackChange: Hashable, Sendable {
    case warned(Bool)
    case disabled(Bool)
}

extension RaptorNegotiation {
    /// Said by the side that offers.
    fileprivate var isOffer: Bool {
        if case .offer = self { return true }
        return false
    }
}
