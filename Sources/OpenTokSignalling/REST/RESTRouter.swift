/// Turns requests into commands, in two steps: the head alone tells whether a body is worth reading.
package struct RESTRouter: Sendable {
    /// A request whose path, verb and credentials are right.
    package struct Admission: Sendable {
        /// The API key of the project that asks.
        package let project: String
        /// Bytes of the body that are read.
        package let bodyLimit: Int
        fileprivate let route: RESTRoute
    }

    /// API key to secret.
    private let secrets: [String: String]

    package init(secrets: [String: String]) { self.secrets = secrets }

    /// Judges the head of a request.
    ///
    /// - Parameter now: seconds since 1970.
    package func admit(_ request: RESTRequest, now: Int64) throws(RESTFault) -> Admission {
        let (route, owner) = try RESTRoute.find(request)
        let project = try RESTAuthentication.project(of: request, secrets: secrets, now: now)
        guard owner == nil || owner == project else {
            throw .credentials("the path is that of another project than the token")
        }
        if case .absent(let feature) = route { throw .absent(feature) }
        return Admission(project: project, bodyLimit: route.bodyLimit, route: route)
    }

    /// What an admitted request asks for.
    package func command(_ request: RESTRequest, _ admission: Admission) throws(RESTFault) -> RESTCommand {
        guard request.body.count <= admission.bodyLimit else {
            throw .tooLong("the body has \(request.body.count) bytes; send at most \(admission.bodyLimit)")
        }
        return try RESTBody(request: request, project: admission.project).command(admission.route)
    }

    /// Both steps.
    package func route(_ request: RESTRequest, now: Int64) throws(RESTFault) -> (project: String, command: RESTCommand)
    {
        let admission = try admit(request, now: now)
        return (admission.project, try command(request, admission))
    }
}

extension RESTRoute {
    fileprivate var bodyLimit: Int {
        switch self {
        case .startArchive, .setArchiveLayout, .setStreamClasses, .forceMute: 256 * 1024
        // Data of 8,192 bytes, each of which may be an escape of six characters.
        case .signal: 64 * 1024
        default: 16 * 1024
        }
    }
}

/// Reads path parts and body into a command.
private struct RESTBody {
    let request: RESTRequest
    let project: String

    func command(_ route: RESTRoute) throws(RESTFault) -> RESTCommand {
        switch route {
        case .createSession:
            guard let form = String(validating: request.body, as: UTF8.self) else {
                throw .invalid("the body is no UTF-8; send a form")
            }
            return .createSession(try SessionOptions(form: form))
        case .startArchive: return .startArchive(try ArchiveOptions(try fields(), project: project))
        case .archives: return .archives(try ArchiveSelection(query: request.query))
        case .archive(let id): return .archive(id: try identifier(id))
        case .deleteArchive(let id): return .deleteArchive(id: try identifier(id))
        case .stopArchive(let id): return .stopArchive(id: try identifier(id))
        case .changeArchiveStreams(let id): return try archiveStreams(try identifier(id))
        case .setArchiveLayout(let id):
            let fields = try fields()
            let id = try identifier(id)
            do { return .setArchiveLayout(id: id, try ArchiveLayout(fields)) } catch { throw RESTFault(error) }
        case .absent(let feature): throw .absent(feature)
        default: return try sessionCommand(route)
        }
    }

    private func sessionCommand(_ route: RESTRoute) throws(RESTFault) -> RESTCommand {
        switch route {
        case .signal(let session, let connection):
            let (session, connection) = (try self.session(session), try optionalIdentifier(connection))
            let fields = try fields()
            do { return .signal(session: session, connection: connection, try SignalContent(fields)) } catch {
                throw RESTFault(error)
            }
        case .stream(let session, let id): return .stream(session: try self.session(session), id: try identifier(id))
        case .streams(let session): return .streams(session: try self.session(session))
        case .setStreamClasses(let session):
            return .setStreamClasses(session: try self.session(session), try streamClasses())
        case .forceDisconnect(let session, let connection):
            return .forceDisconnect(session: try self.session(session), connection: try identifier(connection))
        case .muteStream(let session, let stream):
            return .muteStream(session: try self.session(session), stream: try identifier(stream))
        case .forceMute(let session):
            let session = try self.session(session)
            let fields = try fields()
            do { return .forceMute(session: session, try ForceMute(fields)) } catch { throw RESTFault(error) }
        case .playDTMF(let session, let connection):
            let (session, connection) = (try self.session(session), try optionalIdentifier(connection))
            return .playDTMF(session: session, connection: connection, digits: try digits())
        default: throw .notFound("there is no such method")
        }
    }

    private func session(_ text: String) throws(RESTFault) -> OpenTokSessionID {
        let session: OpenTokSessionID
        do { session = try OpenTokSessionID(parsing: text) } catch { throw .invalid(error.description) }
        try RESTRoute.check(session, of: project)
        return session
    }

    private func identifier(_ text: String) throws(RESTFault) -> String {
        guard text.isIdentifier else { throw .invalid("the path holds an id that is empty, or none at all") }
        return text
    }

    private func optionalIdentifier(_ text: String?) throws(RESTFault) -> String? {
        guard let text else { return nil }
        return try identifier(text)
    }

    /// The body as an object.
    private func fields() throws(RESTFault) -> JSONFields {
        let json: JSON
        do { json = try JSON(parsing: request.body) } catch { throw .invalid("the body: \(error)") }
        do { return try JSONFields(json) } catch { throw .invalid("the body: \(error)") }
    }

    private func streamClasses() throws(RESTFault) -> [StreamClasses] {
        let fields = try fields()
        do throws(MessageFault) {
            guard fields["items"] != nil else { throw fields.fault("items", "missing; this member is required") }
            var result: [StreamClasses] = []
            for item in try fields.objects("items", limit: StreamClasses.largestCount) {
                result.append(try StreamClasses(item))
            }
            return result
        } catch { throw RESTFault(error) }
    }

    private func digits() throws(RESTFault) -> String {
        let fields = try fields()
        do throws(MessageFault) {
            let digits = try fields.text("digits")
            guard !digits.isEmpty, digits.utf8.allSatisfy("0123456789*#p".utf8.contains) else {
                throw fields.fault("digits", "send 1 to 255 of 0-9, *, # and p for a pause")
            }
            return digits
        } catch { throw RESTFault(error) }
    }

    private func archiveStreams(_ id: String) throws(RESTFault) -> RESTCommand {
        let fields = try fields()
        do throws(MessageFault) {
            guard fields["addStream"] != nil else {
                return .removeArchiveStream(id: id, stream: try fields.identifier("removeStream"))
            }
            return .addArchiveStream(
                id: id, stream: try fields.identifier("addStream"),
                hasAudio: try fields.optionalFlag("hasAudio") ?? true,
                hasVideo: try fields.optionalFlag("hasVideo") ?? true)
        } catch { throw RESTFault(error) }
    }
}
