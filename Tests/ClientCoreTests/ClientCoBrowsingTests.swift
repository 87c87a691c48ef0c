import CallServer
import ClientModel
import CoBrowsing
import CoBrowsingModel
import ConversationModel
import Foundation
import LiveKitProtocol
import Synchronization
import Testing

@testable import ClientCore

/// A screen that a test paints.
private final class Canvas: FrameSource {
    static let size = FrameSize(width: 320, height: 240)!
    let reportsViews = true
    private let frame: Mutex<ScreenFrame>

    init() {
        var first = ScreenFrame(size: Self.size, red: 200, green: 210, blue: 220)
        first.views = [.init(tag: "card", rect: PixelRect(x: 100, y: 100, width: 80, height: 40))]
        frame = Mutex(first)
    }

    func capture() async throws -> ScreenFrame? { frame.withLock { $0 } }
    func close() async {}
    func fill(_ rect: PixelRect, red: UInt8) { frame.withLock { $0.fill(rect, red: red, green: 0, blue: 0) } }
}

private final class ButtonWitness: ClientDelegate {
    let handler = Mutex(ButtonInterceptorAction.useCustomHandler)
    let lines = Mutex<[String]>([])

    func clientHandleCoBrowsingButton(_ client: CallClient, in conversation: String) -> ButtonInterceptorAction {
        lines.withLock { $0.append("pressed") }
        return handler.withLock { $0 }
    }
    func client(_ client: CallClient, coBrowsingIn conversation: String, isActive: Bool) {
        lines.withLock { $0.append(isActive ? "began" : "ended") }
    }
    func client(_ client: CallClient, didRequestShowUI reason: UIShowReason, requestedByUser: Bool) {
        lines.withLock { $0.append("show \(reason.rawValue)") }
    }
}

