import CallBridge
import CallServer
import Glibc
import LiveKitProtocol
import Logging
import MediaCore
import ProviderLiveKitLike

/// Joins to the embedded call server over its real signalling, token in hand, one after the other.
struct CallJoin {
    /// Milliseconds of each join, and of CPU for one on either side.
    struct Result {
        var milliseconds: [Double] = []
        var agent = 0.0
        var server = 0.0
    }

    private static let key = "bench"
    private static let secret = "a-secret-for-benchmarks-of-32-characters"

    static func run(joins: Int) async throws -> Result {
        // The threads that Swift's tasks run on must not be taken for the server's.
        await withTaskGroup { group in for _ in 0..<8 { group.addTask { sched_yield() } } }
        var configuration = CallServerConfiguration(keys: [key: secret])
        configuration.port = 0
        configuration.logger = quiet
        let server = CallServer(configuration: configuration)
        let (_, serverClock) = try await ThreadGroupClock.ofThreads { try await server.start() }
        var settings = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor(0, port: server.port)), providers: [.liveKitLike])
        settings.logger = quiet
        let bridge = CallBridge(configuration: settings)
        var result = Result()
        for number in 0..<joins {
            let before = (ThreadGroupClock.processNanoseconds, serverClock.nanoseconds)
            let call = try await bridge.join(descriptor(number, port: server.port))
            result.milliseconds.append(try await connected(call))
            let spent = (ThreadGroupClock.processNanoseconds - before.0, serverClock.nanoseconds - before.1)
            result.server += Double(spent.1) / 1e6 / Double(joins)
            result.agent += Double(spent.0 - spent.1) / 1e6 / Double(joins)
            await call.leave()
        }
        await bridge.shutdown()
        await server.stop()
        return result
    }

    private static var quiet: Logger { Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() } }

    private static func descriptor(_ number: Int, port: Int) -> CallDescriptor {
        let room = "room-\(number)"
        let token = AccessToken.join(room: room, identity: "ada", key: key, secret: secret, now: Int64(time(nil)))
        return CallDescriptor(
            callId: room, conversationId: room, provider: .liveKit, serviceProviderCallId: room,
            endpoint: "ws://127.0.0.1:\(port)", credentials: .init(token: token))
    }

    /// Waits for media; gives the milliseconds since the join began.
    private static func connected(_ call: Call) async throws -> Double {
        for await event in call.events {
            switch event {
            case .mediaConnected, .stateChanged(.active):
                if let milliseconds = await call.connectMilliseconds { return milliseconds }
            case .ended(_, let detail): throw BenchError("the call ended: \(detail)")
            default: break
            }
        }
        throw BenchError("the call ended before media was connected")
    }
}
