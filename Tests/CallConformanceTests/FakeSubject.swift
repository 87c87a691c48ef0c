import CallBridge
import CallConformance
import MediaCore
import ProviderFake

/// The simulated provider: everything can be made to happen, and time costs nothing.
struct FakeSubject: ConformanceSubject {
    let name = "simulated provider"
    let faults = Set(ConformanceFault.Kind.allCases)

    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld {
        FakeConformanceWorld(world: try FakeWorld(seed: seed, token: "let-me-in"))
    }
}

private struct FakeConformanceWorld: ConformanceWorld {
    let world: FakeWorld

    var provider: any CallProvider { FakeProvider(world) }
    var clock: MediaClock { world.clock }

    func descriptor(identity: String, room: String) -> CallDescriptor {
        descriptor(identity: identity, room: room, token: "let-me-in")
    }

    func refusedDescriptor() -> CallDescriptor? { descriptor(identity: "eve", room: "any", token: "wrong") }

    private func descriptor(identity: String, room: String, token: String) -> CallDescriptor {
        CallDescriptor(
            callId: room, conversationId: room, provider: .fake, serviceProviderCallId: room,
            endpoint: "fake:world?identity=\(identity)", credentials: .init(token: token))
    }

    func inject(_ fault: ConformanceFault) async throws {
        switch fault {
        case .networkCut(let identity): await world.setCut(true, identity)
        case .networkRestored(let identity): await world.setCut(false, identity)
        case .removed(let identity, _): await world.removeParticipant(identity)
        case .roomEnded(let room): await world.endRoom(room)
        case .serverStopped: await world.stop()
        case .badNetwork(let loss, let delay): await world.setNetwork(delayMilliseconds: delay, lossPercent: loss)
        }
    }

    func pass(milliseconds: Int) async { await world.pass(milliseconds: milliseconds) }
}