/// A visitor shares, an agent watches, through the embedded server's conversation service over sockets.
@Suite(.timeLimit(.minutes(10))) struct ClientCoBrowsingTests {
    private static let secret = "co-browsing-secret-of-32-characters!"

    private static func server(_ change: (inout CallServerConfiguration) -> Void = { _ in }) async throws -> CallServer
    {
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = 0
        change(&configuration)
        let server = CallServer(configuration: configuration)
        try await server.start()
        return server
    }

    private static func client(_ name: String, _ role: PersonRole, _ port: Int, _ canvas: Canvas? = nil) throws
        -> CallClient
    {
        var claims = TokenClaims(issuer: "key", subject: name, expires: Int64(Date().timeIntervalSince1970 + 600))
        claims.attributes = ["role": role.rawValue.lowercased()]
        var environment = ClientEnvironment(
            tokens: StaticTokenSource(ClientToken(AccessToken.mint(claims, secret: secret))),
            links: FixedLinkHandler(.block))
        var configuration = ScreenCoBrowsing.Configuration()
        if let canvas { configuration.source = { _ in canvas } }
        configuration.format = .png
        let module = ScreenCoBrowsing(configuration)
        module.addPrivateView("card")
        try environment.modules.register(module)
        let server = ClientConfiguration(serverURL: "http://127.0.0.1:\(port)", apiKey: "key")
        return role == .visitor ? try .visitor(server, environment) : try .agent(server, environment)
    }

    private static func changed(_ watched: WatchedScreen) async {
        for await event in watched.events { if case .changed = event { return } }
    }

    private struct Scene {
        let server: CallServer
        let canvas = Canvas()
        let vera: CallClient
        let ada: CallClient
        let id: String

        init(_ change: (inout CallServerConfiguration) -> Void = { _ in }) async throws {
            server = try await ClientCoBrowsingTests.server(change)
            vera = try ClientCoBrowsingTests.client("vera", .visitor, server.port, canvas)
            ada = try ClientCoBrowsingTests.client("ada", .agent, server.port)
            try await vera.start()
            try await ada.start()
            let toAda = ada.events
            id = try await vera.beginConversation(.coBrowsing).id
            for await event in toAda {
                if case .conversation(.updated(let info)) = event, info.conversation.id == id { break }
            }
            try await ada.joinConversation(id)
        }

        func stop() async {
            await vera.stop()
            await ada.stop()
            await server.stop()
        }
    }

    @Test func aVisitorSharesWithAnAgent() async throws {
        let scene = try await Scene()
        let (toAda, toVera) = (scene.ada.events, scene.vera.events)
        try await scene.vera.startCoBrowsing(in: scene.id)
        // The agent hears who shares.
        for await event in toAda {
            if case .conversation(.updated(let info)) = event, info.conversation.sharedBy == "vera" { break }
        }
        let watched = try #require(try await scene.ada.watchCoBrowsing(in: scene.id) as? WatchedScreen)
        await Self.changed(watched)
        let picture = try #require(await watched.picture)
        #expect(picture.size == Canvas.size && Array(picture.pixels.prefix(3)) == [200, 210, 220])
        #expect(Set(picture.rgb(PixelRect(x: 100, y: 100, width: 80, height: 40))) == [0x60], "the private view")
        scene.canvas.fill(PixelRect(x: 10, y: 10, width: 20, height: 20), red: 250)
        await Self.changed(watched)
        #expect(await watched.picture?.rgb(PixelRect(x: 15, y: 15, width: 1, height: 1)) == [250, 0, 0])
        let shared = try #require(await scene.vera.sharedScreen(in: scene.id) as? SharedScreen)
        await watched.point(CoBrowsingPointer(x: 9, y: 9, kind: .mark))
        for await event in shared.events {
            if event == .pointer(CoBrowsingPointer(x: 9, y: 9, kind: .mark), from: "ada") { break }
        }
        // The conversation ends, and with it sharing, for both.
        try await scene.ada.endConversation(scene.id)
        #expect(await shared.end() == .conversationEnded)
        #expect(await watched.end() == .conversationEnded)
        for events in [toAda, toVera] {
            for await event in events {
                if event == .coBrowsingEnded(conversation: scene.id, .conversationEnded) { break }
            }
        }
        #expect(await scene.vera.sharedScreen(in: scene.id) == nil)
        await scene.stop()
    }

    @Test func buttonAndMenu() async throws {
        let scene = try await Scene()
        let witness = ButtonWitness()
        await scene.vera.stop()
        try await scene.vera.setDelegate(witness)
        try await scene.vera.start()
        let shared = try #require(try await scene.vera.startCoBrowsing(in: scene.id) as? SharedScreen)
        await scene.vera.pressCoBrowsingButton(in: scene.id)
        await scene.vera.chooseCoBrowsing(.stop, in: scene.id)
        #expect(await scene.vera.sharedScreen(in: scene.id) != nil, "the application acts on it")
        witness.handler.withLock { $0 = .useInternalHandler }
        for action in [CoBrowsingAction.cancel, .return, .stop] {
            await scene.vera.pressCoBrowsingButton(in: scene.id)
            await scene.vera.chooseCoBrowsing(action, in: scene.id)
        }
        #expect(await shared.end() == .stopped)
        let lines = witness.lines.withLock { $0 }.filter { $0 != "ended" }
        #expect(
            lines == [
                "began", "show coBrowsingStarted", "pressed", "pressed", "pressed", "show coBrowsingButtonPressed",
                "pressed",
            ])
        await scene.stop()
    }

    @Test func whoMayNot() async throws {
        let scene = try await Scene { $0.conversations.coBrowsing.framesPerSecond = 2 }
        try await scene.vera.startCoBrowsing(in: scene.id)
        func code(_ body: () async throws -> Void) async -> ClientError.Code? {
            do { try await body() } catch { return (error as? ClientError)?.code }
            return nil
        }
        let otto = try Self.client("otto", .agent, scene.server.port, Canvas())
        try await otto.start()
        #expect(await code { try await otto.startCoBrowsing(in: scene.id) } == .requestRefused, "not in it")
        try await otto.joinConversation(scene.id)
        #expect(await code { try await otto.startCoBrowsing(in: scene.id) } == .callFailed, "vera shares")
        #expect(await code { _ = try await otto.watchCoBrowsing(in: "nowhere") } == .conversationUnavailable)
        #expect(await code { try await scene.ada.startCoBrowsing(in: scene.id) } == .callFailed, "only watches")
        let shared = try #require(await scene.vera.sharedScreen(in: scene.id))
        await scene.vera.stop()
        #expect(await shared.end() == .stopped, "a stop of the client stops sharing")
        await otto.stop()
        await scene.stop()
    }
}
