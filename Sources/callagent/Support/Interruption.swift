import Foundation
import Synchronization

/// What ends a run before its time, and the wait for it. The first one lets the run end in order: files are completed, the
/// report is printed. A second one ends the process at once, as the system does it.
enum Interruption {
    /// What has interrupted the run.
    enum Cause: String, Sendable {
        /// Ctrl-C.
        case interrupt = "SIGINT"
        case terminate = "SIGTERM"
        /// The terminal is gone.
        case hangUp = "SIGHUP"
        /// Nobody reads standard output any more.
        case outputClosed = "closed standard output"

        init?(signal number: Int32) {
            switch number {
            case SIGINT: self = .interrupt
            case SIGTERM: self = .terminate
            case SIGHUP: self = .hangUp
            default: return nil
            }
        }
    }

    private struct State {
        var cause: Cause?
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
        var reload: (@Sendable () -> Void)?
    }

    private static let state = Mutex(State())

    /// What has interrupted the run; nil while nothing has.
    static var cause: Cause? { state.withLock { $0.cause } }

    /// From now on signals end the run in order. A SIGHUP that was ignored when the process began stays so (nohup).
    ///
    /// - Parameter watchesOutput: whether the run is for a reader of standard output, and ends with it.
    static func begin(watchesOutput: Bool = true) {
        SignalThread.start(isHangUpTaken: !isIgnored(SIGHUP))
        if watchesOutput { OutputWatch.start() }
    }

    /// From now on SIGHUP calls `reload` and interrupts nothing.
    static func onHangUp(_ reload: @escaping @Sendable () -> Void) { state.withLock { $0.reload = reload } }

    /// Returns when the run is interrupted, at once where it has been; or when the task is cancelled.
    static func wait() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let number: Int? = state.withLock { state in
            guard state.cause == nil else { return nil }
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        guard let number else { return }
        for await _ in stream {}
        state.withLock { $0.waiting[number] = nil }
    }

    /// The run is interrupted; only the first cause counts.
    static func note(_ cause: Cause) {
        let waiting = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            guard state.cause == nil else { return [] }
            state.cause = cause
            defer { state.waiting.removeAll() }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.finish() }
    }

    /// What a signal does; false where it is one more than the run can end in order for.
    fileprivate static func take(_ cause: Cause) -> Bool {
        if cause == .hangUp, let reload = state.withLock({ $0.reload }) {
            reload()
            return true
        }
        guard self.cause == nil else { return false }
        note(cause)
        return true
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

extension Interruption {
    /// The result of `work`, or nil as soon as the run is interrupted: `work` is then cancelled, and not waited for.
    static func unless<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        let (results, continuation) = AsyncThrowingStream.makeStream(of: Result?.self)
        let working = Task {
            do { continuation.yield(try await work()) } catch { continuation.finish(throwing: error) }
        }
        let waiting = Task {
            await wait()
            if !Task.isCancelled { continuation.yield(nil) }
        }
        defer {
            working.cancel()
            waiting.cancel()
        }
        for try await result in results { return result }
        return nil
    }
}

/// Where signals end up: a handler may do next to nothing, so it passes their numbers to a thread.
private enum SignalThread {
    /// timeout(1) signals a process and its group at once; what follows within this time is the same signal.
    private static let settlingNanoseconds: UInt64 = 50_000_000
    private static let patienceMilliseconds: Int32 = 1_000
    private static let isStarted = Atomic<Bool>(false)

    static func start(isHangUpTaken: Bool) {
        guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        signalPipe.store(ends[1], ordering: .releasing)
        let reader = ends[0]
        Thread.detachNewThread { read(reader) }
        for number in [SIGINT, SIGTERM] + (isHangUpTaken ? [SIGHUP] : []) { install(number) }
    }

    private static func install(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = Glibc.write(signalPipe.load(ordering: .acquiring), &byte, 1)
            errno = saved
        }
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }

    private static func read(_ descriptor: Int32) {
        var first: UInt64?
        while true {
            if first != nil { sayWhereNothingFollows(descriptor) }
            var byte: UInt8 = 0
            guard Glibc.read(descriptor, &byte, 1) == 1 else {
                if errno == EINTR { continue }
                return
            }
            guard let cause = Interruption.Cause(signal: Int32(byte)) else { continue }
            let now = DispatchTime.now().uptimeNanoseconds
            if Interruption.take(cause) {
                if Interruption.cause != nil { first = now }
            } else if now - (first ?? 0) > settlingNanoseconds {
                end(by: Int32(byte))
            }
        }
    }

    /// An end in order can take seconds where a server no longer answers.
    private static func sayWhereNothingFollows(_ descriptor: Int32) {
        var next = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&next, 1, patienceMilliseconds) == 0 else { return }
        StandardError.line("callagent: leaving and completing files; interrupt again to end at once")
    }

    /// As if nobody had taken the signal: the shell sees 128 and its number.
    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
}

/// The writing end of the pipe that signals go through.
private let signalPipe = Atomic<Int32>(-1)

/// Notes that the reader of standard output has gone, also while nothing is written.
private enum OutputWatch {
    static func start() {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        Thread.detachNewThread {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            if output.revents & Int16(POLLERR | POLLHUP) != 0 { Interruption.note(.outputClosed) }
        }
    }
}
