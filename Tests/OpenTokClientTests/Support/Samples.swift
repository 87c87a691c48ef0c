import OpenTokSignalling
import RTCWire

@testable import OpenTokClient

extension RaptorConnection {
    static func other(_ id: String, data: String = "") -> RaptorConnection {
        RaptorConnection(
            id: id, creationTime: 1, data: data, permissions: OpenTokRole.publisher.permissions())
    }
}

extension RaptorStream {
    /// With a channel of each kind.
    static func both(_ id: String, of connection: String? = nil) -> RaptorStream {
        var stream = RaptorStream(
            id: id, name: "camera",
            channels: [
                RaptorChannel(id: "audio1", kind: .audio, .init(isActive: true)),
                RaptorChannel(id: "video1", kind: .video, .init(isActive: true, width: 640, height: 360)),
            ])
        stream.connection = connection
        stream.creationTime = connection.map { _ in 1 }
        return stream
    }

    /// With sound alone.
    static func sound(_ id: String, of connection: String? = nil) -> RaptorStream {
        var stream = both(id, of: connection)
        stream.channels.removeLast()
        return stream
    }
}

extension ClientOutput {
    /// What an application hears, in short: `+c a` a connection has come, `-s x reason` a stream has gone.
    var summary: String? {
        switch self {
        case .report(let event): event.summary
        case .settle(let id, .success): "done \(id)"
        case .settle(let id, .failure(let error)): "failed \(id) \(error.code.rawValue)"
        case .end(let end): "end \(end.word)"
        case .setActive(let isActive, let stream, let channel): "active \(isActive) \(stream)/\(channel)"
        case .open, .send, .close, .peer: nil
        }
    }

    /// What media connections do, in short.
    var peerSummary: String? {
        guard case .peer(let action, let peer) = self else { return nil }
        let name =
            switch peer {
            case .stream(let id): id
            case .subscriber(let stream, let id): "\(stream)<\(id)"
            }
        let word =
            switch action {
            case .openPublisher(let stream, let servers): "send \(stream) \(servers.count)"
            case .openSubscriber(let servers): "receive \(servers.count)"
            case .createOffer(let isRestart): isRestart ? "restart" : "offer"
            case .answer(let offer): "answer \(offer)"
            case .setAnswer(let sdp): "set \(sdp)"
            case .addCandidate(let candidate): "candidate \(candidate.candidate)"
            case .prefer(let wish, let channel): "prefer \(channel) \(wish.word)"
            case .close: "close"
            }
        return "\(name): \(word)"
    }
}

extension RaptorSubscriberPreferences {
    var word: String {
        let size = preferredWidth.map { "\($0)x\(preferredHeight ?? 0)" }
        return [isActive.map { $0 ? "on" : "off" }, size, preferredFrameRate.map { "\($0)/s" }]
            .compactMap { $0 }.joined(separator: " ")
    }
}

extension ClientEnd {
    var word: String {
        switch self {
        case .left: "left"
        case .refused(let error): "refused \(error.code.rawValue)"
        case .removed(let reason): "removed \(reason.rawValue)"
        case .closed: "closed"
        case .lost: "lost"
        case .misbehaved: "misbehaved"
        }
    }
}

extension ClientEvent {
    var summary: String {
        switch self {
        case .sessionConnected(let connection): "connected \(connection.id)"
        case .connectionCreated(let connection): "+c \(connection.id)"
        case .connectionDestroyed(let connection, let reason): "-c \(connection.id) \(reason.rawValue)"
        case .streamCreated(let stream): "+s \(stream.id)"
        case .streamDestroyed(let stream, let reason): "-s \(stream.id) \(reason.rawValue)"
        case .streamActive(let isActive, let stream, let channel): "\(stream.id)/\(channel) active \(isActive)"
        case .streamChanged(let stream, let channel): "\(stream.id)/\(channel) changed"
        case .signal(let content, let sender): "signal \(content.data ?? "") of \(sender ?? "server")"
        case .reconnecting: "reconnecting"
        case .reconnected: "reconnected"
        case .muteForced(let mute): "muteForced \(mute.isActive)"
        case .archive(let archive): "archive \(archive.status.rawValue)"
        case .publisher(let event, let stream): "publisher \(stream) \(event.summary)"
        case .subscriber(let event, let stream): "subscriber \(stream) \(event.summary)"
        }
    }
}

extension PublisherEvent {
    var summary: String {
        switch self {
        case .streamCreated: "created"
        case .streamDestroyed(let reason): "destroyed \(reason.rawValue)"
        case .muteForced(let channel): "muted \(channel)"
        case .subscribed: "subscribed"
        }
    }
}

extension SubscriberEvent {
    var summary: String {
        switch self {
        case .connected(let channel, _): "+\(channel)"
        case .disconnected(let channel): "-\(channel)"
        case .video(let change): "\(change)"
        case .failed(let error): "failed \(error.code.rawValue)"
        }
    }
}
