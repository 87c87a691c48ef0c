import Synchronization

/// A switchboard at work: devices attach to it, say something, and hear; it has a clock and a timer.
public final class RingHub: Sendable {
    private struct Listener {
        var number: Int
        var continuation: AsyncStream<RingSignal>.Continuation
        /// Signals that it was sent.
        var sent = 0
    }

    /// What is to be told.
    private enum Delivery {
        /// To a listener; nil ends its stream.
        case listener(AsyncStream<RingSignal>.Continuation, RingSignal?)
        /// To a device that does not listen.
        case sleeper(RingSignal, RingDevice)
    }

    private struct State {
        var switchboard: RingSwitchboard
        var listeners: [RingDevice: Listener] = [:]
        /// In the order in which it came about. Delivered without the lock: a stream's reader that is cancelled in that moment
        /// holds a lock of its own and waits for this one, in `detach`.
        var deliveries: [Delivery] = []
        var isDelivering = false
        var attachments = 0
        var timer: (deadline: CallTime, task: Task<Void, Never>)?
        var isClosed = false
    }

    /// Signals that a device has not taken yet; a device that takes none loses the oldest.
    private static let backlog = 256

    private let state: Mutex<State>
    private let sleeper = Mutex<(@Sendable (RingSignal, RingDevice) -> Void)?>(nil)
    private let journal: CallJournal
    private let clock: @Sendable () -> CallTime
    private let waits: Bool

    /// - Parameters:
    ///   - clock: what time it is.
    ///   - waits: whether a timer in real time does what is due; false where the clock's owner moves time and says so.
    public init(
        settings: RingSwitchboard.Settings = .init(), journal: CallJournal, waits: Bool = true,
        clock: @escaping @Sendable () -> CallTime = { .now }
    ) {
        state = Mutex(State(switchboard: RingSwitchboard(settings: settings)))
        self.journal = journal
        self.waits = waits
        self.clock = clock
    }

    /// Devices that are not attached and can be woken ring, too, and what they would hear goes to `tell`: an offer that wakes them,
    /// after which they attach and are told it themselves.
    ///
    /// - Parameters:
    ///   - devices: a person's devices that can be woken; asked while others wait, so that it must not take long.
    ///   - tell: called in order, without a lock of the hub's.
    package func wake(
        _ devices: @escaping @Sendable (String) -> [String], tell: @escaping @Sendable (RingSignal, RingDevice) -> Void
    ) {
        sleeper.withLock { $0 = tell }
        state.withLock { $0.switchboard.sleeping = devices }
    }

