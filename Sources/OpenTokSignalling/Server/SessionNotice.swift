/// What an application's server is told of a session, by POST to a URL of its own.
package struct SessionNotice: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// Somebody is connected, where nobody was.
        case sessionCreated
        /// Nobody is connected any more.
        case sessionDestroyed
        case connectionCreated(RaptorConnection)
        case connectionDestroyed(RaptorConnection, RaptorReason)
        case streamCreated(RaptorStream, by: RaptorConnection)
        case streamDestroyed(RaptorStream, by: RaptorConnection, RaptorReason)
    }

    package var event: Event
    package var session: String
    package var project: String
    /// Milliseconds since 1970.
    package var time: Int64

    package init(_ event: Event, session: String, project: String, time: Int64) {
        self.event = event
        self.session = session
        self.project = project
        self.time = time
    }

    package var name: String {
        switch event {
        case .sessionCreated: "sessionCreated"
        case .sessionDestroyed: "sessionDestroyed"
        case .connectionCreated: "connectionCreated"
        case .connectionDestroyed: "connectionDestroyed"
        case .streamCreated: "streamCreated"
        case .streamDestroyed: "streamDestroyed"
        }
    }

    /// The body of the request.
    package var json: JSON {
        .object([
            "sessionId": .string(session), "projectId": .string(project), "event": .string(name),
            "timestamp": .integer(time), "reason": reason.map { .string($0.rawValue) },
            "connection": connection.map(Self.json), "stream": stream,
        ])
    }

    /// Why something is gone.
    package var reason: RaptorReason? {
        switch event {
        case .connectionDestroyed(_, let reason), .streamDestroyed(_, _, let reason): reason
        default: nil
        }
    }

    private var connection: RaptorConnection? {
        switch event {
        case .connectionCreated(let connection), .connectionDestroyed(let connection, _): connection
        default: nil
        }
    }

    private var stream: JSON? {
        switch event {
        case .streamCreated(let stream, let connection), .streamDestroyed(let stream, let connection, _):
            [
                "id": .string(stream.id), "connection": Self.json(connection), "name": .string(stream.name),
                "createdAt": .integer(stream.creationTime ?? time), "videoType": .string(Self.videoType(stream)),
            ]
        default: nil
        }
    }

    private static func json(_ connection: RaptorConnection) -> JSON {
        [
            "id": .string(connection.id), "createdAt": .integer(connection.creationTime),
            "data": .string(connection.data),
        ]
    }

    private static func videoType(_ stream: RaptorStream) -> String {
        let source = stream.channels.first { $0.kind == .video }?.properties.source ?? .camera
        return source.rawValue
    }
}
