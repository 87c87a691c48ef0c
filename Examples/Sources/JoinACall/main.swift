import CallBridge
import ProviderLiveKitLike

let configuration = CallBridge.Configuration(
    server: "http://127.0.0.1:7880", credentials: .apiKey("devkey", secret: "a-secret-of-your-own-choosing-32+"),
    providers: [.liveKitLike])
let bridge = CallBridge(configuration: configuration)
let call = try await bridge.join(conversation: "support-42", as: "ada")
try await call.publish(.testTone(440), .testCard(.hd360))
for await event in call.events {
    if case .activeSpeakerChanged(let participant) = event { print(participant?.name ?? "nobody") }
}
