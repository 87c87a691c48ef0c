import RTCWire

/// Bounds of the delay between a frame's arrival and its showing.
package struct RenderDelayBounds: Hashable, Sendable {
    package var minimum = Interval.zero
    package var maximum = Interval.seconds(2)

    package init(minimum: Interval = .zero, maximum: Interval = .seconds(2)) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// With what the sender asks for (playout-delay): both zero ask for each frame to be shown at once.
    func narrowed(by wish: PlayoutDelay?) -> RenderDelayBounds {
        guard let wish, wish.minimum <= wish.maximum else { return self }
        let most = min(maximum, .milliseconds(Int(wish.maximum) * 10))
        return RenderDelayBounds(minimum: min(max(minimum, .milliseconds(Int(wish.minimum) * 10)), most), maximum: most)
    }
}

/// When each frame of a stream is to be shown: as long after the earliest time at which it could have come as jitter,
/// decoding and a display need, so that frames follow each other as evenly as they were captured. A value.
///
/// The delay moves by at most 100 ms a second, so that nobody sees it move; a frame that is late itself moves it at once.
package struct RenderTiming {
    /// What a display needs, and the granularity of timers.
    private static let display = Interval.milliseconds(10)
    /// Change of the delay, as a share of the time that passes.
    private static let pace = 0.1
    /// A frame that could be decoded so long after it was whole waited for another one.
    private static let heldUp = Interval.milliseconds(1)

    private var floor = TransitFloor(clockRate: 90_000)
    private var jitter = VideoJitterEstimator()
    private var repairs = RepairWait()
    private var bounds: RenderDelayBounds
    private var wish: PlayoutDelay?
    /// What decoding takes at most, usually.
    private var decoding = Interval.zero
    private var last: (due: Instant, arrival: Instant)?
    /// Present delay, without what lip sync adds.
    private var delay: Interval?
    /// What lip sync adds.
    package var syncDelay = Interval.zero
    /// The delay aimed at.
    package private(set) var target = Interval.zero

    package init(bounds: RenderDelayBounds = .init()) { self.bounds = bounds }

    /// The delay that the latest frame was given, lip sync included.
    package var currentDelay: Interval { (delay ?? .zero) + syncDelay }

    /// What the sender asks for; it counts until it says otherwise.
    package mutating func note(_ wish: PlayoutDelay) { self.wish = wish }

    /// Decoding a frame has taken so long.
    package mutating func note(decoding duration: Interval) {
        // Rises at once, falls slowly: nearly all frames take less.
        decoding = duration > decoding ? duration : decoding + (duration - decoding) * 0.02
    }

    /// How long before its showing a frame's decoding must begin, so that a display has it in time.
    package var decodingLead: Interval { min(decoding + Self.display, currentDelay) }

    /// Takes in a whole frame.
    ///
    /// - Parameters:
    ///   - arrival: of its last packet.
    ///   - ready: when it could be decoded: what it refers to may have come later.
    ///   - isRepaired: whether a packet of it had been asked for again.
    /// - Returns: when it is to be shown; never before the one of the call before.
    package mutating func due(
        timestamp: UInt32, arrival: Instant, ready: Instant, bytes: Int, isKeyFrame: Bool = false, isRepaired: Bool
    ) -> Instant {
        if !isRepaired {
            jitter.observe(timestamp: timestamp, arrival: arrival, bytes: bytes, isKeyFrame: isKeyFrame)
        }
        let earliest = floor.observe(timestamp: timestamp, arrival: arrival)
        let bounds = bounds.narrowed(by: wish)
        let isHeldUp = isRepaired || ready - arrival > RenderTiming.heldUp
        repairs.note(isHeldUp ? ready - earliest - jitter.estimate : nil)
        let wanted = jitter.estimate + repairs.value + decoding + Self.display
        target = min(max(wanted, bounds.minimum), bounds.maximum)
        if bounds.maximum == .zero { delay = .zero } else { move(late: arrival - earliest, at: arrival) }
        let due = earliest + currentDelay
        defer { last = (max(due, last?.due ?? due), arrival) }
        guard let last else { return due }
        // The sender's clock was set anew: what was due before says nothing.
        if last.due - due > .seconds(1) { self.last = nil }
        return self.last == nil ? due : max(due, last.due)
    }

    private mutating func move(late: Interval, at arrival: Instant) {
        guard let present = delay, let last else { return delay = target }
        let step = max(arrival - last.arrival, .zero) * Self.pace
        if target > present {
            delay = min(target, max(present + step, late))
        } else {
            delay = max(target, present - step)
        }
    }
}
