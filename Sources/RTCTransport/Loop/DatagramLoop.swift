import Glibc
import NIOCore
import NIOPosix
import RTCWire
import Synchronization

/// A thread that waits for UDP sockets and the streams beside them, for deadlines and for what other threads bring, and
/// does one thing after another.
///
/// It waits with epoll(7), reads all sockets that are ready into one memory (`receiver`), and keeps its deadlines in one
/// heap. It is an `EventLoop`, so that work at the rate of events is handed over, scheduled and awaited as on NIO's own
/// loops; NIO's channels live on those, and never on this one.
// Every member but `inbox`, `identity` and `thread`, which are made for any thread, is touched on the loop's thread only.
package final class DatagramLoop: @unchecked Sendable {
    /// What epoll gives back for the inbox; sockets' numbers are above.
    private static let inboxToken: UInt64 = 0
    /// In the place of a thread's identity once there is none.
    private static let ended = UInt.max
    /// What is handed in after the end is done here, so that whoever waits for an answer gets one.
    static let afterlife = MultiThreadedEventLoopGroup.singleton.next()

    /// All sockets of the loop are read into it.
    let receiver: DatagramReceiver
    /// All of them send from it.
    let sends = SendVector()
    let outboxes = OutboxPool()
    let streamMemory = StreamMemory()
    let inbox: LoopInbox
    private let identity = Atomic<UInt>(0)
    private var thread: LoopThread?
    private var poll: EventPoll
    private var moderation: WakeModeration
    private var timers = DeadlineHeap<LoopTimer>()
    private var watches = SocketWatches()
    private var jobs: [LoopInbox.Job] = []
    /// How often the loop has woken up.
    package private(set) var wakeUps = 0

    /// Starts the thread. Throws `IOError` where the system gives no thread or no descriptors.
    ///
    /// - Parameters:
    ///   - name: of the thread; 15 bytes at the most.
    ///   - batch: datagrams that one reading takes, 64 KiB of memory each.
    ///   - moderation: while many datagrams come, how long they wait at most until the loop looks at its sockets again, and
    ///     with them what other threads bring; zero reads at once.
    package init(name: String = "datagrams", batch: Int = 32, moderation: Interval = .zero) throws(IOError) {
        self.moderation = WakeModeration(moderation)
        receiver = DatagramReceiver(capacity: max(1, batch))
        inbox = try LoopInbox()
        poll = try EventPoll()
        try poll.add(inbox.descriptor, token: DatagramLoop.inboxToken, edges: true)
        do throws(ThreadError) {
            thread = try LoopThread(name: name) { [self] in run() }
        } catch {
            throw IOError(errnoCode: error.code, reason: "pthread_create")
        }
    }

    /// Whether the caller runs on the loop's thread.
    var isOnThread: Bool { identity.load(ordering: .relaxed) == UInt(pthread_self()) }

    package var inEventLoop: Bool {
        let identity = identity.load(ordering: .acquiring)
        return identity == DatagramLoop.ended ? DatagramLoop.afterlife.inEventLoop : identity == UInt(pthread_self())
    }

    /// Asks the loop to end, and waits until nothing of it runs any more. Not from the loop itself.
    func join() {
        inbox.stop()
        thread?.join()
    }

    // MARK: The thread

    private func run() {
        identity.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            switch inbox.rest() {
            case .sleep:
                if !moderation.isOff { rest() }
                turn(timers.next.map { $0 - MonotonicClock.now() } ?? .seconds(3600))
            case .lookOnly: turn(.zero)
            case .end: return end()
            }
        }
    }

    /// Leaves the sockets alone for as long as they may be, or until a timer is due.
    private func rest() {
        let end = min(moderation.restsUntil, timers.next ?? .distantFuture)
        if end > MonotonicClock.now() { MonotonicClock.sleep(until: end) }
    }

    private func turn(_ wait: Interval) {
        let ready = poll.wait(wait)
        let woken = moderation.isOff ? Instant.zero : MonotonicClock.now()
        var sockets = 0
        inbox.awake()
        wakeUps += 1
        for index in 0..<ready {
            let readiness = poll[index]
            guard let source = watches.source(of: readiness.token) else { continue }
            sockets += 1
            if readiness.isWritable { source.socketIsWritable() }
            if readiness.isReadable { source.socketIsReadable() }
        }
        if !moderation.isOff { moderation.woke(at: woken, for: sockets) }
        if let next = timers.next, next != .distantFuture { runTimers(by: MonotonicClock.now()) }
        runJobs()
    }

    private func runTimers(by now: Instant) {
        let mark = timers.mark
        while let timer = timers.pop(by: now, setBefore: mark) { timer.fire() }
    }

    private func runJobs() {
        inbox.take(into: &jobs)
        for job in jobs { job() }
        jobs.removeAll(keepingCapacity: true)
    }

    /// Does what was brought so far, and gives up what is due later.
    private func end() {
        watches = SocketWatches()
        repeat {
            runJobs()
            for timer in timers.removeAll() { timer.abandon() }
        } while !inbox.closeIfEmpty { identity.store(DatagramLoop.ended, ordering: .releasing) }
    }

    // MARK: Timers

    /// Sets a timer, or moves it. On the loop.
    func set(_ timer: LoopTimer, to deadline: Instant) { timers.set(timer, to: deadline) }

    /// Stops a timer. On the loop.
    func remove(_ timer: LoopTimer) { timers.remove(timer) }

    // MARK: Sockets

    /// Watches a socket until `remove`; gives the number that it goes by. On the loop.
    func add(_ descriptor: CInt, _ source: any DatagramSource) throws(IOError) -> UInt64 {
        let token = watches.add(source)
        do throws(IOError) { try poll.add(descriptor, token: token) } catch {
            watches.remove(token)
            throw error
        }
        return token
    }

    /// Whether the source is told when there is room to write.
    func watch(_ descriptor: CInt, token: UInt64, writing: Bool) {
        poll.watch(descriptor, token: token, writing: writing)
    }

    /// No longer watches a socket, which must still be open.
    func remove(_ descriptor: CInt, token: UInt64) {
        poll.remove(descriptor)
        watches.remove(token)
    }
}
