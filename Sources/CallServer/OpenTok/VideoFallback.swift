import OpenTokSignalling
import RTCWire

/// Whether one subscriber gets the video of a stream: a link that can't carry even the smallest picture is warned of, then
/// the video goes; it comes back when there has been room for it for a while.
struct VideoFallback {
    private enum State {
        case clear
        case warned(at: Instant, lastStarved: Instant)
        /// Since when there is room again.
        case disabled(roomSince: Instant?)
    }

    /// From the warning to the end of the video.
    static let patience = Interval.seconds(2)
    /// How long it must go well.
    static let recovery = Interval.seconds(2)

    private var state = State.clear

    var isDisabled: Bool {
        if case .disabled = state { return true }
        return false
    }

    /// - Parameter isStarved: there is no room for the smallest picture.
    mutating func update(isStarved: Bool, now: Instant) -> [VideoFallbackChange] {
        switch state {
        case .clear:
            guard isStarved else { return [] }
            state = .warned(at: now, lastStarved: now)
            return [.warned(true)]
        case .warned(let start, let last):
            if isStarved, now - start >= Self.patience {
                state = .disabled(roomSince: nil)
                return [.disabled(true)]
            }
            guard !isStarved, now - last >= Self.recovery else {
                state = .warned(at: start, lastStarved: isStarved ? now : last)
                return []
            }
            state = .clear
            return [.warned(false)]
        case .disabled(let since):
            guard !isStarved else {
                state = .disabled(roomSince: nil)
                return []
            }
            guard let since else {
                state = .disabled(roomSince: now)
                return []
            }
            guard now - since >= Self.recovery else { return [] }
            state = .clear
            return [.warned(false), .disabled(false)]
        }
    }
}
