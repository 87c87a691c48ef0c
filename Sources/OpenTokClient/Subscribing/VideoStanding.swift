/// Whether the router sends a subscriber's video. An application sees a warning before video is disabled, and only what
/// was disabled by itself is enabled by itself.
package struct VideoStanding: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case normal, warned, disabled
    }

    private var state = State.normal

    package init() {}

    package var isDisabled: Bool { state == .disabled }

    /// The router warns, or takes the warning back.
    package mutating func warn(_ isWarning: Bool) -> [VideoChange] {
        switch (state, isWarning) {
        case (.normal, true):
            state = .warned
            return [.disableWarning]
        case (.warned, false):
            state = .normal
            return [.disableWarningLifted]
        default: return []
        }
    }

    /// The router drops the video, or sends it again.
    package mutating func setActive(_ isActive: Bool) -> [VideoChange] {
        switch (state, isActive) {
        case (.normal, false):
            state = .disabled
            return [.disableWarning, .disabled]
        case (.warned, false):
            state = .disabled
            return [.disabled]
        case (.disabled, true):
            state = .normal
            return [.enabled]
        default: return []
        }
    }
}
