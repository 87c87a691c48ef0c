/// A method of the API, found by verb and path alone: before credentials and body are looked at.
enum RESTRoute: Hashable {
    case createSession
    case signal(session: String, connection: String?)
    case stream(session: String, id: String)
    case streams(session: String)
    case setStreamClasses(session: String)
    case forceDisconnect(session: String, connection: String)
    case muteStream(session: String, stream: String)
    case forceMute(session: String)
    case playDTMF(session: String, connection: String?)
    case startArchive
    case archives
    case archive(id: String)
    case deleteArchive(id: String)
    case stopArchive(id: String)
    case changeArchiveStreams(id: String)
    case setArchiveLayout(id: String)
    /// A feature that is not here.
    case absent(String)

    private static let longestPath = 2048
    private static let absentFeatures = [
        "broadcast": "live broadcasts", "dial": "SIP calls", "captions": "live captions",
        "render": "experience composer", "connect": "audio connector",
    ]

    /// The route, and the project whose path it is; nil where the path names none.
    static func find(_ request: RESTRequest) throws(RESTFault) -> (route: RESTRoute, project: String?) {
        let parts = try segments(request.path)
        if parts == ["session", "create"] {
            return (try route(request.method, ["POST": .createSession]), nil)
        }
        guard parts.count >= 4, parts[0] == "v2", parts[1] == "project", OpenTokProject.isKey(parts[2]) else {
            throw .notFound("there is no such method; paths begin with /session/create or /v2/project/KEY")
        }
        return (try find(parts.dropFirst(3), request.method), parts[2])
    }

    private static func segments(_ path: String) throws(RESTFault) -> [String] {
        guard path.utf8.count <= longestPath, path.hasPrefix("/") else {
            throw .notFound("there is no such path; send at most \(longestPath) bytes")
        }
        var result: [String] = []
        for part in path.dropFirst().split(separator: "/", maxSplits: 16, omittingEmptySubsequences: false) {
            guard let text = PercentEncoding.decodeSegment(part) else {
                throw .invalid("the path holds a broken escape; encode UTF-8 as %XX")
            }
            result.append(text)
        }
        return result
    }

    private static func find(_ parts: ArraySlice<String>, _ method: String) throws(RESTFault) -> RESTRoute {
        let rest = Array(parts.dropFirst())
        switch parts.first {
        case "session": return try session(rest, method)
        case "archive": return try archive(rest, method)
        case let name?:
            guard let feature = absentFeatures[name] else { throw .notFound("there is no such method") }
            return .absent(feature)
        case nil: throw .notFound("there is no such method")
        }
    }

    private static func session(_ parts: [String], _ method: String) throws(RESTFault) -> RESTRoute {
        switch parts.count {
        case 2: return try wholeSession(parts[0], parts[1], method)
        case 3 where parts[1] == "stream":
            return try route(method, ["GET": .stream(session: parts[0], id: parts[2])])
        case 3 where parts[1] == "connection":
            return try route(method, ["DELETE": .forceDisconnect(session: parts[0], connection: parts[2])])
        case 4: return try partOfSession(parts, method)
        default: throw .notFound("there is no such method")
        }
    }

    private static func wholeSession(
        _ session: String, _ name: String, _ method: String
    ) throws(RESTFault) -> RESTRoute {
        switch name {
        case "signal": try route(method, ["POST": .signal(session: session, connection: nil)])
        case "stream":
            try route(method, ["GET": .streams(session: session), "PUT": .setStreamClasses(session: session)])
        case "mute": try route(method, ["POST": .forceMute(session: session)])
        case "play-dtmf": try route(method, ["POST": .playDTMF(session: session, connection: nil)])
        default: throw .notFound("there is no such method")
        }
    }

    private static func partOfSession(_ parts: [String], _ method: String) throws(RESTFault) -> RESTRoute {
        let (session, id) = (parts[0], parts[2])
        return switch (parts[1], parts[3]) {
        case ("stream", "mute"): try route(method, ["POST": .muteStream(session: session, stream: id)])
        case ("connection", "signal"): try route(method, ["POST": .signal(session: session, connection: id)])
        case ("connection", "play-dtmf"): try route(method, ["POST": .playDTMF(session: session, connection: id)])
        default: throw .notFound("there is no such method")
        }
    }

    private static func archive(_ parts: [String], _ method: String) throws(RESTFault) -> RESTRoute {
        guard let id = parts.first else { return try route(method, ["GET": .archives, "POST": .startArchive]) }
        guard parts.count > 1 else {
            return try route(method, ["GET": .archive(id: id), "DELETE": .deleteArchive(id: id)])
        }
        switch (parts.count, parts[1]) {
        case (2, "stop"): return try route(method, ["POST": .stopArchive(id: id)])
        case (2, "streams"): return try route(method, ["PATCH": .changeArchiveStreams(id: id)])
        case (2, "layout"): return try route(method, ["PUT": .setArchiveLayout(id: id)])
        default: throw .notFound("there is no such method")
        }
    }

    private static func route(
        _ method: String, _ routes: KeyValuePairs<String, RESTRoute>
    ) throws(RESTFault) -> RESTRoute {
        guard let route = routes.first(where: { $0.key == method }) else {
            throw .method("use \(routes.map(\.key).joined(separator: " or "))")
        }
        return route.value
    }

    /// A session that is the project's own.
    static func check(_ session: OpenTokSessionID, of project: String) throws(RESTFault) {
        guard session.belongs(to: project) else {
            throw .credentials("the session belongs to another project than \(project)")
        }
    }
}

extension OpenTokSessionID {
    /// One that stands in a message.
    init(_ text: String, _ path: String) throws(MessageFault) {
        do { self = try OpenTokSessionID(parsing: text) } catch {
            throw MessageFault(path: path, problem: error.description)
        }
    }
}
