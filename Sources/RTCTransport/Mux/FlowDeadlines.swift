import RTCWire

extension PeerFlow: DeadlineEntry {}

/// When which flow of a mux wants to be advanced, and the loop's timer for the first of them.
struct FlowDeadlines {
    private var heap = DeadlineHeap<PeerFlow>()
    private let timer: LoopTimer
    private let granularity: Interval
    /// What the timer is set to.
    private var scheduled: Instant?

    /// - Parameters:
    ///   - granularity: deadlines are put off to a multiple of it, so that those of all sockets of a loop share wake-ups.
    ///   - action: called when a flow is due.
    init(granularity: Interval, action: @escaping () -> Void) {
        self.granularity = granularity
        timer = LoopTimer(action: action)
    }

    /// Asks a flow when it wants to be advanced next.
    mutating func update(_ flow: PeerFlow) {
        guard !flow.isClosed, let deadline = flow.nextDeadline, deadline != .distantFuture else {
            return heap.remove(flow)
        }
        heap.set(flow, to: deadline)
    }

    mutating func remove(_ flow: PeerFlow) { heap.remove(flow) }

    /// What a flow that is asked from now on is younger than.
    var mark: UInt64 { heap.mark }

    /// The next flow that is due.
    mutating func pop(by now: Instant, setBefore mark: UInt64) -> PeerFlow? { heap.pop(by: now, setBefore: mark) }

    /// Sets the timer for the first flow.
    ///
    /// - Parameter other: what else the mux has to do, and when.
    mutating func schedule(on loop: DatagramLoop, _ other: Instant?, now: Instant) {
        let first = min(heap.next ?? .distantFuture, other ?? .distantFuture)
        guard first != .distantFuture else { return stop(on: loop) }
        let moment = FlowDeadlines.rounded(first, granularity: granularity, now: now)
        guard moment != scheduled else { return }
        scheduled = moment
        loop.set(timer, to: moment)
    }

    /// The timer has run out.
    mutating func fired() { scheduled = nil }

    /// The next multiple of the granularity, behind `now`.
    static func rounded(_ deadline: Instant, granularity: Interval, now: Instant) -> Instant {
        let step = max(1, granularity.nanoseconds)
        let time = max(deadline.nanoseconds, now.nanoseconds &+ 1)
        let (late, overflow) = time.addingReportingOverflow(step - 1)
        return Instant(nanoseconds: overflow ? time : late / step * step)
    }

    mutating func stop(on loop: DatagramLoop) {
        guard scheduled != nil else { return }
        scheduled = nil
        loop.remove(timer)
    }
}
