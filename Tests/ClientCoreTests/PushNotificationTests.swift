import CallModel
import ClientModel
import ClientNotifications
import ClientStorage
import ConversationModel
import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import CallBridge
@testable import CallServer
@testable import ClientCore

/// A line to an exchange whose signals a test chooses.
private final class ScriptedLine: RingTransport {
    let device = RingDevice(personId: "vera", deviceToken: "phone")
    let opened: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation
    private let state = Mutex<(signals: AsyncStream<RingSignal>.Continuation?, said: [RingCommand])>((nil, []))

    init() { (opened, opening) = AsyncStream.makeStream() }

    var said: [RingCommand] { state.withLock(\.said) }

    /// As an exchange: a word on an answer that was given before is said again.
    func signals() async throws -> AsyncStream<RingSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: RingSignal.self)
        state.withLock { state in
            state.signals = continuation
            for case .answer(let id) in state.said { continuation.yield(.granted(callId: id)) }
        }
        opening.yield()
        return stream
    }

    func say(_ signal: RingSignal) { state.withLock { _ = $0.signals?.yield(signal) } }

    func send(_ command: RingCommand) async throws -> String {
        state.withLock { state in
            state.said.append(command)
            if case .answer(let id) = command { _ = state.signals?.yield(.granted(callId: id)) }
        }
        return command.callId
    }

    func close() async { state.withLock { $0.signals?.finish() } }
}

