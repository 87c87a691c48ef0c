import NIOCore
import RTCTransport
import RTCWire

/// Carries the jobs of one loop's sessions to the workers and what comes of them back, in one go a turn of the loop: every
/// crossing between threads costs as much as encoding a short frame. So the first few of those are encoded on the loop.
// Every member that changes is touched on `loop` only.
final class JobRunner: @unchecked Sendable {
    private let loop: DatagramLoop
    private let sound: any EventLoop
    private let workers: [any EventLoop]
    /// What waits for the end of the turn, by worker; sound's own comes last.
    private var waiting: [[Ticket]]
    private var isScheduled = false
    private var patience = LoopPatience()

    /// A job, and whose it is.
    private struct Ticket: Sendable {
        let session: SocketSession
        let job: MediaJob
    }

    /// What comes back.
    private struct Return: Sendable {
        let session: SocketSession
        let results: [MediaJobResult]
    }

    init(loop: DatagramLoop, sound: any EventLoop, workers: [any EventLoop]) {
        self.loop = loop
        self.sound = sound
        self.workers = workers
        waiting = Array(repeating: [], count: workers.count + 1)
    }

    /// Takes a session's jobs. On the loop.
    /// - Returns: what came of those that were worth no crossing.
    func run(_ jobs: [MediaJob], for session: SocketSession) -> [MediaJobResult] {
        var results: [MediaJobResult] = []
        for job in jobs {
            if isWorthNoCrossing(job) {
                if let result = timed(job, ownLoop: true) { results.append(result) }
            } else {
                waiting[worker(of: job, session)].append(Ticket(session: session, job: job))
                schedule()
            }
        }
        return results
    }

    private func isWorthNoCrossing(_ job: MediaJob) -> Bool {
        job.isLight || (job.isBrief && patience.hasTime(at: MonotonicClock.now()))
    }

    /// Does a job, and lets it know how long it took.
    private func timed(_ job: MediaJob, ownLoop: Bool) -> MediaJobResult? {
        let begin = MonotonicClock.now()
        let result = job.run(at: begin)
        guard job.isTimed else { return result }
        let duration = MonotonicClock.now() - begin
        job.note(duration: duration)
        if ownLoop { patience.take(duration) }
        return result
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.execute { self.hand() }
    }

    private func worker(of job: MediaJob, _ session: SocketSession) -> Int {
        switch job.lane {
        case .sound: workers.count
        case .pictures(let number): (session.workerOffset &+ number) % workers.count
        case .sinks: session.workerOffset % workers.count
        }
    }

    private func hand() {
        isScheduled = false
        for index in waiting.indices where !waiting[index].isEmpty {
            var tickets: [Ticket] = []
            swap(&tickets, &waiting[index])
            let batch = tickets
            let worker = index < workers.count ? workers[index] : sound
            worker.execute { self.work(batch) }
        }
    }

    /// On a worker.
    private func work(_ tickets: [Ticket]) {
        var done: [Return] = []
        var results: [MediaJobResult] = []
        for (index, ticket) in tickets.enumerated() {
            if let result = timed(ticket.job, ownLoop: false) { results.append(result) }
            let isLast = index + 1 == tickets.count
            if !results.isEmpty, isLast || tickets[index + 1].session !== ticket.session {
                done.append(Return(session: ticket.session, results: results))
                results.removeAll()
            }
            // A picture leaves as soon as it is made, whatever else waits behind it.
            if isLast || ticket.job.isUrgent, !done.isEmpty {
                give(done)
                done.removeAll()
            }
        }
    }

    /// A picture that was decoded is only counted: for that, nobody is woken.
    private func give(_ done: [Return]) {
        let take: @Sendable () -> Void = { for entry in done { entry.session.finish(entry.results) } }
        let isAwaited = done.contains { $0.results.contains { $0.isAwaited } }
        if isAwaited { loop.execute(take) } else { loop.leave(take) }
    }
}

/// How long codecs may hold up a loop, whose sockets wait meanwhile.
private struct LoopPatience {
    private static let window = Interval.milliseconds(10)
    private static let share = Interval.milliseconds(1)

    private var began = Instant.zero
    private var taken = Interval.zero

    mutating func hasTime(at now: Instant) -> Bool {
        if now - began >= LoopPatience.window { (began, taken) = (now, .zero) }
        return taken < LoopPatience.share
    }

    mutating func take(_ duration: Interval) { taken = taken + duration }
}