    /// What a device hears from now on. Attaching anew ends the stream before. Throws `RingRefusal`.
    public func attach(_ device: RingDevice) throws(RingRefusal) -> AsyncStream<RingSignal> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RingSignal.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let number = try run { (state, now, actions) throws(RingRefusal) in
            try state.switchboard.arrived(device, at: now, into: &actions)
            state.attachments += 1
            if let before = state.listeners[device] {
                state.deliveries.append(.listener(before.continuation, nil))
            }
            state.listeners[device] = Listener(number: state.attachments, continuation: continuation)
            return state.attachments
        }
        continuation.onTermination = { [weak self] _ in self?.detach(device, number) }
        return stream
    }

    private func detach(_ device: RingDevice, _ number: Int) {
        state.withLock { state in
            guard state.listeners[device]?.number == number else { return }
            state.listeners[device] = nil
            state.switchboard.gone(device)
        }
    }

    /// Whether a device hears what is said to it, and is not one that has to be woken.
    package func isAttached(_ device: RingDevice) -> Bool { state.withLock { $0.listeners[device] != nil } }

    /// Something that a device says. Returns the id of the call that it was about. Throws `RingRefusal`.
    @discardableResult
    public func send(_ command: RingCommand, from device: RingDevice) throws(RingRefusal) -> String {
        try run { (state, now, actions) throws(RingRefusal) in
            try state.switchboard.receive(command, from: device, at: now, newID: Self.newID, into: &actions)
        }
    }

    /// Something that happens to a call and does not come from a device.
    public func event(
        _ call: String, _ event: (inout RingExchange, CallTime, inout [RingExchange.Action]) -> Void
    ) {
        run { state, now, actions in state.switchboard.event(call, &actions) { event(&$0, now, &$1) } }
    }

    /// The call of a conversation that has not ended.
    public func call(ofConversation conversation: String) -> String? {
        state.withLock { $0.switchboard.call(ofConversation: conversation) }
    }

    /// The record of a call that has not ended.
    public func record(_ call: String) -> CallRecord? { state.withLock { $0.switchboard[call]?.record } }

    /// Ends all calls, and all devices' streams.
    public func close() {
        run { state, now, actions in
            for id in state.switchboard.callIds {
                state.switchboard.event(id, &actions) {
                    $0.end(.systemShutdown, others: .systemAbort, at: now, into: &$1)
                }
            }
        }
        state.withLock { state in
            state.isClosed = true
            state.timer?.task.cancel()
            state.deliveries += state.listeners.values.map { .listener($0.continuation, nil) }
            state.listeners = [:]
        }
        deliver()
    }

    // MARK: Inside

    private func run<Result, Failure>(
        _ body: (inout State, CallTime, inout [RingExchange.Action]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = try state.withLock { (state) throws(Failure) in
            var actions: [RingExchange.Action] = []
            let result = try body(&state, clock(), &actions)
            perform(actions, &state)
            schedule(&state)
            return result
        }
        deliver()
        return result
    }

    /// Tells the listeners. One thread does at a time, so that what comes later is told later.
    private func deliver() {
        var isFirst = true
        while true {
            let next: [Delivery] = state.withLock { state in
                guard !(isFirst && state.isDelivering) else { return [] }
                state.isDelivering = !state.deliveries.isEmpty
                defer { state.deliveries = [] }
                return state.deliveries
            }
            guard !next.isEmpty else { return }
            isFirst = false
            for delivery in next {
                switch delivery {
                case .listener(let continuation, let signal?): continuation.yield(signal)
                case .listener(let continuation, nil): continuation.finish()
                case .sleeper(let signal, let device): sleeper.withLock { $0 }?(signal, device)
                }
            }
        }
    }

    private func perform(_ actions: [RingExchange.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .signal(let signal, let device):
                guard let listener = state.listeners[device] else {
                    state.deliveries.append(.sleeper(signal, device))
                    continue
                }
                state.deliveries.append(.listener(listener.continuation, signal))
                state.listeners[device]?.sent += 1
            case .journal(let event): journal.write(event)
            }
        }
    }

    private func schedule(_ state: inout State) {
        let deadline = state.switchboard.nextDeadline
        guard state.timer?.deadline != deadline else { return }
        state.timer?.task.cancel()
        state.timer = nil
        guard waits, let deadline, !state.isClosed else { return }
        let wait = max(1, deadline.milliseconds(since: clock()))
        let task = Task { [weak self] in
            guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
            self?.tick(deadline)
        }
        state.timer = (deadline, task)
    }

    /// How many signals a device was sent since it attached.
    package func signalsSent(to device: RingDevice) -> Int { state.withLock { $0.listeners[device]?.sent ?? 0 } }

    /// The clock has been moved: what is due is done.
    package func advance() { run { state, now, actions in state.switchboard.advance(to: now, into: &actions) } }

    private func tick(_ deadline: CallTime) {
        run { state, now, actions in
            if state.timer?.deadline == deadline { state.timer = nil }
            state.switchboard.advance(to: max(now, deadline), into: &actions)
        }
    }

    private static func newID() -> String {
        "call-" + String((0..<16).map { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement() ?? "0" })
    }
}

/// A device's line to an exchange in the same process.
public struct InProcessRing: RingTransport {
    /// The device that it speaks for.
    public let device: RingDevice
    private let hub: RingHub

    /// A line from `device`.
    public init(_ device: RingDevice, hub: RingHub) {
        self.device = device
        self.hub = hub
    }

    /// What the exchange says to the device.
    public func signals() async throws -> AsyncStream<RingSignal> { try hub.attach(device) }
    /// Says something to the exchange.
    public func send(_ command: RingCommand) async throws -> String { try hub.send(command, from: device) }
    /// Nothing to close: the stream ends when its reader does.
    public func close() async {}
}
