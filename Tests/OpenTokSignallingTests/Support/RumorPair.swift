import RTCWire

@testable import OpenTokSignalling

/// Two ends of a channel in virtual time, with sockets that come and go.
struct RumorPair {
    private enum Delivery {
        case opened
        case failed
        case frame([UInt8], toServer: Bool)
        case closed(code: Int, toServer: Bool)
    }

    private struct Event {
        var at: Instant
        var socket: Int
        var delivery: Delivery
    }

    let latency = Interval.milliseconds(20)
    private(set) var now = Instant.zero
    private(set) var client: RumorChannel
    private(set) var server: RumorChannel?
    private let timing: RumorChannel.Timing
    private var queue: [Event] = []
    /// The latest socket; what belongs to an older one is lost.
    private var socket = 0
    /// Without it, all that travels is lost, and no socket opens. A stream with a gap never brings anything again.
    var isUp = true {
        didSet { if !isUp { deadSocket = socket } }
    }
    private var deadSocket = -1
    /// A lost network says so at once to those who open sockets.
    var refuses = false
    private(set) var clientEvents: [(at: Instant, event: RumorChannel.Event)] = []
    private(set) var serverEvents: [(at: Instant, event: RumorChannel.Event)] = []
    private(set) var attempts: [Instant] = []
    /// What a server answers messages with; nil leaves them alone.
    var answering: ((RumorFrame) -> (status: Int, payload: [UInt8]))?

    init(timing: RumorChannel.Timing = .init(), greeting: [RumorFrame] = [.subscribe("t")]) {
        self.timing = timing
        client = RumorChannel(client: greeting, timing: timing)
        var actions: [RumorChannel.Action] = []
        client.start(now, into: &actions)
        perform(actions, onServer: false)
    }

    // MARK: What tests do

    mutating func sendFromClient(_ frame: RumorFrame) throws { try change { try $0.send(frame, into: &$1) } }

    mutating func sendFromServer(_ frame: RumorFrame) throws {
        var actions: [RumorChannel.Action] = []
        try server?.send(frame, into: &actions)
        perform(actions, onServer: true)
    }

    mutating func answerFromServer(_ transaction: String, _ status: Int) {
        var actions: [RumorChannel.Action] = []
        server?.answer(transaction, status: status, into: &actions)
        perform(actions, onServer: true)
    }

    mutating func closeClient() { change { $0.close(into: &$1) } }

    /// A socket breaks, and both sides notice.
    mutating func breakSocket(code: Int = 1006) {
        let current = socket
        queue.append(Event(at: now, socket: current, delivery: .closed(code: code, toServer: false)))
        queue.append(Event(at: now, socket: current, delivery: .closed(code: code, toServer: true)))
    }

    mutating func receiveOnServer(_ frame: RumorFrame) {
        var actions: [RumorChannel.Action] = []
        server?.receive(frame, now, into: &actions)
        perform(actions, onServer: true)
    }

    mutating func run(_ interval: Interval) {
        let end = now + interval
        while let next = nextTime, next <= end {
            now = max(now, next)
            deliver()
            change { [now] in $0.advance(to: now, into: &$1) }
            changeServer { [now] in $0.advance(to: now, into: &$1) }
        }
        now = end
    }

    // MARK: The network

    private var nextTime: Instant? {
        let deadlines = [client.nextDeadline?.at, server?.nextDeadline?.at, queue.map(\.at).min()]
        return deadlines.compactMap { $0 }.min()
    }

    private mutating func deliver() {
        let due = queue.enumerated().filter { $0.element.at <= now }.sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }
        queue.removeAll { $0.at <= now }
        for event in due.map(\.element) where event.socket == socket && socket != deadSocket { deliver(event.delivery) }
    }

    private mutating func deliver(_ delivery: Delivery) {
        switch delivery {
        case .opened:
            if server == nil {
                server = RumorChannel(serverAt: now, timing: timing)
            } else {
                changeServer { [now] in $0.opened(now, into: &$1) }
            }
            change { [now] in $0.opened(now, into: &$1) }
        case .failed: change { [now] in $0.closed(code: 1006, now, into: &$1) }
        case .closed(let code, true): changeServer { [now] in $0.closed(code: code, now, into: &$1) }
        case .closed(let code, false): change { [now] in $0.closed(code: code, now, into: &$1) }
        case .frame(let bytes, let toServer):
            guard let frame = try? RumorFrame(message: bytes) else { return }
            if toServer {
                changeServer { [now] in $0.receive(frame, now, into: &$1) }
            } else {
                change { [now] in $0.receive(frame, now, into: &$1) }
            }
        }
    }

    private mutating func change(_ body: (inout RumorChannel, inout [RumorChannel.Action]) throws -> Void) rethrows {
        var actions: [RumorChannel.Action] = []
        try body(&client, &actions)
        perform(actions, onServer: false)
    }

    private mutating func changeServer(_ body: (inout RumorChannel, inout [RumorChannel.Action]) -> Void) {
        guard server != nil else { return }
        var actions: [RumorChannel.Action] = []
        body(&server!, &actions)
        perform(actions, onServer: true)
    }

    private mutating func perform(_ actions: [RumorChannel.Action], onServer: Bool) {
        for action in actions {
            switch action {
            case .open(let attempt):
                socket += 1
                if !isUp, !refuses { deadSocket = socket }
                if attempt > 0 { attempts.append(now) }
                if isUp || refuses { enqueue(isUp ? .opened : .failed) }
            case .send(let frame):
                guard isUp, let bytes = try? frame.encoded() else { continue }
                enqueue(.frame(bytes, toServer: !onServer))
            case .close(let code): if isUp { enqueue(.closed(code: code, toServer: !onServer)) }
            case .report(let event): report(event, onServer: onServer)
            }
        }
    }

    private mutating func enqueue(_ delivery: Delivery) {
        queue.append(Event(at: now + latency, socket: socket, delivery: delivery))
    }

    private mutating func report(_ event: RumorChannel.Event, onServer: Bool) {
        guard onServer else { return clientEvents.append((now, event)) }
        serverEvents.append((now, event))
        guard case .received(let frame) = event, let transaction = frame.transaction, let answering else { return }
        let (status, payload) = answering(frame)
        changeServer { $0.answer(transaction, status: status, payload: payload, into: &$1) }
    }
}
