import RTCWire

/// Something that a `DatagramLoop` does at a time.
// Every member is touched on its loop only.
final class LoopTimer: DeadlineEntry, @unchecked Sendable {
    var heapPosition = -1
    private var action: (() -> Void)?
    private var abandonment: (() -> Void)?
    private let isReusable: Bool

    /// A timer that may be set again and again.
    init(action: @escaping () -> Void) {
        self.action = action
        isReusable = true
    }

    /// A timer that acts once.
    ///
    /// - Parameter abandoned: called in place of `action` where the loop ends first.
    init(once action: @escaping () -> Void, abandoned: @escaping () -> Void) {
        self.action = action
        abandonment = abandoned
        isReusable = false
    }

    func fire() {
        let due = action
        if !isReusable { drop() }
        due?()
    }

    /// The loop ends.
    func abandon() {
        abandonment?()
        drop()
    }

    /// Lets go of what the timer would have done.
    func drop() {
        action = nil
        abandonment = nil
    }
}
