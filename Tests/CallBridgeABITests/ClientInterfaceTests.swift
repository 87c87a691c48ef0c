import CCallBridge
import CallServer
import Dispatch
import Glibc
import LiveKitProtocol
import Synchronization
import Testing

@testable import CallBridgeABI

/// Clients and conversations of the C interface: misused, and used well against a server of this process.
@Suite(.timeLimit(.minutes(10))) struct ClientInterfaceTests {
    private static var lastError: String { String(cString: exportedLastError()) }

    /// What a client is made from; text lives while `body` runs.
    private struct Given {
        var role: Int32 = CALLBRIDGE_VISITOR
        var url: String? = "http://127.0.0.1:1"
        var apiKey: String? = "k"
        var token: String? = "t"
        var name: String?
        var secret: String?
        var identity: String?
        var device: String?
        var callbacks = callbridge_client_callbacks()

        func with(_ body: (inout callbridge_client_options) -> Int32) -> Int32 {
            lend([url, apiKey, token, name, secret, identity, device][...], []) { texts in
                var options = callbridge_client_options()
                options.size = UInt32(MemoryLayout<callbridge_client_options>.size)
                options.role = role
                (options.url, options.api_key, options.token, options.name) = (texts[0], texts[1], texts[2], texts[3])
                (options.secret, options.identity, options.device) = (texts[4], texts[5], texts[6])
                options.callbacks = callbacks
                return body(&options)
            }
        }

        private func lend(
            _ texts: ArraySlice<String?>, _ lent: [UnsafePointer<CChar>?], _ body: ([UnsafePointer<CChar>?]) -> Int32
        ) -> Int32 {
            guard let text = texts.first else { return body(lent) }
            guard let text else { return lend(texts.dropFirst(), lent + [nil], body) }
            return text.withCString { lend(texts.dropFirst(), lent + [$0], body) }
        }
    }

    private static func options(_ callbacks: callbridge_callbacks = callbridge_callbacks()) -> callbridge_options {
        var options = callbridge_options()
        options.size = UInt32(MemoryLayout<callbridge_options>.size)
        options.callbacks = callbacks
        return options
    }

    // MARK: Misuse

    @Test func wrongOptions() {
        var client: callbridge_client = 7
        #expect(exportedClientCreate(nil, &client) == CALLBRIDGE_ERROR_ARGUMENT && client == 0)
        #expect(Given().with { exportedClientCreate(&$0, nil) } == CALLBRIDGE_ERROR_ARGUMENT)
        let long = String(repeating: "x", count: 70_000)
        let rows: [(Given, String)] = [
            (Given(role: 3), "role"), (Given(url: nil), "url"), (Given(url: "ws://h"), "serverURL"),
            (Given(url: "none"), "serverURL"), (Given(apiKey: nil), "api_key"), (Given(apiKey: "a b"), "apiKey"),
            (Given(token: nil), "token"), (Given(token: long), "token"), (Given(name: long), "name"),
            (Given(secret: ""), "secret"), (Given(identity: "ada", device: "d"), "secret"),
            (Given(secret: "s", identity: "ada"), "device"),
        ]
        for (given, named) in rows {
            #expect(given.with { exportedClientCreate(&$0, &client) } == CALLBRIDGE_ERROR_ARGUMENT, "\(named)")
            #expect(client == 0 && Self.lastError.contains(named), "\(named): \(Self.lastError)")
        }
        let short = Given().with { options in
            options.size = 8
            return exportedClientCreate(&options, &client)
        }
        #expect(short == CALLBRIDGE_ERROR_ARGUMENT && Self.lastError.contains("size"))
    }

    @Test func handlesThatAreNone() throws {
        var (place, call) = ([CChar](repeating: 1, count: Int(CALLBRIDGE_ID_SIZE)), callbridge_call(7))
        var options = Self.options()
        let given = Given()
        var call1: callbridge_call = 0
        // No handle of a call is one of a client, and the other way round.
        var client: callbridge_client = 0
        try #require(given.with { exportedClientCreate(&$0, &client) } == CALLBRIDGE_OK)
        #expect(exportedLeave(client) == CALLBRIDGE_ERROR_HANDLE && exportedDestroy(client) == CALLBRIDGE_ERROR_HANDLE)
        #expect(exportedClientDestroy(client) == CALLBRIDGE_OK)
        for handle in [0, .max, client] as [callbridge_client] {
            #expect(exportedClientStart(handle) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedClientStop(handle) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedClientSetToken(handle, "t") == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedClientSetAvailable(handle, 1) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedConversationBegin(handle, &place, place.count) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedConversationOpen(handle, "c") == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedConversationClose(handle) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedConversationJoin(handle, "c") == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedConversationEnd(handle, "c") == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedMessageWrite(handle, "c", "text", nil, 0) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedRingDecline(handle, "r") == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedConversationCall(handle, "c", 1, &options, &call) == CALLBRIDGE_ERROR_HANDLE && call == 0)
            #expect(exportedRing(handle, "c", 1, "p", &options, &call1) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedRingAnswer(handle, "r", &options, &call1) == CALLBRIDGE_ERROR_HANDLE)
            #expect(exportedClientDestroy(handle) == CALLBRIDGE_ERROR_HANDLE)
        }
        #expect(exportedSendData(0, nil, 0, nil, nil, 1) == CALLBRIDGE_ERROR_HANDLE)
    }

    /// What needs a started client, a conversation or a call says so; what makes no sense is refused.
    @Test func aClientThatWasNeverStarted() {
        var client: callbridge_client = 0
        let given = Given(secret: "s", identity: "ada", device: "d")
        #expect(given.with { exportedClientCreate(&$0, &client) } == CALLBRIDGE_OK && client != 0)
        var (place, call) = ([CChar](repeating: 1, count: Int(CALLBRIDGE_ID_SIZE)), callbridge_call(7))
        var options = Self.options()
        #expect(exportedConversationBegin(client, &place, place.count - 1) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedConversationBegin(client, nil, 9_999) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedConversationBegin(client, &place, place.count) == CALLBRIDGE_ERROR_STATE && place[0] == 0)
        #expect(Self.lastError.contains("start it first"))
        #expect(exportedConversationJoin(client, "c") == CALLBRIDGE_ERROR_STATE)
        #expect(exportedConversationEnd(client, "c") == CALLBRIDGE_ERROR_STATE)
        #expect(exportedConversationOpen(client, "c") == CALLBRIDGE_ERROR_STATE)
        #expect(exportedConversationClose(client) == CALLBRIDGE_OK, "none is open")
        for id in [nil, "", String(repeating: "c", count: 256)] {
            let code = id.map { exportedConversationEnd(client, $0) } ?? exportedConversationEnd(client, nil)
            #expect(code == CALLBRIDGE_ERROR_ARGUMENT && Self.lastError.contains("conversation"))
        }
        #expect(exportedMessageWrite(client, "c", nil, nil, 0) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedMessageWrite(client, "c", "", nil, 0) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedMessageWrite(client, "c", "text", &place, 8) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedMessageWrite(client, "c", "text", nil, 0) == CALLBRIDGE_ERROR_STATE)
        #expect(exportedConversationCall(client, "c", 3, &options, &call) == CALLBRIDGE_ERROR_ARGUMENT && call == 0)
        #expect(exportedConversationCall(client, "c", 1, nil, &call) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedConversationCall(client, "c", 1, &options, nil) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedRing(client, "c", 1, nil, &options, &call) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedRing(client, "c", 1, "bob", &options, &call) == CALLBRIDGE_ERROR_STATE && call == 0)
        #expect(exportedRingAnswer(client, "r", &options, &call) == CALLBRIDGE_ERROR_STATE)
        #expect(exportedRingDecline(client, nil) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedRingDecline(client, "r") == CALLBRIDGE_ERROR_STATE)
        #expect(exportedClientSetToken(client, nil) == CALLBRIDGE_ERROR_ARGUMENT)
        #expect(exportedClientSetAvailable(client, 1) == CALLBRIDGE_ERROR_REFUSED && Self.lastError.contains("visitor"))
        // Whoever stops what never ran, twice, has stopped it.
        #expect(exportedClientStop(client) == CALLBRIDGE_OK && exportedClientStop(client) == CALLBRIDGE_OK)
        #expect(exportedClientDestroy(client) == CALLBRIDGE_OK)
        #expect(exportedClientDestroy(client) == CALLBRIDGE_ERROR_HANDLE)
    }

    @Test func withoutASecretNobodyCalls() {
        var (client, call): (callbridge_client, callbridge_call) = (0, 7)
        #expect(Given().with { exportedClientCreate(&$0, &client) } == CALLBRIDGE_OK)
        var options = Self.options()
        #expect(exportedConversationCall(client, "c", 1, &options, &call) == CALLBRIDGE_ERROR_STATE && call == 0)
        #expect(Self.lastError.contains("no secret"))
        #expect(exportedRing(client, "c", 1, "bob", &options, &call) == CALLBRIDGE_ERROR_STATE)
        #expect(exportedClientDestroy(client) == CALLBRIDGE_OK)
        let deaf = Given(secret: "s")
        #expect(deaf.with { exportedClientCreate(&$0, &client) } == CALLBRIDGE_OK)
        #expect(exportedRingAnswer(client, "r", &options, &call) == CALLBRIDGE_ERROR_STATE)
        #expect(Self.lastError.contains("no identity"))
        #expect(exportedClientDestroy(client) == CALLBRIDGE_OK)
    }

    /// A structure of the first version ends before the newer callbacks, and is taken.
    @Test func olderOptions() throws {
        let size = MemoryLayout<callbridge_options>.size - MemoryLayout<UnsafeRawPointer?>.size
        // Behind it is somebody else's memory.
        var bytes = [UInt8](repeating: 0xFF, count: MemoryLayout<callbridge_options>.size)
        var options = Self.options()
        options.size = UInt32(size)
        options.provider = CALLBRIDGE_LIVEKIT
        withUnsafeBytes(of: &options) { bytes.replaceSubrange(0..<size, with: $0.prefix(size)) }
        let read = try bytes.withUnsafeBytes {
            try Arguments.options($0.baseAddress?.assumingMemoryBound(to: callbridge_options.self))
        }
        #expect(read.provider == CALLBRIDGE_LIVEKIT && read.callbacks.data == nil)
        options.size = UInt32(size - 8)
        #expect(throws: ABIError.self) { try Arguments.options(&options) }
        options.size = UInt32(size + 16)
        #expect(throws: ABIError.self) { try Arguments.options(&options) }
    }

    // MARK: A conversation

    /// What callbacks have told, in lines.
    private final class Witness: Sendable {
        private let lines = Mutex<[String]>([])
        private let ticks: AsyncStream<Void>
        private let tick: AsyncStream<Void>.Continuation
        let ringing = Mutex("")
        private let rings = Atomic(0)

        init() { (ticks, tick) = AsyncStream.makeStream() }

        var all: [String] { lines.withLock { $0 } }

        func note(_ line: String) {
            lines.withLock { $0.append(line) }
            tick.yield()
        }

        /// Returns when a line has come.
        func until(_ line: String) async {
            if all.contains(line) { return }
            for await _ in ticks where all.contains(line) { return }
        }

        private func rings(_ ring: String, _ caller: String) {
            ringing.withLock { $0 = ring }
            note("\(caller) rings \(rings.add(1, ordering: .relaxed).newValue)")
        }

        static func of(_ user: UnsafeMutableRawPointer?) -> Witness? {
            user.map { Unmanaged<Witness>.fromOpaque($0).takeUnretainedValue() }
        }

        var clientCallbacks: callbridge_client_callbacks {
            var callbacks = callbridge_client_callbacks()
            callbacks.user_data = Unmanaged.passUnretained(self).toOpaque()
            callbacks.state = { user, _, state in Witness.of(user)?.note("state \(state)") }
            callbacks.online = { user, _, online in Witness.of(user)?.note("online \(online)") }
            callbacks.availability = { user, _, isThere in Witness.of(user)?.note("available \(isThere)") }
            callbacks.conversation = { user, _, _, what in Witness.of(user)?.note("conversation \(what)") }
            callbacks.message = { user, _, message in
                guard let message = message?.pointee else { return }
                let (author, text) = (String(cString: message.author), String(cString: message.text))
                Witness.of(user)?.note("\(author): \(text) (\(message.number))")
            }
            callbacks.message_fate = { user, _, _, _, fate, _ in Witness.of(user)?.note("fate \(fate)") }
            callbacks.ringing = { user, _, ringing in
                guard let ringing = ringing?.pointee else { return }
                Witness.of(user)?.rings(String(cString: ringing.ring), String(cString: ringing.caller))
            }
            callbacks.ring_ended = { user, _, _, outcome, _ in Witness.of(user)?.note("ring \(outcome)") }
            return callbacks
        }

        var callbacks: callbridge_callbacks {
            var callbacks = callbridge_callbacks()
            callbacks.user_data = Unmanaged.passUnretained(self).toOpaque()
            callbacks.state = { user, _, state, _ in Witness.of(user)?.note("call \(state)") }
            callbacks.participant = { user, _, identity, joined in
                guard let identity else { return }
                Witness.of(user)?.note("\(String(cString: identity)) \(joined)")
            }
            callbacks.data = { user, _, identity, topic, bytes, size in
                guard let identity, let topic else { return }
                let text = String(decoding: UnsafeBufferPointer(start: bytes, count: size), as: UTF8.self)
                Witness.of(user)?.note("\(String(cString: identity)) \(String(cString: topic)): \(text)")
            }
            return callbacks
        }
    }

    private static let (key, secret) = ("key", "a-secret-of-32-characters-or-more")

    /// Calls what waits on a thread that is none of tasks': those have work to do meanwhile.
    private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }

    private static func begin(_ client: callbridge_client) async -> (code: Int32, conversation: [CChar]) {
        await waiting {
            var place = [CChar](repeating: 1, count: Int(CALLBRIDGE_ID_SIZE))
            return (exportedConversationBegin(client, &place, place.count), place)
        }
    }

    private static func client(
        _ role: Int32, _ identity: String, at port: Int, _ witness: Witness
    ) async throws -> callbridge_client {
        var claims = TokenClaims(issuer: key, subject: identity, notBefore: 0, expires: 4_102_444_800)
        claims.attributes = ["role": role == CALLBRIDGE_AGENT ? "agent" : "visitor"]
        let given = Given(
            role: role, url: "http://127.0.0.1:\(port)", apiKey: key, token: AccessToken.mint(claims, secret: secret),
            secret: secret, identity: identity, device: "\(identity)-phone", callbacks: witness.clientCallbacks)
        var client: callbridge_client = 0
        try #require(given.with { exportedClientCreate(&$0, &client) } == CALLBRIDGE_OK, "\(lastError)")
        let made = client
        let (code, words) = await waiting { (exportedClientStart(made), String(cString: exportedLastError())) }
        try #require(code == CALLBRIDGE_OK, "\(words)")
        return made
    }

    @Test func aWholeConversation() async throws {
        var configuration = CallServerConfiguration(keys: [Self.key: Self.secret])
        configuration.port = 0
        let server = CallServer(configuration: configuration)
        try await server.start()
        let (vera, ada) = (Witness(), Witness())
        let visitor = try await Self.client(CALLBRIDGE_VISITOR, "vera", at: server.port, vera)
        let agent = try await Self.client(CALLBRIDGE_AGENT, "ada", at: server.port, ada)
        #expect(await Self.waiting { exportedClientStart(visitor) } == CALLBRIDGE_OK, "it runs already")
        #expect(await Self.waiting { exportedClientSetAvailable(agent, 1) } == CALLBRIDGE_OK)
        await vera.until("available 1")
        let (begun, room) = await Self.begin(visitor)
        #expect(begun == CALLBRIDGE_OK)
        #expect(await Self.begin(visitor).code == CALLBRIDGE_ERROR_STATE, "one is open")
        await ada.until("conversation \(CALLBRIDGE_CONVERSATION_CHANGED)")
        #expect(await Self.waiting { exportedConversationJoin(agent, room) } == CALLBRIDGE_OK)
        let written = await Self.waiting {
            var id = [CChar](repeating: 0, count: Int(CALLBRIDGE_ID_SIZE))
            return exportedMessageWrite(visitor, room, "hello", &id, id.count) == CALLBRIDGE_OK && id[0] != 0
        }
        #expect(written)
        await ada.until("vera: hello (1)")
        await vera.until("fate \(CALLBRIDGE_MESSAGE_SENT)")
        await Self.call(visitor, vera, agent, ada, room)
        #expect(await Self.waiting { exportedConversationEnd(agent, room) } == CALLBRIDGE_OK)
        await vera.until("conversation \(CALLBRIDGE_CONVERSATION_ENDED)")
        #expect(
            await Self.waiting { exportedMessageWrite(visitor, room, "hello?", nil, 0) } == CALLBRIDGE_ERROR_STATE)
        for client in [visitor, agent] {
            for _ in 0..<2 { #expect(await Self.waiting { exportedClientStop(client) } == CALLBRIDGE_OK) }
        }
        await vera.until("state \(CALLBRIDGE_CLIENT_STOPPED)")
        for client in [visitor, agent] {
            #expect(await Self.waiting { exportedClientDestroy(client) } == CALLBRIDGE_OK)
            #expect(exportedClientDestroy(client) == CALLBRIDGE_ERROR_HANDLE)
        }
        await server.stop()
        withExtendedLifetime((vera, ada)) {}
    }

    /// The agent rings in vain and is declined; rings again and is answered; both are heard, and the agent hangs up.
    private static func call(
        _ visitor: callbridge_client, _ vera: Witness, _ agent: callbridge_client, _ ada: Witness, _ room: [CChar]
    ) async {
        var (first, ours, theirs): (callbridge_call, callbridge_call, callbridge_call) = (0, 0, 0)
        var (options, others) = (Self.options(ada.callbacks), Self.options(vera.callbacks))
        #expect(exportedRing(agent, room, CALLBRIDGE_AUDIO, "vera", &options, &first) == CALLBRIDGE_OK && first != 0)
        await vera.until("ada rings 1")
        let declined = vera.ringing.withLock { $0 }
        #expect(exportedRingDecline(visitor, declined) == CALLBRIDGE_OK)
        #expect(exportedRingDecline(visitor, declined) == CALLBRIDGE_ERROR_STATE, "it was declined")
        await ada.until("ring \(CALLBRIDGE_RING_DECLINED)")
        await ada.until("call \(CALLBRIDGE_ENDED)")
        #expect(exportedRing(agent, room, CALLBRIDGE_AUDIO, "vera", &options, &ours) == CALLBRIDGE_OK)
        await vera.until("ada rings 2")
        let answered = vera.ringing.withLock { $0 }
        #expect(exportedRingAnswer(visitor, answered, &others, &theirs) == CALLBRIDGE_OK && theirs != 0)
        for call in [ours, theirs] { #expect(await waiting { exportedPublishTone(call, 440) } == CALLBRIDGE_OK) }
        await vera.until("ring \(CALLBRIDGE_RING_CONNECTED)")
        await ada.until("ring \(CALLBRIDGE_RING_CONNECTED)")
        await ada.until("vera 1")
        let (speaker, listener) = (ours, theirs)
        let sent = await waiting { exportedSendData(speaker, Array("word".utf8), 4, "topic", nil, 1) }
        #expect(sent == CALLBRIDGE_OK)
        await vera.until("ada topic: word")
        #expect(exportedSendData(speaker, nil, 1, nil, nil, 1) == CALLBRIDGE_ERROR_ARGUMENT)
        for _ in 0..<2 { #expect(await waiting { exportedLeave(speaker) } == CALLBRIDGE_OK) }
        await vera.until("ada 0")
        #expect(await waiting { exportedLeave(listener) } == CALLBRIDGE_OK)
        for call in [first, speaker, listener] { #expect(await waiting { exportedDestroy(call) } == CALLBRIDGE_OK) }
    }
}
