/// What a client asks for.
package enum RaptorRequest: Hashable, Sendable {
    case join(connection: String, RaptorJoin)
    /// The answer is a `RaptorSessionState`.
    case readState
    case publish(RaptorStream)
    /// Of one's own stream, or with the permission for it of anybody's.
    case unpublish(stream: String)
    case updateStream(stream: String, channel: String, RaptorChannelProperties)
    case subscribe(stream: String, RaptorSubscriber)
    case unsubscribe(stream: String, subscriber: String)
    case updateSubscriber(stream: String, subscriber: String, channel: String, RaptorSubscriberPreferences)
    case negotiate(RaptorPeer, RaptorNegotiation)
    /// To one connection; nil for all.
    case signal(to: String?, id: String, SignalContent)
    case forceDisconnect(connection: String)
    case muteStream(String)
    case forceMute(ForceMute)

    /// What a message of a client asks for.
    package init(_ message: RaptorMessage) throws(MessageFault) {
        if let peer = RaptorPeer(message.uri.resource), let negotiation = try RaptorNegotiation(message) {
            self = .negotiate(peer, negotiation)
            return
        }
        switch (message.method, message.uri.resource) {
        case ("create", .connection(let id)): self = .join(connection: id, try RaptorJoin(try message.fields()))
        case ("delete", .connection(let id)): self = .forceDisconnect(connection: id)
        case ("read", .session): self = .readState
        case ("create", .stream(let id)): self = .publish(try Self.stream(message, id))
        case ("delete", .stream(let id)): self = .unpublish(stream: id)
        case ("update", .streamChannel(let stream, let channel)):
            self = .updateStream(stream: stream, channel: channel, try RaptorChannelProperties(try message.fields()))
        case ("create", .subscriber(let stream, let id)):
            self = .subscribe(stream: stream, try Self.subscriber(message, id))
        case ("delete", .subscriber(let stream, let id)): self = .unsubscribe(stream: stream, subscriber: id)
        case ("update", .subscriberChannel(let stream, let subscriber, let channel)):
            self = .updateSubscriber(
                stream: stream, subscriber: subscriber, channel: channel,
                try RaptorSubscriberPreferences(try message.fields()))
        case ("signal", .signal(let to, let id)):
            self = .signal(to: to, id: id, try SignalContent(try message.fields()))
        case ("mute", .stream(let id)): self = .muteStream(id)
        case ("mute", .session): self = .forceMute(try ForceMute(try message.fields()))
        default: throw MessageFault(path: "method", problem: "this resource has no such method")
        }
    }

    /// The message that asks for it.
    package func message(project: String, session: String) -> RaptorMessage {
        let (method, resource, content) = parts
        return RaptorMessage(method, RaptorURI(project: project, session: session, resource), content)
    }

    private var parts: (String, RaptorResource, JSON) {
        switch self {
        case .join(let id, let join): ("create", .connection(id), join.json)
        case .readState: ("read", .session, [:])
        case .publish(let stream): ("create", .stream(stream.id), stream.json)
        case .unpublish(let id): ("delete", .stream(id), [:])
        case .updateStream(let stream, let channel, let properties):
            ("update", .streamChannel(stream: stream, channel: channel), properties.json)
        case .subscribe(let stream, let subscriber):
            ("create", .subscriber(stream: stream, id: subscriber.id), subscriber.json)
        case .unsubscribe(let stream, let id): ("delete", .subscriber(stream: stream, id: id), [:])
        case .updateSubscriber(let stream, let subscriber, let channel, let preferences):
            ("update", .subscriberChannel(stream: stream, subscriber: subscriber, channel: channel), preferences.json)
        case .negotiate(let peer, let step): (step.method, peer.resource, step.content)
        case .signal(let to, let id, let content): ("signal", .signal(to: to, id: id), content.json)
        case .forceDisconnect(let id): ("delete", .connection(id), [:])
        case .muteStream(let id): ("mute", .stream(id), [:])
        case .forceMute(let mute): ("mute", .session, mute.json)
        }
    }

    /// The id stands in the uri as well: it must be the same.
    private static func stream(_ message: RaptorMessage, _ id: String) throws(MessageFault) -> RaptorStream {
        let stream = try RaptorStream(try message.fields())
        guard stream.id == id else { throw MessageFault(path: "content.id", problem: "not the id of the uri") }
        return stream
    }

    private static func subscriber(_ message: RaptorMessage, _ id: String) throws(MessageFault) -> RaptorSubscriber {
        let subscriber = try RaptorSubscriber(try message.fields())
        guard subscriber.id == id else { throw MessageFault(path: "content.id", problem: "not the id of the uri") }
        return subscriber
    }
}
