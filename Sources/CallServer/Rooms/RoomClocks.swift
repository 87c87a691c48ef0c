import NIOCore
import RTCWire
import RoomModel

/// What a room does by the clock.
struct RoomClocks {
    /// The machine's.
    var deadline = DeadlineTimer()
    var closing: Scheduled<Void>?
    /// Somebody has been there: the room stays open for another time from then on.
    var hadMembers = false
    private var rhythms: [RepeatedTask] = []

    mutating func begin(on eventLoop: any EventLoop, every interval: Interval, _ body: @escaping @Sendable () -> Void) {
        let time = TimeAmount.nanoseconds(interval.nanoseconds)
        rhythms.append(eventLoop.scheduleRepeatedTask(initialDelay: time, delay: time) { _ in body() })
    }

    mutating func cancel() {
        for task in rhythms { task.cancel() }
        closing?.cancel()
        deadline.cancel()
    }
}

/// Events that nobody has been told of yet.
struct UndeliveredEvents {
    var events: [RoomEvent] = []
    private var position = 0
    private var isDelivering = false

    /// The next one to be told of; nil where there is none, or one is being told of.
    mutating func next() -> RoomEvent? {
        guard !isDelivering else { return nil }
        guard position < events.count else {
            events = []
            position = 0
            return nil
        }
        defer { position += 1 }
        isDelivering = true
        return events[position]
    }

    mutating func done() { isDelivering = false }
}
