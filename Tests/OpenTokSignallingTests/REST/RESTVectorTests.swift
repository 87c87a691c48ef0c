import Testing

@testable import OpenTokSignalling

/// Requests of the server SDK become commands, and our answers are those that it has understood.
@Suite struct RESTVectorTests {
    private let vectors: SDKVectors
    private let router: RESTRouter

    init() throws {
        vectors = try SDKVectors()
        router = RESTRouter(secrets: vectors.secrets)
    }

    /// What the named call asks for; nil where the router refuses it itself.
    private func expected(_ name: String) throws -> RESTCommand? {
        let session = vectors.session
        let content = SignalContent(type: "chat", data: "hi")
        return switch name {
        case "create": .createSession(SessionOptions())
        case "create-relayed": .createSession(try SessionOptions(form: "p2p.preference=enabled"))
        case "create-archived":
            .createSession(
                try SessionOptions(
                    form: "archiveMode=always&archiveName=a%20b&archiveResolution=1280x720&location=192.0.2.7"))
        case "signal": .signal(session: session, connection: nil, SignalContent(type: "chat", data: "hi ž"))
        case "signal-to": .signal(session: session, connection: "c1", content)
        case "signal-nobody": .signal(session: session, connection: nil, content)
        case "stream": .stream(session: session, id: "s1")
        case "stream-unknown": .stream(session: session, id: "s2")
        case "streams", "streams-none", "streams-secret": .streams(session: session)
        case "classes":
            .setStreamClasses(
                session: session, [try StreamClasses(JSONFields(["id": "s1", "layoutClassList": ["focus", "big"]]))])
        case "disconnect": .forceDisconnect(session: session, connection: "c1")
        case "disconnect-unknown": .forceDisconnect(session: session, connection: "c2")
        case "mute-stream": .muteStream(session: session, stream: "s1")
        case "mute-stream-unknown": .muteStream(session: session, stream: "s2")
        case "mute-all": .forceMute(session: session, ForceMute(isActive: true, excludedStreams: ["s1"]))
        case "unmute-all": .forceMute(session: session, ForceMute(isActive: false))
        case "dtmf": .playDTMF(session: session, connection: nil, digits: "12#p*")
        case "dtmf-to": .playDTMF(session: session, connection: "c1", digits: "9")
        case "archive-start", "archive-start-relayed": .startArchive(try archive().options)
        case "archive-stop": .stopArchive(id: "a1")
        case "archive-get": .archive(id: "a1")
        case "archive-get-unknown": .archive(id: "a2")
        case "archive-delete": .deleteArchive(id: "a1")
        case "archive-list":
            .archives(try ArchiveSelection(query: "offset=2&count=10&sessionId=\(session)"))
        case "archive-add": .addArchiveStream(id: "a1", stream: "s1", hasAudio: true, hasVideo: false)
        case "archive-remove": .removeArchiveStream(id: "a1", stream: "s1")
        case "archive-layout":
            .setArchiveLayout(
                id: "a1", try ArchiveLayout(JSONFields(["type": "custom", "stylesheet": "stream {}"])))
        default: nil
        }
    }

    private func archive(_ status: ArchiveInfo.Status = .started) throws -> ArchiveInfo {
        let options = try ArchiveOptions(
            JSONFields(["sessionId": .string(vectors.session.text), "name": "talk", "layout": .null]),
            project: vectors.project.key)
        return ArchiveInfo(
            id: "a1", status: status, project: vectors.project.key, options: options, createdAt: vectors.now * 1000)
    }

    /// What has come of the named call.
    private func result(_ name: String) throws -> RESTResult {
        let stream = StreamInfo(id: "s1", name: "cam", layoutClasses: ["focus"])
        switch name {
        case "create", "create-relayed", "create-archived":
            return .session(
                CreatedSession(session: vectors.session, project: vectors.project.key, createdAt: vectors.now))
        case "signal-nobody", "streams-none": return .refused(.noSuchSession)
        case "stream": return .stream(stream)
        case "streams": return .streams([stream])
        case "stream-unknown", "mute-stream-unknown": return .refused(.noSuchStream)
        case "disconnect-unknown": return .refused(.noSuchConnection)
        case "archive-start": return .archive(try archive())
        case "archive-start-relayed": return .refused(.relayed)
        case "archive-stop": return .archive(try archive(.stopped))
        case "archive-get":
            var archive = try archive(.available)
            archive.size = 99
            archive.duration = 7
            return .archive(archive)
        case "archive-get-unknown": return .refused(.noSuchArchive)
        case "archive-list": return .archives([try archive()], count: 1)
        default: return .done
        }
    }

    @Test("Every call of the SDK, and the answer that it understood")
    func calls() throws {
        let calls = try vectors.calls()
        #expect(calls.count == 35)
        for call in calls {
            let expected = try expected(call.name)
            let result = try result(call.name)
            let response: RESTResponse
            do throws(RESTFault) {
                let (project, command) = try router.route(call.request, now: vectors.now)
                #expect(project == vectors.project.key)
                #expect(command == expected, "\(call.name)")
                response = command.response(to: result)
            } catch {
                #expect(expected == nil || call.name == "streams-secret", "\(call.name): \(error.message)")
                response = error.response
            }
            #expect(response.status == call.status, "\(call.name)")
            #expect(String(decoding: response.body, as: UTF8.self) == call.body, "\(call.name)")
            #expect(response.contentType == (call.body.isEmpty ? nil : "application/json"), "\(call.name)")
        }
    }
}
