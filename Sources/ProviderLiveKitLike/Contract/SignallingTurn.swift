import CallBridge
import LiveKitProtocol
import Logging
import MediaCore

extension MediaTime? {
    /// The earlier of two deadlines, each of which may be missing.
    func earlier(_ other: MediaTime?) -> MediaTime? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}

/// The turn of one input: its moment, and what it brings about.
struct SignallingTurn {
    let now: MediaTime
    /// Which messages pass; those that have to wait.
    var queue: SignalQueue
    private(set) var outputs: [SignallingOutput] = []

    init(now: MediaTime, queue: SignalQueue) {
        self.now = now
        self.queue = queue
    }

    /// Says something now, or when the connection stands again.
    mutating func send(_ build: (inout Livekit_SignalRequest) -> Void) {
        var request = Livekit_SignalRequest()
        build(&request)
        if queue.admit(request) { outputs.append(.send(request)) }
    }

    /// Says something on the present socket, whatever the queue thinks of it.
    mutating func sendAtOnce(_ request: Livekit_SignalRequest) { outputs.append(.send(request)) }

    /// Everything passes from now on, first of all what has been waiting.
    mutating func openQueue() { outputs += queue.open().map { .send($0) } }

    mutating func media(_ action: MediaAction) { outputs.append(.media(action)) }
    mutating func report(_ event: ProviderEvent) { outputs.append(.report(event)) }
    mutating func report(_ events: [ProviderEvent]) { outputs += events.map { .report($0) } }
    mutating func settle(_ command: CommandID, _ value: CommandValue) {
        outputs.append(.settle(command, .success(value)))
    }
    mutating func fail(_ command: CommandID, _ error: any Error) { outputs.append(.settle(command, .failure(error))) }
    mutating func perform(_ output: SignallingOutput) { outputs.append(output) }

    mutating func log(_ level: Logger.Level, _ text: Logger.Message, reason: String) {
        outputs.append(.log(level, "\(text)", ["reason": "\(reason)"]))
    }
}
