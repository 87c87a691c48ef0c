import CallBridge
import CallServer
import Glibc

/// Joins to the embedded call server over its real signalling, token in hand, one after the other.
struct CallJoin {
    /// Milliseconds of each join, and of CPU for one on either side.
    struct Result {
        var milliseconds: [Double] = []
        var agent = 0.0
        var server = 0.0
    }

    static func run(joins: Int) async throws -> Result {
        // The threads that Swift's tasks run on must not be taken for the server's.
        await withTaskGroup { group in for _ in 0..<8 { group.addTask { sched_yield() } } }
        let ((server, local), serverClock) = try await ThreadGroupClock.ofThreads { try await LocalServer.start() }
        let bridge = local.bridge()
        var result = Result()
        for number in 0..<joins {
            let before = (ThreadGroupClock.processNanoseconds, serverClock.nanoseconds)
            let call = try await bridge.join(local.descriptor(room: "room-\(number)"))
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
