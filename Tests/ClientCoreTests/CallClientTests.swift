import CallBridge
import ClientModel
import ConversationModel
import Foundation
import Synchronization
import Testing

@testable import ClientCore

/// Writes down what it is told.
private final class Witness: ClientDelegate {
    let lines = Mutex<[String]>([])
    private let collapse: ButtonInterceptorAction

    init(collapse: ButtonInterceptorAction = .useInternalHandler) { self.collapse = collapse }

    private func note(_ line: String) { lines.withLock { $0.append(line) } }

    func clientDidInitialize(_ client: CallClient) { note("initialized") }
    func clientDidDeinitialize(_ client: CallClient) { note("deinitialized") }
    func client(_ client: CallClient, didReceive error: ClientError) { note("error \(error.code.rawValue)") }
    func client(_ client: CallClient, didRequestShowUI reason: UIShowReason, requestedByUser: Bool) {
        note("show \(reason.rawValue) \(requestedByUser)")
    }
    func client(_ client: CallClient, didRequestHideUI reason: UIHideReason, conversation: String?) {
        note("hide \(reason.rawValue) \(conversation ?? "-")")
    }
    func clientHandleCollapse(_ client: CallClient) -> ButtonInterceptorAction {
        note("collapse")
        return collapse
    }
}

/// A delegate that leaves everything out.
private final class Silent: ClientDelegate {}

/// Counts as a module and does nothing.
private struct EmptyModule: ClientModule {
    let name: ModuleName
}

