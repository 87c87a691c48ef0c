import RTCWire

/// What is done about videos that have no room on a connection, not even in their smallest layers.
enum PausePolicy: Hashable {
    /// They come all the same.
    case never
    case atOnce
    /// The client is warned first.
    case afterWarning
}

/// A video that has been paused for want of bandwidth, goes on, or is about to be paused.
struct TrackPause: Hashable {
    enum Change: Hashable {
        case warned(Bool)
        case paused(Bool)
    }

    var track: String
    var publisher: String
    var change: Change

    var isPaused: Bool { change == .paused(true) }
}

/// Whether one subscriber gets a video: a link that can't carry even the smallest picture is warned of, then the video goes;
/// it comes back when there has been room for it for a while.
struct VideoFallback {
    private enum State {
        case clear
        case warned(at: Instant, lastStarved: Instant)
        /// Since when there is room again.
        case paused(roomSince: Instant?)
    }

    /// From the warning to the end of the video.
    static let patience = Interval.seconds(2)
    /// How long it must go well.
    static let recovery = Interval.seconds(2)

    private var state = State.clear

    var isPaused: Bool {
        if case .paused = state { return true }
        return false
    }

    /// - Parameter isStarved: there is no room for the smallest picture.
    mutating func update(isStarved: Bool, now: Instant) -> [TrackPause.Change] {
        switch state {
        case .clear:
            guard isStarved else { return [] }
            state = .warned(at: now, lastStarved: now)
            return [.warned(true)]
        case .warned(let start, let last):
            if isStarved, now - start >= Self.patience {
                state = .paused(roomSince: nil)
                return [.paused(true)]
            }
            guard !isStarved, now - last >= Self.recovery else {
                state = .warned(at: start, lastStarved: isStarved ? now : last)
                return []
            }
            state = .clear
            return [.warned(false)]
        case .paused(let since):
            guard !isStarved else {
                state = .paused(roomSince: nil)
                return []
            }
            guard let since else {
                state = .paused(roomSince: now)
                return []
            }
            guard now - since >= Self.recovery else { return [] }
            state = .clear
            return [.warned(false), .paused(false)]
        }
    }
}