@Suite(.timeLimit(.minutes(10))) struct PushNotificationTests {
    private static let key = NotificationKey(id: "k1", bytes: [UInt8](repeating: 1, count: 32))

    private static func notifications(
        _ folder: TestFolder, _ encryption: NotificationEncryption = .encrypted, now: Int64 = 1_000
    ) throws -> PushNotifications {
        PushNotifications(
            PushSettings(device: "phone", carrier: .apns, encryption: encryption),
            store: NotificationStore(try FilePreferenceStore(directory: folder.path)), now: { now })
    }

    private static func call(until: Int64 = 30_000) -> NotificationContent {
        var content = NotificationContent(
            id: "ring-1", kind: .incomingCall, conversationId: "c1", title: "Ada L.", text: "", callId: "call-1",
            expiresAt: until)
        content.callType = "VIDEO"
        content.callerId = "ada"
        content.callStartedAt = 900
        return content
    }

    /// A cold start: no client was ever made, the line was never opened; the phone rings, answers, and the client starts.
    @Test func aCallRingsBeforeAnyClient() async throws {
        let folder = try TestFolder()
        let notifications = try Self.notifications(folder, .none)
        let line = ScriptedLine()
        let presenter = ScriptedRingPresenter([.init(.answer)])
        let (started, starting) = AsyncStream.makeStream(of: RingPhone.Start.self)
        let phone = RingPhone(
            await notifications.ring(over: line), presenter: presenter,
            clock: { CallTime(rawValue: 1_000) }
        ) { starting.yield($0) }
        try await phone.start()
        let payload = try #require(NotificationPayload.apns(Self.call(), key: nil))
        let pushed = try await notifications.receive(payload)
        #expect(pushed.presentation == .notify && pushed.content == Self.call())
        _ = await line.opened.first { _ in true }
        let start = await started.first { _ in true }
        #expect(start?.callId == "call-1" && start?.conversationId == "c1" && start?.callType == .video)
        for await (call, outcome) in phone.outcomes {
            #expect(call == "call-1" && outcome == .connected)
            break
        }
        _ = await phone.hasDealt(with: 0)
        #expect(line.said == [.answer(callId: "call-1"), .connected(callId: "call-1")])
        #expect(presenter.shown.first == "present call-1")
        await phone.stop()
    }

    @Test func whatComesTwiceOrLateDoesNotRing() async throws {
        let folder = try TestFolder()
        let notifications = try Self.notifications(folder, .none)
        let payload = try #require(NotificationPayload.apns(Self.call(), key: nil))
        try await notifications.receive(payload)
        await #expect(throws: NotificationFault.replayed) { try await notifications.receive(payload) }
        let late = try #require(NotificationPayload.apns(Self.call(until: 1_000), key: nil))
        await #expect(throws: NotificationFault.expired) { try await notifications.receive(late) }
        await #expect(throws: NotificationFault.foreign) { try await notifications.receive(Data("{}".utf8)) }
        // What rang before anybody listened rings when somebody does.
        let line = ScriptedLine()
        let ringing = await notifications.ring(over: line)
        ringing.ring(try #require(Self.call().offer))
        var signals = try await ringing.signals().makeAsyncIterator()
        guard case .offer(let offer) = await signals.next() else {
            Issue.record("no offer")
            return
        }
        #expect(offer.callerName == "Ada L." && offer.callerPersonId == "ada" && offer.ringsUntil.rawValue == 30_000)
        _ = await line.opened.first { _ in true }
        line.say(.withdrawn(callId: "call-1", .aborted))
        #expect(await signals.next() == .withdrawn(callId: "call-1", .aborted))
        await ringing.close()
        #expect(await signals.next() == nil)
    }

    @Test(
        arguments: [
            (ApplicationPresence.background, NotificationPresentation.notify), (.viewClosed, .requestView),
            (.viewOpen, .nothing),
        ])
    func visibility(row: (ApplicationPresence, NotificationPresentation)) async throws {
        let folder = try TestFolder()
        let notifications = try Self.notifications(folder, .none)
        await notifications.setPresence(row.0)
        let payload = try #require(NotificationPayload.fcm(Self.call(), key: nil))
        #expect(try await notifications.receive(payload).presentation == row.1)
        #expect(await notifications.notifications.first { _ in true }?.presentation == row.1)
    }

    /// Tokens wait for the first start, and are told again after what kept them back.
    @Test func tokensFollowTheStart() async throws {
        let folder = try TestFolder()
        let notifications = try Self.notifications(folder)
        let service = ScriptedService()
        await notifications.setToken("00ff", .remote)
        #expect(service.state.withLock { $0.requests }.isEmpty)
        service.change { $0.answersRequests = false }
        let client = try CallClient.scripted(service) { $1.notifications = notifications }
        try await client.start()
        let put = "PUT /devices/phone/tokens/remote"
        await service.until { $0.requests.contains(put) }
        service.change { state in
            state.answersRequests = true
            state.requests = []
        }
        service.drop()
        await service.until { $0.requests.contains(put) }
        await notifications.setEnabled(false)
        await service.until { $0.requests.contains("DELETE /devices/phone/tokens/remote") }
        await client.stop()
    }

    /// Everything together: the token goes to the server, the server's key seals a message, a carrier takes it, the application opens
    /// it, and so does the process beside.
    @Test func throughTheServer() async throws {
        let folder = try TestFolder()
        let carrier = PayloadSink()
        let fcm = try await carrier.start()
        let server = try await ClientFileTests.server(folder, fcm: "http://127.0.0.1:\(fcm)/send")
        let preferences = try FilePreferenceStore(directory: folder.path + "/preferences")
        let facts = FactLog()
        let notifications = PushNotifications(
            PushSettings(device: "phone", carrier: .fcm), store: NotificationStore(preferences), logger: facts.logger)
        await notifications.setToken("device:1", .remote)
        let vera = try ClientFileTests.client("vera", .visitor, server.port) { $0.notifications = notifications }
        let ada = try ClientFileTests.client("ada", .agent, server.port)
        try await vera.start()
        try await ada.start()
        let conversation = try await vera.beginConversation(.chat).id
        try await ada.joinConversation(conversation)
        // The key is here when the service knows the token.
        await facts.until("push.secret.received")
        try await ada.write("good morning", in: conversation)
        let message = await carrier.next()
        #expect(message.contains(#""token":"device:1""#) && !message.contains("good morning"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any])
        let payload = try JSONSerialization.data(withJSONObject: try #require(object["message"]))
        let pushed = try await notifications.receive(payload)
        #expect(pushed.content.text == "good morning" && pushed.content.title == "ada")
        #expect(pushed.content.conversationId == conversation)
        let beside = NotificationStore(try FilePreferenceStore(directory: folder.path + "/preferences"))
        #expect(try beside.decrypt(payload, now: 0) == .blank(.replayed))
        await vera.stop()
        await ada.stop()
        await server.stop()
        await carrier.stop()
    }
}

/// What was logged.
private final class FactLog: Sendable {
    private struct Handler: LogHandler {
        let log: FactLog
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.lines.yield("\(event.message)") }
    }

    private let stream: AsyncStream<String>
    private let lines: AsyncStream<String>.Continuation

    init() { (stream, lines) = AsyncStream.makeStream() }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    func until(_ text: String) async {
        for await line in stream where line == text { return }
    }
}

/// A carrier that takes everything.
private final class PayloadSink: Sendable {
    private let stream: AsyncStream<String>
    private let bodies: AsyncStream<String>.Continuation
    private let server = Mutex<HTTPServer?>(nil)

    init() { (stream, bodies) = AsyncStream.makeStream() }

    func start() async throws -> Int {
        var router = HTTPRouter()
        router.any("/send", body: HTTPBodyGate(bytes: 1 << 20)) { [bodies] request in
            bodies.yield(String(buffer: request.body))
            return HTTPResponse(.ok, "")
        }
        let listening = try await HTTPServer.listen(
            group: MultiThreadedEventLoopGroup.singleton, host: "127.0.0.1", port: 0, router: router,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ).get()
        server.withLock { $0 = listening }
        return listening.port
    }

    func next() async -> String { await stream.first { _ in true } ?? "" }
    func stop() async { await server.withLock { $0 }?.close() }
}