@Suite(.timeLimit(.minutes(10))) struct CallClientTests {
    @Test func aBadConfigurationMakesNoClient() {
        let environment = ClientEnvironment(
            tokens: StaticTokenSource(ClientToken("t")), links: FixedLinkHandler(.block))
        let configuration = ClientConfiguration(serverURL: "ftp://x", apiKey: "k")
        let error = #expect(throws: ClientError.self) { try CallClient.visitor(configuration, environment) }
        #expect(error?.field == "serverURL")
    }

    @Test func theClientKeepsACopy() throws {
        let service = ScriptedService()
        var configuration = ClientConfiguration(serverURL: "https://chat.example", apiKey: "key")
        var environment = ClientEnvironment(
            tokens: StaticTokenSource(ClientToken("good")), links: FixedLinkHandler(.block))
        environment.link = service
        let client = try CallClient.agent(configuration, environment)
        configuration.serverURL = "https://elsewhere.example"
        #expect(client.configuration.serverURL == "https://chat.example" && client.role == .agent)
    }

    @Test func startAndStop() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        let witness = Witness()
        try await client.setDelegate(witness)
        try await client.start()
        #expect(await client.phase == .ready && service.connections == 1)
        await client.stop()
        #expect(await client.phase == .stopped && service.connections == 0)
        try await client.start()
        await client.stop()
        #expect(
            witness.lines.withLock { $0 } == ["initialized", "deinitialized", "initialized", "deinitialized"])
    }

    @Test func theDelegateIsSetBeforeAndHeldWeakly() async throws {
        let client = try CallClient.scripted(ScriptedService())
        var delegate: Silent? = Silent()
        weak let seen = delegate
        try await client.setDelegate(delegate)
        try await client.start()
        delegate = nil
        #expect(seen == nil, "the client does not hold it")
        await client.requestUI(.incomingCall, requestedByUser: false)
        let error = await #expect(throws: ClientError.self) { try await client.setDelegate(Witness()) }
        #expect(error?.code == .delegateSetLate)
        await client.stop()
    }

    @Test func modulesAreRegisteredBefore() async throws {
        let client = try CallClient.scripted(ScriptedService())
        let error = await #expect(throws: ClientError.self) {
            try await client.register(EmptyModule(name: .coBrowsing))
        }
        #expect(error?.code == .moduleRegisteredLate)
    }

    @Test func aReaderIsToldHowThingsStand() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service)
        try await client.start()
        let conversation = try await client.beginConversation(.chat)
        var events = client.events.makeAsyncIterator()
        var first: [ClientEvent] = []
        for _ in 0..<5 { if let event = await events.next() { first.append(event) } }
        #expect(
            first == [
                .phase(.ready), .link(isOnline: true), .conversation(.openChanged(conversation)),
                .conversation(.availability(true)), .conversation(.unread(0)),
            ])
        await client.stop()
        #expect(await events.next() == .phase(.stopping))
    }

    @Test func streamsEndWithTheClient() async throws {
        var client: CallClient? = try CallClient.scripted(ScriptedService())
        let events = try #require(client).events
        client = nil
        var count = 0
        for await _ in events { count += 1 }
        #expect(count == 4)
    }

    @Test func aRefusedTokenAtStartUp() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service, token: "bad")
        let error = await #expect(throws: ClientError.self) { try await client.start() }
        #expect(error?.code == .authorization && error?.isFatal == false)
        #expect(await client.phase == .stopped)
        await client.stop()
        await client.setToken(ClientToken("good"))
        try await client.start()
        #expect(await client.phase == .ready)
        await client.stop()
    }

    @Test func aRefusedTokenAtRunTime() async throws {
        let service = ScriptedService()
        let source = StaticTokenSource(ClientToken("good"))
        let client = try CallClient.scripted(service) { $1.tokens = source }
        try await client.start()
        let conversation = try await client.beginConversation(.chat)
        service.change { $0.tokens = ["better"] }
        let events = client.events
        try await client.write("hello", in: conversation.id)
        var codes: [ClientError.Code] = []
        for await event in events {
            if case .error(let error) = event { codes.append(error.code) }
            if codes.count == 1 { break }
        }
        #expect(codes == [.authorization])
        #expect(await client.phase == .ready && service.connections == 1, "it goes on")
        await client.setToken(ClientToken("better"))
        await client.wait { event in
            if case .conversation(.messageFate(_, .sent(number: 1))) = event { true } else { nil }
        }
        #expect(service.texts(conversation.id) == ["hello"])
        await client.stop()
    }

    @Test func cookiesAndAreasGoWithEachRequest() async throws {
        let service = ScriptedService()
        let client = try CallClient.scripted(service) { configuration, _ in
            configuration.cookies = [ClientCookie(name: "a", value: "1")]
            configuration.namedArea = "loans"
        }
        try await client.setCookies([ClientCookie(name: "b", value: "2")])
        try await client.start()
        try await client.setCookies([ClientCookie(name: "c", value: "3")])
        try await client.setNamedArea("cards")
        _ = try await client.beginConversation(.chat)
        let seen = service.state.withLock { $0.identities.map { "\($0.cookies ?? "-") \($0.area ?? "-")" } }
        #expect(seen == ["b=2 loans", "b=2; c=3 loans"])
        #expect(service.state.withLock { $0.begun.map(\.area) } == ["cards"])
        await client.stop()
        try await client.start()
        #expect(
            service.state.withLock { $0.identities.last.map { "\($0.cookies ?? "-") \($0.area ?? "-")" } }
                == "b=2; c=3 cards")
        await client.stop()
    }

    @Test(arguments: [ButtonInterceptorAction.useInternalHandler, .useCustomHandler])
    func theViewIsAskedFor(handler: ButtonInterceptorAction) async throws {
        let client = try CallClient.scripted(ScriptedService())
        let witness = Witness(collapse: handler)
        try await client.setDelegate(witness)
        try await client.start()
        await client.requestUI(.incomingCall, requestedByUser: true)
        await client.setViewVisible(true)
        await client.requestUI(.incomingCall, requestedByUser: true)
        var collapse = CollapseSettings()
        collapse.visitorButton = true
        await client.setCollapse(collapse)
        await client.pressCollapse()
        await client.stop()
        let asked = handler == .useInternalHandler ? ["hide collapseButtonPressed -"] : []
        #expect(
            witness.lines.withLock { $0 }
                == ["initialized", "show incomingCall true", "collapse"] + asked + ["deinitialized"])
    }

    /// Many in one process: none has a thread, none is left over.
    @Test func fiveHundredClients() async throws {
        func threads() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
        let service = ScriptedService()
        let clients = try (0..<500).map { _ in try CallClient.scripted(service) }
        let before = try threads()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await client.start() } }
            try await group.waitForAll()
        }
        #expect(service.connections == 500)
        #expect(try threads() - before < 100, "tests beside this one have some")
        await withTaskGroup(of: Void.self) { group in for client in clients { group.addTask { await client.stop() } } }
        #expect(service.connections == 0)
        for client in clients { #expect(await client.phase == .stopped) }
    }
}
