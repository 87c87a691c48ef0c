import CallBridge
import MediaCore

/// Whoever waits for the answer to a command.
struct PendingCommands {
    private var waiting: [CommandID: CheckedContinuation<CommandValue, any Error>] = [:]
    private var last: CommandID = 0

    mutating func add(_ continuation: CheckedContinuation<CommandValue, any Error>) -> CommandID {
        last += 1
        waiting[last] = continuation
        return last
    }

    mutating func settle(_ command: CommandID, _ result: Result<CommandValue, any Error>) {
        waiting.removeValue(forKey: command)?.resume(with: result)
    }
}

/// The media connections that full reconnects have replaced.
struct ReplacedConnections {
    /// What they have counted.
    private(set) var counted = SessionStatistics()
    private var closing: Task<Void, Never>?

    /// - Parameter counted: by them and all before them.
    mutating func add(_ connections: MediaConnections, counted: SessionStatistics) {
        self.counted = counted
        closing = Task { [closing] in
            await connections.close()
            await closing?.value
        }
    }

    /// Waits until they are closed.
    func close() async { await closing?.value }
}
