import AccessPolicy
import ClientCore
import CoBrowsing
import CoBrowsingModel
import ConversationModel
import Foundation
import LiveKitProtocol
import Synchronization

/// A conversation of a visitor and an agent, of which messages and a shared screen are counted.
struct BudgetConversation: Sendable {
    /// What was counted.
    struct Cost: Sendable, Hashable {
        /// Of a message at its author's, both directions, without its text.
        var overheadBytes = 0.0
        /// Of a shared screen: frames that were sent, their bytes, and the bytes of one tile of them.
        var framesPerSecond = 0.0
        var sharedPerSecond = 0.0
        var bytesPerTile = 0.0
    }

    var key: String
    var secret: String
    /// Seconds of a shared screen that are counted, and those before: a session may spend at once what it has saved.
    var seconds = 4.0
    var settling = 4.0

    private static let messages = 20
    private static let text = String(repeating: "words ", count: 16)
    private static let patience = StoryPatience(seconds: 20)

    private func client(_ role: PersonRole, _ server: String, _ sharing: ScreenCoBrowsing) throws -> CallClient {
        var claims = TokenClaims(
            issuer: key, subject: role.rawValue, expires: Int64(Date().timeIntervalSince1970) + 3_600)
        claims.attributes = ["role": role.rawValue.lowercased()]
        var environment = ClientEnvironment(
            tokens: StaticTokenSource(ClientToken(AccessToken.mint(claims, secret: secret))),
            links: FixedLinkHandler(.block))
        try environment.modules.register(sharing)
        let configuration = ClientConfiguration(serverURL: server, apiKey: key)
        return try role == .visitor ? .visitor(configuration, environment) : .agent(configuration, environment)
    }

    /// Both talk, and the visitor shares a screen. Throws `ClientError`, and `StoryFailure` for what somebody has not seen.
    ///
    /// - Parameters:
    ///   - server: the agent's way to it, `http://`.
    ///   - relay: the visitor's.
    func measure(server: String, relay: CountingRelay) async throws -> Cost {
        guard let screen = BudgetScreen() else { throw StoryFailure(.visitor, "no screen of that size is possible") }
        let visitor = try client(
            .visitor, "http://127.0.0.1:\(relay.port)", ScreenCoBrowsing(.init { _ in screen }))
        let agent = try client(.agent, server, ScreenCoBrowsing(.init()))
        let (heard, stream) = (EventHistory<ClientEvent>(), agent.events)
        let listening = Task { for await event in stream { heard.note(event) } }
        defer { listening.cancel() }
        do {
            try await agent.start()
            try await agent.setAvailable(true)
            try await visitor.start()
            let conversation = try await visitor.beginConversation(.chat, data: [:]).id
            _ = try await Self.patience.wait(.agent, "the conversation is in the queue") {
                await heard.first { event -> Bool? in
                    guard case .conversation(.updated(let info)) = event else { return nil }
                    return info.conversation.id == conversation ? true : nil
                }
            }
            try await agent.joinConversation(conversation)
            var cost = Cost()
            cost.overheadBytes = try await talk(visitor, in: conversation, heard, relay)
            try await share(visitor, agent, in: conversation, &cost)
            await visitor.stop()
            await agent.stop()
            return cost
        } catch {
            await visitor.stop()
            await agent.stop()
            throw error
        }
    }

    /// Bytes of a message beside its text.
    private func talk(
        _ visitor: CallClient, in conversation: String, _ heard: EventHistory<ClientEvent>, _ relay: CountingRelay
    ) async throws -> Double {
        let before = relay.counts
        for _ in 0..<Self.messages {
            let message = try await visitor.write(Self.text, in: conversation)
            _ = try await Self.patience.wait(.agent, "the message has come") {
                await heard.first { event -> Bool? in
                    guard case .conversation(.message(let found)) = event else { return nil }
                    return found.clientId == message.id ? true : nil
                }
            }
        }
        let after = relay.counts
        let all = Double(after.up - before.up + after.down - before.down)
        return all / Double(Self.messages) - Double(Self.text.utf8.count)
    }

    private func share(
        _ visitor: CallClient, _ agent: CallClient, in conversation: String, _ cost: inout Cost
    ) async throws {
        let shared = try await Self.patience.wait(.visitor, "the screen is shared") {
            try await visitor.startCoBrowsing(in: conversation) as? SharedScreen
        }
        let watched = try await Self.patience.wait(.agent, "the screen is watched") {
            try await agent.watchCoBrowsing(in: conversation) as? WatchedScreen
        }
        try await Self.patience.poll(.agent, "a picture has come") { await watched.picture != nil }
        try await Task.sleep(for: .seconds(settling))
        let (first, begun) = (await shared.statistics, ContinuousClock.now)
        try await Task.sleep(for: .seconds(seconds))
        let (last, took) = (await shared.statistics, (ContinuousClock.now - begun) / .seconds(1))
        await shared.stop(.stopped)
        await watched.stop()
        let (tiles, bytes) = (last.tiles - first.tiles, Double(last.bytes - first.bytes))
        cost.framesPerSecond = Double(last.frames - first.frames) / took
        cost.sharedPerSecond = bytes / took
        cost.bytesPerTile = tiles > 0 ? bytes / Double(tiles) : 0
    }
}

/// A page of words that moves on whenever it is looked at.
private final class BudgetScreen: FrameSource {
    let reportsViews = true
    private let size: FrameSize
    private let looks = Atomic(0)

    /// Nil for a machine on which no frame is possible.
    init?() {
        guard let size = FrameSize(width: 360, height: 640) else { return nil }
        self.size = size
    }

    func capture() async throws -> ScreenFrame? {
        let look = looks.add(1, ordering: .relaxed).oldValue
        var frame = ScreenFrame(size: size, red: 250, green: 250, blue: 250)
        for line in 0..<26 {
            var x = 16
            // Words of 2 to 9 letters, whose lengths follow from their places.
            for word in 0..<12 {
                let letters = 2 + ((line + look) &* 7 &+ word &* 5) % 8
                for letter in 0..<letters where x + 6 < 344 {
                    let height = 6 + (letter &* 3 &+ word) % 5
                    frame.fill(
                        PixelRect(x: x, y: 18 + line * 24 - height, width: 3, height: height), red: 40, green: 40,
                        blue: 60)
                    x += 5
                }
                x += 8
            }
        }
        return frame
    }

    func close() async {}
}
