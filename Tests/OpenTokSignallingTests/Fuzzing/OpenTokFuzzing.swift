import OpenTokSignalling
import RTCWire

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum OpenTokFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("rumor", { rumor($0) }), ("rumorchannel", { channel($0) }), ("raptor", { raptor($0) }),
        ("opentokserver", { server($0) }), ("opentoksession", { session($0) }),
        ("opentoktoken", { token($0) }), ("opentokrest", { rest($0) }),
    ]

    private static let now: Int64 = 1_800_000_000
    private static let secrets = ["12345": "secret"]

    /// A run of frames, cut where the first byte says. What is read can be written, and reads the same again.
    package static func rumor(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let cut = min(bytes.count, Int(first))
        var reader = RumorFrameReader(limit: 4096)
        for part in [bytes[..<cut], bytes[cut...]] {
            reader.append(part)
            do throws(RumorFault) {
                while let frame = try reader.next() {
                    let again = try RumorFrame(message: try frame.encoded())
                    precondition(again == frame)
                }
            } catch {
                precondition(!error.description.isEmpty)
                return
            }
        }
    }

    /// Two bytes for a step of time and an event, then a frame: whatever comes, a channel keeps its bounds.
    package static func channel(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        var now = Instant.zero
        var actions: [RumorChannel.Action] = []
        var channel = RumorChannel(client: [.ping])
        if first % 2 == 0 { channel = RumorChannel(serverAt: now) } else { channel.start(now, into: &actions) }
        var rest = input.dropFirst()
        var count = 0
        while rest.count >= 2, count < 400 {
            count += 1
            let (step, event) = (rest.removeFirst(), rest.removeFirst())
            now += .milliseconds(Int(step) * 100)
            channel.advance(to: now, into: &actions)
            switch event % 8 {
            case 0: channel.opened(now, into: &actions)
            case 1: channel.closed(code: 1000 + Int(event / 8), now, into: &actions)
            case 2: try? channel.send(message(event), into: &actions)
            case 3: channel.answer("t\(event / 8)", status: 200, payload: [event], into: &actions)
            case 4: channel.receive(message(event), now, into: &actions)
            case 5: channel.receive(.status(200, transaction: "t\(event / 8)"), now, into: &actions)
            default:
                var reader = RumorFrameReader(limit: 1024)
                reader.append(rest.prefix(1024))
                guard let frame = try? reader.next(), let length = try? frame.encoded().count else { continue }
                channel.receive(frame, now, into: &actions)
                rest = rest.dropFirst(length)
            }
            // What is due is done by one call, or by two behind a loss: a driver never turns in a circle.
            channel.advance(to: now, into: &actions)
            channel.advance(to: now, into: &actions)
            precondition(channel.nextDeadline.map { $0.at > now } ?? (channel.hasEnded || actions.isEmpty))
            actions.removeAll()
        }
    }

    private static func message(_ event: UInt8) -> RumorFrame {
        .message(to: "a", from: "b", transaction: "t\(event / 8)", payload: [event])
    }

    /// A message: whatever it means can be written, and means the same again.
    package static func raptor(_ input: UnsafeRawBufferPointer) {
        let bytes = Array(input)
        if let state = try? RaptorSessionState(payload: bytes) {
            precondition((try? RaptorSessionState(payload: state.payload)) == state)
        }
        if let info = try? SessionInfo(status: 200, body: bytes) {
            precondition((try? SessionInfo(status: 200, body: info.response.body)) == info)
        }
        guard let message = try? RaptorMessage(payload: bytes) else { return }
        precondition((try? RaptorMessage(payload: message.payload)) == message)
        let (project, session) = (message.uri.project, message.uri.session)
        if let request = try? RaptorRequest(message) {
            let again = try? RaptorMessage(payload: request.message(project: project, session: session).payload)
            precondition(again.flatMap { try? RaptorRequest($0) } == request)
        }
        // An event's id may differ from its uri's: the content counts.
        if let event = try? RaptorEvent(message) {
            let again = try? RaptorMessage(payload: event.message(project: project, session: session).payload)
            precondition(again.flatMap { try? RaptorEvent($0) } == event)
        }
    }

    /// What a client sends: frames, and payloads of messages (behind a zero byte, to the next one) that are framed rightly.
    package static func server(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        var connection = served(hasJoined: first % 2 == 0)
        var actions: [OpenTokServerConnection.Action] = []
        for (number, part) in input.dropFirst().split(separator: 0, maxSplits: 50).enumerated() {
            let frame = RumorFrame.message(
                to: "s", from: "c1", transaction: "\(number)", token: number == 0 ? token : nil, payload: Array(part))
            let bytes = part.count % 2 == 0 ? Array(part) : (try? frame.encoded()) ?? []
            connection.receive(bytes, .zero, timeOfDay: now, into: &actions)
            for case .request(_, let transaction) in actions { connection.answer(transaction, .done, into: &actions) }
            let ends = actions.count { if case .ended = $0 { true } else { false } }
            precondition(ends == (connection.hasEnded ? 1 : 0))
            if connection.hasEnded { return }
            actions.removeAll()
        }
    }

    private static let session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 1)
    private static let token = try? OpenTokToken(
        project: "12345", sessionID: session.text, created: now
    ).signed(secret: "secret")

    private static func served(hasJoined: Bool) -> OpenTokServerConnection {
        let settings = OpenTokServerConnection.Settings(
            session: session, project: "12345", connection: "c1", serverAddress: "s")
        var connection = OpenTokServerConnection(settings, secrets: secrets, now: .zero)
        let join = RaptorRequest.join(connection: "c1", RaptorJoin()).message(project: "12345", session: session.text)
        let frames: [RumorFrame] = [
            .connect(connection: "c1", disconnectAddress: "s"),
            .message(to: "s", from: "c1", transaction: "j", token: token, payload: join.payload),
        ]
        var actions: [OpenTokServerConnection.Action] = []
        for bytes in frames.prefix(hasJoined ? 2 : 1).compactMap({ try? $0.encoded() }) {
            connection.receive(bytes, .zero, timeOfDay: now, into: &actions)
        }
        if hasJoined { connection.answer("j", .done, into: &actions) }
        precondition(connection.hasJoined == hasJoined)
        return connection
    }

    /// A token or a session id, as clients send them; also claims and a payload that are then signed rightly.
    package static func token(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        if let id = try? OpenTokSessionID(parsing: text) { precondition(id.text == text && id.fields.count <= 32) }
        for candidate in [text, OpenTokTestSigning.jwt(Array(input)), OpenTokTestSigning.plain(text)] {
            guard let token = try? OpenTokToken(verifying: candidate, secrets: secrets, now: now) else { continue }
            precondition(token.project == "12345" && token.expires + OpenTokToken.leeway > now)
            for form in [OpenTokToken.Form.jwt, .plain] {
                guard let again = try? token.signed(form, secret: "secret") else { continue }
                precondition((try? OpenTokToken(verifying: again, secrets: secrets, now: now)) == token)
            }
        }
    }

    /// Verb, path, query and body, each on a line.
    package static func rest(_ input: UnsafeRawBufferPointer) {
        let lines = Array(input).split(separator: 0x0a, maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, let project = try? OpenTokProject(key: "12345", secret: "secret") else { return }
        let text = lines.prefix(3).map { String(decoding: $0, as: UTF8.self) }
        let request = RESTRequest(
            method: text[0], path: text[1], query: text[2],
            headers: [.init(name: "X-OPENTOK-AUTH", value: RESTAuthentication.header(for: project, now: now))],
            body: Array(lines[3]))
        do throws(RESTFault) {
            let command = try RESTRouter(secrets: secrets).route(request, now: now).command
            for refusal in [RESTRefusal.noSuchSession, .noSuchConnection, .noSuchStream, .noSuchArchive, .relayed] {
                precondition(command.response(to: .refused(refusal)).status >= 400)
            }
            precondition(command.response(to: .done).status < 300)
        } catch {
            precondition(error.status >= 400 && (try? JSON(parsing: error.response.body)) != nil)
        }
    }
}
