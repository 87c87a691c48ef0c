/// What a request asks for.
package enum DeskCall: Sendable, Hashable {
    case tickets
    case feed(DeskFeedRequest)
    case comment(DeskCommentRequest)
    case upload(DeskMultipart)
    case download(Int64)
    case pushToken(DeskPushTokenRequest)
    /// Pictures of the support are nobody's secret: no credentials.
    case avatar(Int64)
}

/// A request that has been read and is within its bounds.
package struct DeskQuestion: Sendable, Hashable {
    /// Nil for an avatar alone.
    package var credentials: DeskCredentials?
    package var call: DeskCall

    package init(credentials: DeskCredentials?, call: DeskCall) {
        self.credentials = credentials
        self.call = call
    }
}

/// Reads requests to the service: a value that keeps nothing.
package enum DeskRouter {
    package static let root = "/servicedeskapi/v1/"

    /// Methods below the root, in lower case, as they are compared.
    private enum Name: String {
        case getTickets = "gettickets"
        case feed = "getticketfeed"
        case update = "updateticketfeed"
        case upload = "uploadfile"
        case download = "downloadfile"
        case pushToken = "setpushtoken"
        case avatar

        var method: String { self == .download || self == .avatar ? "GET" : "POST" }
    }

    /// Bytes that the body of a request may have, decided by its head. Throws the answer to one that has no route.
    package static func bodyLimit(_ method: String, path: String) throws(DeskRefusal) -> Int {
        let name = try route(method, path).name
        switch name {
        case .upload: return DeskBounds.fileBytes + 8 * DeskMultipart.largestHead
        case .download, .avatar: return 0
        default: return DeskBounds.requestBytes
        }
    }

    package static func read(_ request: DeskHTTPRequest) throws(DeskRefusal) -> DeskQuestion {
        let (name, number) = try route(request.method, request.path)
        switch name {
        case .getTickets: return DeskQuestion(credentials: try body(DeskTicketsRequest.self, request).0, call: .tickets)
        case .feed:
            let (credentials, asked) = try body(DeskFeedRequest.self, request)
            return DeskQuestion(credentials: credentials, call: .feed(asked))
        case .update:
            let (credentials, asked) = try body(DeskCommentRequest.self, request)
            return DeskQuestion(credentials: credentials, call: .comment(try checked(asked)))
        case .pushToken:
            let (credentials, asked) = try body(DeskPushTokenRequest.self, request)
            return DeskQuestion(credentials: credentials, call: .pushToken(try checked(asked)))
        case .upload: return DeskQuestion(credentials: try queried(request), call: .upload(try file(request)))
        case .download:
            return DeskQuestion(credentials: try queried(request), call: .download(try required(number)))
        case .avatar: return DeskQuestion(credentials: nil, call: .avatar(try required(number)))
        }
    }

    private static func route(_ method: String, _ path: String) throws(DeskRefusal) -> (name: Name, number: Int64?) {
        guard path.hasPrefix(root) else { throw DeskRefusal(404, "there is no such path") }
        let parts = path.dropFirst(root.count).split(separator: "/", maxSplits: 3)
        guard let first = parts.first, let name = Name(rawValue: first.lowercased()),
            parts.count <= (name == .avatar ? 3 : name == .download ? 2 : 1)
        else { throw DeskRefusal(404, "there is no such method") }
        guard method == name.method else {
            throw DeskRefusal(405, "this method is asked by \(name.method)", allow: name.method)
        }
        return (name, parts.count > 1 ? Int64(parts[1]) : nil)
    }

    private static func required(_ number: Int64?) throws(DeskRefusal) -> Int64 {
        guard let number, number > 0 else { throw DeskRefusal(404, "there is no such file") }
        return number
    }

    private static func body<Content: Codable & Sendable & Hashable>(
        _ type: Content.Type, _ request: DeskHTTPRequest
    ) throws(DeskRefusal) -> (DeskCredentials, Content) {
        guard let read = try? DeskJSON.read(DeskEnvelope<Content>.self, request.body) else {
            throw DeskRefusal(400, "the body is a JSON object with app_id, user_id and the method's own fields")
        }
        return (try credentials(read.identity), read.content)
    }

    private static func queried(_ request: DeskHTTPRequest) throws(DeskRefusal) -> DeskCredentials {
        guard let form = DeskForm(request.query.utf8), let identity = DeskIdentity(form) else {
            throw DeskRefusal(400, "the query has app_id and user_id, and with a user of the application security_key")
        }
        return try credentials(identity)
    }

    private static func credentials(_ identity: DeskIdentity) throws(DeskRefusal) -> DeskCredentials {
        do { return try identity.credentials() } catch { throw DeskRefusal(400, error.message) }
    }

    private static func file(_ request: DeskHTTPRequest) throws(DeskRefusal) -> DeskMultipart {
        guard request.mediaType == "multipart/form-data", let boundary = DeskMultipart.boundary(request.contentType),
            var file = DeskMultipart(request.body, boundary: boundary)
        else { throw DeskRefusal(400, "the body is multipart/form-data with one file") }
        guard !file.bytes.isEmpty else { throw DeskRefusal(400, "the file is empty") }
        guard file.bytes.count <= DeskBounds.fileBytes else {
            throw DeskRefusal(413, "a file has at most \(DeskBounds.fileBytes) bytes")
        }
        file.name = DeskFileName.fit(file.name)
        return file
    }

    private static func checked(_ request: DeskCommentRequest) throws(DeskRefusal) -> DeskCommentRequest {
        let files = request.attachments ?? []
        let text = request.comment ?? ""
        guard !text.isEmpty || !files.isEmpty else { throw DeskRefusal(400, "a comment has text or attachments") }
        guard text.utf8.count <= DeskBounds.bodyBytes else {
            throw DeskRefusal(413, "a comment has at most \(DeskBounds.bodyBytes) bytes")
        }
        guard files.count <= DeskBounds.attachments else {
            throw DeskRefusal(400, "a comment has at most \(DeskBounds.attachments) attachments")
        }
        guard files.allSatisfy({ $0.guid.utf8.count <= 64 }),
            (request.userName ?? "").utf8.count <= DeskBounds.nameBytes
        else { throw DeskRefusal(400, "user_name has at most \(DeskBounds.nameBytes) bytes, a guid 64") }
        if let name = request.clientID, !DeskBounds.isIdentifier(name) {
            throw DeskRefusal(400, "client_id has 1 to \(DeskBounds.identifierCharacters) printable characters")
        }
        return request
    }

    private static func checked(_ request: DeskPushTokenRequest) throws(DeskRefusal) -> DeskPushTokenRequest {
        guard (request.token ?? "").utf8.count <= DeskBounds.pushTokenBytes, (request.type ?? "").utf8.count <= 64
        else { throw DeskRefusal(400, "a push token has at most \(DeskBounds.pushTokenBytes) bytes, its type 64") }
        return request
    }
}

/// Names of files, which are text of others.
package enum DeskFileName {
    /// Without folders and controls, of bounded length; never empty, never `.` or `..`.
    package static func fit(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var result = String.UnicodeScalarView()
        var room = DeskBounds.nameBytes
        for scalar in last.unicodeScalars where !isUnfit(scalar) {
            room -= String(scalar).utf8.count
            guard room >= 0 else { break }
            result.append(scalar)
        }
        let fit = String(result)
        return fit.isEmpty || fit.allSatisfy { $0 == "." || $0 == " " } ? "file" : fit
    }

    private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
