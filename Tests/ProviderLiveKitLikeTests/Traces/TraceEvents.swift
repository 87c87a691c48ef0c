import CallBridge
import Synchronization

/// Counts what a call tells.
final class TraceEvents: Sendable {
    private let state = Mutex<(counts: [String: Int], isAttached: Bool)>(([:], false))
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    init() { (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    var counts: [String: Int] { state.withLock { $0.counts } }
    var isAttached: Bool { state.withLock { $0.isAttached } }

    func attach(_ call: Call) async {
        state.withLock { $0.isAttached = true }
        await call.observe { event in
            let name = Mirror(reflecting: event).children.first?.label ?? "\(event)"
            self.state.withLock { $0.counts[name, default: 0] += 1 }
            self.changed.yield()
        }
    }

    /// Waits until that much has been told, or the test's time is over.
    func reach(_ wanted: [String: Int]) async {
        let isReached = { wanted.allSatisfy { self.counts[$0] ?? 0 >= $1 } }
        if isReached() { return }
        for await _ in changes where isReached() { return }
    }
}
