/// What a server tells a client.
package enum RaptorEvent: Hashable, Sendable {
    case connectionCreated(RaptorConnection)
    case connectionDeleted(id: String, RaptorReason)
    case streamCreated(RaptorStream)
    case streamUpdated(stream: String, channel: String, RaptorChannelProperties)
    case streamDeleted(id: String, RaptorReason)
    case subscriberCreated(stream: String, RaptorSubscriber)
    case subscriberUpdated(stream: String, subscriber: String, channel: String, RaptorSubscriberPreferences)
    case subscriberDeleted(stream: String, subscriber: String)
    case negotiate(RaptorPeer, RaptorNegotiation)
    case signal(id: String, SignalContent)
    case archiveCreated(RaptorArchive)
    case archiveUpdated(RaptorArchive)
    /// The publisher is to stop the sound of its stream.
    case streamMuted(String)
    /// Force mute of the session has been switched.
    case muteForced(ForceMute)

    /// What a message of a server tells.
    package init(_ message: RaptorMessage) throws(MessageFault) {
        if let peer = RaptorPeer(message.uri.resource), let negotiation = try RaptorNegotiation(message) {
            self = .negotiate(peer, negotiation)
            return
        }
        let fields = try message.fields()
        switch (message.method, message.uri.resource) {
        case ("created", .connection): self = .connectionCreated(try RaptorConnection(fields))
        case ("deleted", .connection(let id)): self = .connectionDeleted(id: id, try RaptorReason(fields))
        case ("created", .stream): self = .streamCreated(try RaptorStream(fields))
        case ("updated", .streamChannel(let stream, let channel)):
            self = .streamUpdated(stream: stream, channel: channel, try RaptorChannelProperties(fields))
        case ("deleted", .stream(let id)): self = .streamDeleted(id: id, try RaptorReason(fields))
        case ("created", .subscriber(let stream, _)):
            self = .subscriberCreated(stream: stream, try RaptorSubscriber(fields))
        case ("update", .subscriberChannel(let stream, let subscriber, let channel)),
            ("updated", .subscriberChannel(let stream, let subscriber, let channel)):
            self = .subscriberUpdated(
                stream: stream, subscriber: subscriber, channel: channel, try RaptorSubscriberPreferences(fields))
        case ("deleted", .subscriber(let stream, let id)):
            self = .subscriberDeleted(stream: stream, subscriber: id)
        case ("signal", .signal(_, let id)): self = .signal(id: id, try SignalContent(fields))
        case ("created", .archive): self = .archiveCreated(try RaptorArchive(fields))
        case ("updated", .archive): self = .archiveUpdated(try RaptorArchive(fields))
        case ("mute", .stream(let id)): self = .streamMuted(id)
        case ("mute", .session): self = .muteForced(try ForceMute(fields))
        default: throw MessageFault(path: "method", problem: "this resource has no such event")
        }
    }

    /// The message that tells it.
    package func message(project: String, session: String) -> RaptorMessage {
        let (method, resource, content) = parts
        return RaptorMessage(method, RaptorURI(project: project, session: session, resource), content)
    }

    private var parts: (String, RaptorResource, JSON) {
        switch self {
        case .connectionCreated(let connection): ("created", .connection(connection.id), connection.json)
        case .connectionDeleted(let id, let reason): ("deleted", .connection(id), reason.json)
        case .streamCreated(let stream): ("created", .stream(stream.id), stream.json)
        case .streamUpdated(let stream, let channel, let properties):
            ("updated", .streamChannel(stream: stream, channel: channel), properties.json)
        case .streamDeleted(let id, let reason): ("deleted", .stream(id), reason.json)
        case .subscriberCreated(let stream, let subscriber):
            ("created", .subscriber(stream: stream, id: subscriber.id), subscriber.json)
        case .subscriberUpdated(let stream, let subscriber, let channel, let preferences):
            ("updated", .subscriberChannel(stream: stream, subscriber: subscriber, channel: channel), preferences.json)
        case .subscriberDeleted(let stream, let id): ("deleted", .subscriber(stream: stream, id: id), [:])
        case .negotiate(let peer, let step): (step.method, peer.resource, step.content)
        case .signal(let id, let content): ("signal", .signal(to: nil, id: id), content.json)
        case .archiveCreated(let archive): ("created", .archive(archive.id), archive.json)
        case .archiveUpdated(let archive): ("updated", .archive(archive.id), archive.json)
        case .streamMuted(let id): ("mute", .stream(id), [:])
        case .muteForced(let mute): ("mute", .session, mute.json)
        }
    }
}

extension RaptorReason {
    fileprivate var json: JSON { ["reason": .string(rawValue)] }
}
