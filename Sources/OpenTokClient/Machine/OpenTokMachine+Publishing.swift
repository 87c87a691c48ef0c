import OpenTokSignalling
import RTCWire

/// Streams of ours.
extension OpenTokMachine {
    mutating func publish(_ stream: RaptorStream, _ command: CommandID, _ turn: inout ClientTurn) {
        guard !publishers.isOurs(stream.id), !stream.channels.isEmpty else {
            return turn.fail(
                command, ClientError(.unableToPublish, "a stream needs an id of its own and a channel at least"))
        }
        var publisher = Publisher(stream, command, deadline: turn.now + settings.limits.media)
        let silenced = own.isMuted(newStream: stream.id) ? publisher.audibleChannels : []
        for channel in silenced {
            _ = publisher.setActive(false, channel: channel)
            turn.outputs.append(.setActive(false, stream: stream.id, channel: channel))
        }
        publishers[stream.id] = publisher
        ask(.publish(publisher.stream), for: .publish(stream: stream.id), &turn)
        for channel in silenced { turn.report(.publisher(.muteForced(channel: channel), stream: stream.id)) }
    }

    /// The server has answered the request to publish.
    mutating func published(_ stream: String, status: Int, _ turn: inout ClientTurn) {
        guard publishers[stream] != nil else { return }
        guard (200..<300).contains(status) else {
            let why =
                status == 408 ? "the server did not answer the request to publish" : "the server refused the stream"
            return withdraw(stream, because: ClientError(.unableToPublish, "\(why) (status \(status))"), &turn)
        }
        publishers[stream]?.isAccepted = true
        settleIfReady(stream, &turn)
    }

    mutating func settleIfReady(_ stream: String, _ turn: inout ClientTurn) {
        guard let publisher = publishers[stream], publisher.deadline != nil,
            publisher.isReady(isRelayed: settings.isRelayed)
        else { return }
        publishers[stream]?.deadline = nil
        publishers[stream]?.command = nil
        turn.report(.publisher(.streamCreated, stream: stream))
        turn.settle(publisher.command)
    }

    /// Takes a stream back that did not come about, or whose media is lost for good.
    mutating func withdraw(_ stream: String, because error: ClientError, _ turn: inout ClientTurn) {
        ask(.unpublish(stream: stream), &turn)
        guard !hasEnded, let publisher = closePublisher(stream, &turn) else { return }
        // Nobody has been told of it where a command still waits.
        guard publisher.command == nil else { return turn.fail(publisher.command, error) }
        turn.report(.publisher(.streamDestroyed(.mediaStopped), stream: stream))
    }

    mutating func unpublish(_ stream: String, _ command: CommandID, _ turn: inout ClientTurn) {
        guard let publisher = closePublisher(stream, &turn) else {
            return turn.fail(command, ClientError(.publisherNotFound, "no stream \(stream) is published by us"))
        }
        turn.fail(publisher.command, ClientError(.unableToPublish, "the stream was taken back meanwhile"))
        ask(.unpublish(stream: stream), for: .command(command, .publisherNotFound), &turn)
    }

    /// The server, or a moderator, has taken it away.
    mutating func publisherDestroyed(_ stream: String, _ reason: RaptorReason, _ turn: inout ClientTurn) {
        guard let publisher = closePublisher(stream, &turn) else { return }
        guard publisher.command == nil else {
            let error = ClientError(.unableToPublish, "the server took the stream away: \(reason.rawValue)")
            return turn.fail(publisher.command, error)
        }
        turn.report(.publisher(.streamDestroyed(reason), stream: stream))
    }

    private mutating func closePublisher(_ stream: String, _ turn: inout ClientTurn) -> Publisher? {
        guard let publisher = publishers.withdraw(stream) else { return nil }
        for peer in peers.publishing(stream) { peers.close(peer, &turn) }
        return publisher
    }

    mutating func setActive(
        _ isActive: Bool, _ stream: String, _ channel: String, _ command: CommandID, _ turn: inout ClientTurn
    ) {
        guard publishers[stream]?.setActive(isActive, channel: channel) == true else {
            return turn.fail(command, ClientError(.publisherNotFound, "no stream \(stream) is published by us"))
        }
        turn.outputs.append(.setActive(isActive, stream: stream, channel: channel))
        ask(
            .updateStream(stream: stream, channel: channel, RaptorChannelProperties(isActive: isActive)),
            for: .command(command, .publisherNotFound), &turn)
    }

    // MARK: Connections

    /// The router, or a subscriber of a relayed session, waits for an offer.
    mutating func generateOffer(_ peer: RaptorPeer, _ turn: inout ClientTurn) {
        guard publishers[peer.stream] != nil else { return }
        guard var state = peers[peer] else {
            guard peers.publishing(peer.stream).count < settings.limits.peersPerStream else { return }
            var state = PeerState()
            let actions = state.open(sending: peer.stream, own.iceServers)
            peers[peer] = state
            for action in actions { turn.peer(action, peer) }
            if case .subscriber = peer { subscribed(peer.stream, &turn) }
            return
        }
        let actions = state.offerAgain(restartingICE: state.standing == .lost)
        peers[peer] = state
        for action in actions { turn.peer(action, peer) }
    }

    mutating func created(_ subscriber: RaptorSubscriber, of stream: String, _ turn: inout ClientTurn) {
        if subscriber.connection != settings.connection { subscribed(stream, &turn) }
    }

    private mutating func subscribed(_ stream: String, _ turn: inout ClientTurn) {
        guard publishers[stream]?.hasSubscribers == false else { return }
        publishers[stream]?.hasSubscribers = true
        turn.report(.publisher(.subscribed, stream: stream))
    }

    /// A publisher's connection is lost: new paths are looked for.
    mutating func publisherFailed(_ peer: RaptorPeer, _ why: String, isFinal: Bool, _ turn: inout ClientTurn) {
        guard var state = peers[peer] else { return }
        state.failures += 1
        guard !isFinal, state.failures <= settings.limits.attempts else {
            // A subscriber of a relayed session asks anew where it can; the router's connection is the stream.
            if case .subscriber = peer { return peers.close(peer, &turn) }
            let error = ClientError(.unableToPublish, "the media connection failed: \(why)")
            return withdraw(peer.stream, because: error, &turn)
        }
        let actions = state.offerAgain(restartingICE: true)
        peers[peer] = state
        for action in actions { turn.peer(action, peer) }
    }
}
