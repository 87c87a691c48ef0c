import CallBridge
import ProviderLiveKitLike

/// The lines that README shows, compiled, so that they stay true.
enum JoinExample {
    static func run() async throws {
        let bridge = CallBridge(
            configuration: .init(
                server: "http://127.0.0.1:7880",
                credentials: .apiKey("devkey", secret: "a-secret-of-your-own-choosing-32+"),
                providers: [.liveKitLike]))
        let call = try await bridge.join(conversation: "support-42", as: "ada")
        try await call.publish(.testTone(440), .testCard(.hd360))
        for await event in call.events {
            if case .activeSpeakerChanged(let participant) = event { print(participant?.name ?? "nobody") }
        }
    }
}
