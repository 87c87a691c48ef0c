import CallBridge
import ProviderFake
import Testing

@testable import callagent

@Suite(.timeLimit(.minutes(10))) struct RingStayTests {
    private static func join(_ identity: String, _ world: FakeWorld) async throws -> (CallBridge, Call) {
        let descriptor = CallDescriptor(
            callId: "r", conversationId: "r", provider: .fake, serviceProviderCallId: "r",
            endpoint: "fake:world?identity=\(identity)", credentials: .init(token: ""))
        let bridge = CallBridge(
            configuration: .init(
                descriptors: FixedDescriptorSource(descriptor), providers: [ProviderRegistration(FakeProvider(world))]))
        return (bridge, try await bridge.join(conversation: "r", as: identity))
    }

    /// Who rings may hang up in the moment in which the other one is connected, before that one's stay begins.
    @Test func whoLeftBeforeTheStayBeganHasLeft() async throws {
        let world = try FakeWorld(pace: .realTime)
        let (hers, ada) = try await Self.join("ada", world)
        let (his, bob) = try await Self.join("bob", world)
        let stay = RingStay(bob)
        for await event in bob.events {
            if case .participantJoined = event { await ada.leave() }
            if case .participantLeft = event { break }
        }
        await stay.stay(seconds: 600)
        #expect(await stay.ended == "OTHERS_LEFT")
        #expect(await stay.met == ["ada"])
        await bob.leave()
        for bridge in [hers, his] { await bridge.shutdown() }
        await world.close()
    }
}
