import OpenTokSignalling
import RTCCore
import RTCWire
import RoomModel

/// The media connections of a routed session: one for each published stream, and one for each subscriber. What they carry are
/// tracks of the room.
// Lives on its room's event loop.
final class OpenTokMedia {
    unowned let openTok: OpenTokRoom
    private var publications: [String: OpenTokPublication] = [:]
    private var subscriptions: [RaptorPeer: OpenTokSubscription] = [:]
    /// Something about them has changed that is to be offered.
    private var changed: [RaptorPeer] = []

    init(_ openTok: OpenTokRoom) { self.openTok = openTok }

    var room: Room { openTok.room }

    // MARK: What the session says

    func perform(_ command: OpenTokSession.MediaCommand, now: Instant) {
        switch command {
        case .publish(let stream): publish(stream, now)
        case .endStream(let stream): end(stream, now)
        case .setChannel(let stream, let kind, let isActive):
            guard let track = openTok.dialect.track(.init(stream: stream, kind: StreamKind(kind))) else { return }
            room.perform(.mute(track, !isActive), now: now)
        case .subscribe(let stream, let subscriber): subscribe(stream, subscriber, now)
        case .unsubscribe(let stream, let subscriber):
            let gone = subscriptions.removeValue(forKey: .subscriber(stream: stream, id: subscriber))
            if let gone { unsubscribe(gone, now) }
        case .prefer(let stream, let subscriber, let kind, let preferences):
            subscriptions[.subscriber(stream: stream, id: subscriber)]?
                .prefer(StreamKind(kind), preferences, now: now)
        case .negotiate(let peer, let step): _ = negotiate(peer, step, now: now)
        case .orderMute(let stream):
            if openTok.dialect.isForeign(stream) { room.perform(.orderMute(stream, true), now: now) }
        case .pass: break
        }
    }

    /// What a client says of its connection; false where that can't be used.
    func negotiate(_ peer: RaptorPeer, _ step: RaptorNegotiation, now: Instant) -> Bool {
        do throws(NegotiationFailure) {
            switch peer {
            case .stream(let id): return try publications[id]?.take(step, now: now) ?? false
            case .subscriber: return try subscriptions[peer]?.take(step, now: now) ?? false
            }
        } catch {
            openTok.logger.notice("opentok description refused", metadata: ["reason": "\(error)"])
            return false
        }
    }

    // MARK: Streams

    private func publish(_ stream: String, _ now: Instant) {
        guard let member = openTok.owner(of: .stream(stream)) else { return }
        guard let publication = OpenTokPublication(stream, of: member, in: openTok) else {
            openTok.logger.notice("opentok stream ended: the media port has too many peers")
            return openTok.change(now) {
                $0.endStream(stream, .networkDisconnected, at: WallClock.milliseconds, into: &$1)
            }
        }
        publications[stream] = publication
        member.publications.append(publication)
    }

    private func end(_ stream: String, _ now: Instant) {
        for (peer, subscription) in subscriptions where subscription.stream == stream {
            subscriptions[peer] = nil
            unsubscribe(subscription, now)
        }
        // A moderator has ended what somebody of another dialect publishes.
        if openTok.dialect.isForeign(stream) { room.perform(.unpublish(stream, .removed), now: now) }
        guard let publication = publications.removeValue(forKey: stream) else { return }
        for track in openTok.dialect.tracks(of: stream, in: room.machine) {
            room.perform(.unpublish(track.id, .ended), now: now)
        }
        publication.close()
        publication.member?.publications.removeAll { $0 === publication }
    }

    // MARK: Subscribers

    private func subscribe(_ stream: String, _ id: String, _ now: Instant) {
        let peer = RaptorPeer.subscriber(stream: stream, id: id)
        guard let member = openTok.owner(of: peer) else { return }
        guard let subscription = OpenTokSubscription(id, to: stream, of: member, in: openTok) else {
            return openTok.logger.notice("opentok subscriber without media: the port has too many peers")
        }
        subscriptions[peer] = subscription
        member.subscriptions.append(subscription)
        choose(subscription, now)
    }

    /// Wants what is published of the stream; who is another subscriber of the same client gets it already.
    private func choose(_ subscription: OpenTokSubscription, _ now: Instant) {
        guard let member = subscription.member else { return }
        let tracks = openTok.dialect.tracks(of: subscription.stream, in: room.machine)
        for track in tracks {
            guard let publisher = room.machine.roster.track(track.id)?.publisher.id else { continue }
            let known = Subscription(subscriber: member.id, publisher: publisher, track: track.id)
            if room.machine.subscriptions.contains(known) { subscription.add(track, now: now) }
        }
        room.perform(.choose(subscriber: member.id, tracks: tracks.map(\.id), true), now: now)
    }

    private func unsubscribe(_ subscription: OpenTokSubscription, _ now: Instant) {
        subscription.close()
        guard let member = subscription.member else { return }
        member.subscriptions.removeAll { $0 === subscription }
        guard !member.subscriptions.contains(where: { $0.stream == subscription.stream }) else { return }
        let tracks = openTok.dialect.tracks(of: subscription.stream, in: room.machine)
        room.perform(.choose(subscriber: member.id, tracks: tracks.map(\.id), false), now: now)
    }

    // MARK: What the room says

    /// Who subscribed before there was media gets it now.
    func follow(_ event: RoomEvent, now: Instant) {
        guard case .published(let track, _) = event, let channel = openTok.dialect.channel(of: track) else { return }
        for subscription in subscriptions.values where subscription.stream == channel.stream {
            choose(subscription, now)
        }
    }

    /// A client is to get a track.
    func begin(_ track: String, to member: OpenTokMember, now: Instant) {
        guard let track = room.machine.track(track), let channel = openTok.dialect.channel(of: track) else { return }
        for subscription in member.subscriptions where subscription.stream == channel.stream {
            subscription.add(track, now: now)
        }
    }

    func end(_ track: String, to member: OpenTokMember, now: Instant) {
        for subscription in member.subscriptions { subscription.remove(track) }
    }

    // MARK: Offers

    /// What a connection sends is different: it is offered when all that happens now has happened.
    func noteChange(of peer: RaptorPeer) { if !changed.contains(peer) { changed.append(peer) } }

    func offerChanges() {
        let peers = changed
        changed = []
        for peer in peers { subscriptions[peer]?.offerChanges() }
    }

    // MARK: The end

    /// Lets go of all that is a client's.
    func close(of member: OpenTokMember) {
        for publication in member.publications {
            publications[publication.stream] = nil
            publication.close()
        }
        for subscription in member.subscriptions {
            subscriptions[subscription.peer] = nil
            subscription.close()
        }
        member.publications = []
        member.subscriptions = []
    }
}
