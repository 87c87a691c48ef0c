import CallBridge
import CallServer
import Foundation
import MediaCore
import OpenTokSignalling
import Testing

@testable import ProviderOpenTokLike

/// The message transport over real sockets, one of which is lost for five seconds.
@Suite(.timeLimit(.minutes(10))) struct SocketLossTests {
    private static let secret = "a-secret-of-thirty-two-characters"

    /// What somebody was told up to the text "end".
    private struct Heard {
        var texts: [String] = []
        var states: [CallState] = []
    }

    private func join(
        _ identity: String, _ session: OpenTokSessionID, port: Int
    ) async throws -> (bridge: CallBridge, call: Call) {
        let token = try OpenTokToken(
            project: "12345", sessionID: session.text, created: Int64(Date().timeIntervalSince1970),
            connectionData: identity
        ).signed(secret: Self.secret)
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "c", provider: .openTok, serviceProviderCallId: session.text,
            endpoint: "http://127.0.0.1:\(port)", credentials: .init(token: token))
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.openTokLike])
        configuration.logger.logLevel = .error
        let bridge = CallBridge(configuration: configuration)
        return (bridge, try await bridge.join(conversation: "c", as: identity))
    }

    private func listen(_ events: AsyncStream<CallEvent>) -> Task<Heard, Never> {
        Task {
            var heard = Heard()
            for await event in events {
                switch event {
                case .dataReceived(let message, _) where message.text == "end": return heard
                case .dataReceived(let message, _): heard.texts.append(message.text ?? "?")
                case .stateChanged(let state): heard.states.append(state)
                default: break
                }
            }
            return heard
        }
    }

    private func untilBothAreThere(_ call: Call) async {
        for await event in call.events {
            if case .participantJoined = event { return }
        }
    }

    @Test(arguments: MediaMode.allCases) func signalsOutliveTheSocket(_ mode: MediaMode) async throws {
        var configuration = CallServerConfiguration(keys: ["12345": Self.secret])
        configuration.port = 0
        configuration.logger.logLevel = .error
        let server = CallServer(configuration: configuration)
        try await server.start()
        let proxy = try await LossyProxy(to: server.port)
        let session = OpenTokSessionID(project: "12345", mediaMode: mode, createdAt: 0)
        let ada = try await join("ada", session, port: server.port)
        let bob = try await join("bob", session, port: proxy.port)
        await untilBothAreThere(ada.call)
        await untilBothAreThere(bob.call)
        let (toAda, toBob) = (listen(ada.call.events), listen(bob.call.events))

        let texts = (0..<20).map { "signal \($0)" }
        try await bob.call.send(data: Array("before".utf8))
        proxy.lose()
        let ofBob = Task {
            try await withThrowingTaskGroup { group in
                for text in texts { group.addTask { try await bob.call.send(data: Array(text.utf8)) } }
                try await group.waitForAll()
            }
        }
        for text in texts { try await ada.call.send(data: Array(text.utf8)) }
        // Half a second lies between two attempts to come back.
        await proxy.untilRefused(10)
        proxy.restore()
        try await ofBob.value
        try await bob.call.send(data: Array("end".utf8))
        try await ada.call.send(data: Array("end".utf8))
        let (heardByAda, heardByBob) = (await toAda.value, await toBob.value)
        #expect(heardByBob.texts == texts, "in order")
        #expect(heardByAda.texts.sorted() == (texts + ["before"]).sorted())
        #expect(heardByBob.states.filter { $0 == .reconnecting }.count == 1, "\(heardByBob.states)")
        #expect(!heardByAda.states.contains(.reconnecting) && !heardByAda.states.contains(.ended))

        await ada.bridge.shutdown()
        await bob.bridge.shutdown()
        await proxy.close()
        await server.stop()
    }
}
