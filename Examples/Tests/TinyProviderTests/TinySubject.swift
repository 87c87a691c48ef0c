import CallBridge
import CallConformance
import TinyProvider

/// How the conformance suite gets a fresh exchange, and makes things happen there.
struct TinySubject: ConformanceSubject {
    let name = "tiny"
    let faults: Set<ConformanceFault.Kind> = [.removed, .roomEnded, .serverStopped]

    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld { TinyWorld() }
}

private struct TinyWorld: ConformanceWorld {
    let exchange = TinyExchange(token: "let-me-in")

    var provider: any CallProvider { TinyProvider(exchange) }

    func descriptor(identity: String, room: String) -> CallDescriptor {
        CallDescriptor(
            callId: room, conversationId: room, provider: .tiny, serviceProviderCallId: room,
            endpoint: "tiny:\(identity)", credentials: .init(token: "let-me-in"))
    }

    func refusedDescriptor() -> CallDescriptor? {
        var descriptor = descriptor(identity: "eve", room: "any")
        descriptor.credentials.token = "something else"
        return descriptor
    }

    func configure(_ configuration: inout CallBridge.Configuration, for identity: String) {
        configuration.media.bindAddress = "127.0.0.1"
    }

    func inject(_ fault: ConformanceFault) async throws {
        switch fault {
        case .removed(let identity, let room): await exchange.remove(identity, from: room)
        case .roomEnded(let room): await exchange.end(room: room)
        case .serverStopped: await exchange.stop()
        default: throw ConformanceFailure("the tiny provider can't do that")
        }
    }
}
