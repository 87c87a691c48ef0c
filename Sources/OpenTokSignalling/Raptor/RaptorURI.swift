/// Where a resource is: `/v2/partner/KEY/session/ID`, and what is below it.
package struct RaptorURI: Hashable, Sendable {
    /// Bytes of a URI that are read at all.
    package static let longest = 2048

    package var project: String
    package var session: String
    package var resource: RaptorResource

    package init(project: String, session: String, _ resource: RaptorResource = .session) {
        self.project = project
        self.session = session
        self.resource = resource
    }

    /// Reads a path; nil where it is none of ours.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: "/", maxSplits: 16, omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 6, parts[0].isEmpty, parts[1] == "v2", parts[2] == "partner", parts[4] == "session",
            OpenTokProject.isKey(parts[3]), parts[5].isIdentifier, let resource = RaptorResource(parts.dropFirst(6))
        else { return nil }
        self.init(project: parts[3], session: parts[5], resource)
    }

    package var text: String {
        (["", "v2", "partner", project, "session", session] + resource.path).joined(separator: "/")
    }

    /// What a client subscribes to: everything about a session.
    package static func topic(project: String, session: String) -> String {
        RaptorURI(project: project, session: session).text
    }
}

/// A resource of a session.
package enum RaptorResource: Hashable, Sendable {
    case session
    case connection(String)
    case stream(String)
    case streamChannel(stream: String, channel: String)
    case subscriber(stream: String, id: String)
    case subscriberChannel(stream: String, subscriber: String, channel: String)
    /// For one connection; nil for all.
    case signal(to: String?, id: String)
    case archive(String)

    /// The parts of a path below the session.
    init?(_ parts: ArraySlice<String>) {
        let parts = Array(parts)
        let names = parts.indices.filter { $0 % 2 == 0 }.map { parts[$0] }
        let ids = parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
        guard names.count == ids.count, ids.allSatisfy(\.isIdentifier) else { return nil }
        switch names {
        case []: self = .session
        case ["connection"]: self = .connection(ids[0])
        case ["stream"]: self = .stream(ids[0])
        case ["stream", "channel"]: self = .streamChannel(stream: ids[0], channel: ids[1])
        case ["stream", "subscriber"]: self = .subscriber(stream: ids[0], id: ids[1])
        case ["stream", "subscriber", "channel"]:
            self = .subscriberChannel(stream: ids[0], subscriber: ids[1], channel: ids[2])
        case ["signal"]: self = .signal(to: nil, id: ids[0])
        case ["connection", "signal"]: self = .signal(to: ids[0], id: ids[1])
        case ["archive"]: self = .archive(ids[0])
        default: return nil
        }
    }

    var path: [String] {
        switch self {
        case .session: []
        case .connection(let id): ["connection", id]
        case .stream(let id): ["stream", id]
        case .streamChannel(let stream, let channel): ["stream", stream, "channel", channel]
        case .subscriber(let stream, let id): ["stream", stream, "subscriber", id]
        case .subscriberChannel(let stream, let subscriber, let channel):
            ["stream", stream, "subscriber", subscriber, "channel", channel]
        case .signal(nil, let id): ["signal", id]
        case .signal(let connection?, let id): ["connection", connection, "signal", id]
        case .archive(let id): ["archive", id]
        }
    }
}
