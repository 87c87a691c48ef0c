import MediaCore
import Synchronization

/// Sound devices that are lost while a call goes on: said at once on standard error, and once more in the report.
final class DeviceWatch: Sendable {
    private let lost = Mutex<[String]>([])

    /// What was lost, one sentence each.
    var failures: [String] { lost.withLock { $0 } }

    /// A device no longer works; the call goes on without it. What is said twice is noted once.
    func note(_ error: MediaError) {
        let isNew = lost.withLock { lost in
            if lost.contains("\(error)") { return false }
            lost.append("\(error)")
            return true
        }
        if isNew { StandardError.line("callagent: \(error); the call goes on without it") }
    }
}
