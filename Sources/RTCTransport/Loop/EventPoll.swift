import CSocket
import Glibc
import NIOCore
import RTCWire

/// Waits for descriptors and for time, epoll(7).
struct EventPoll: ~Copyable {
    /// What a descriptor is ready for, and the number that it was watched under.
    struct Readiness {
        var token: UInt64
        var isReadable: Bool
        var isWritable: Bool
    }

    /// What is told of at once; the rest is told of at the next look.
    private static let capacity = 256
    /// Waits are cut to it; nothing is lost by looking once an hour.
    private static let longest = Interval.seconds(3600)

    private let descriptor: CInt
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: EventPoll.capacity)
    /// epoll_pwait2(2), which counts in nanoseconds: Linux 5.11, and sandboxes that know it.
    private var isFine = true

    init() throws(IOError) {
        descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
        events.initialize(repeating: epoll_event())
        guard descriptor >= 0 else {
            let code = errno
            events.deallocate()
            throw IOError(errnoCode: code, reason: "epoll_create1")
        }
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    // MARK: Descriptors

    /// Watches a descriptor for something to read.
    ///
    /// - Parameter edges: tells of it once each time that more comes, and not for as long as there is some.
    func add(_ watched: CInt, token: UInt64, edges: Bool = false) throws(IOError) {
        try control(EPOLL_CTL_ADD, watched, token, edges ? EPOLLIN.rawValue | EPOLLET.rawValue : EPOLLIN.rawValue)
    }

    /// From now on a change of room to write is told of too, or no longer.
    func watch(_ watched: CInt, token: UInt64, writing: Bool) {
        try? control(EPOLL_CTL_MOD, watched, token, writing ? EPOLLIN.rawValue | EPOLLOUT.rawValue : EPOLLIN.rawValue)
    }

    func remove(_ watched: CInt) { try? control(EPOLL_CTL_DEL, watched, 0, 0) }

    private func control(_ operation: CInt, _ watched: CInt, _ token: UInt64, _ interest: UInt32) throws(IOError) {
        var event = epoll_event()
        event.events = interest
        event.data.u64 = token
        guard epoll_ctl(descriptor, operation, watched, &event) == 0 else {
            throw IOError(errnoCode: errno, reason: "epoll_ctl")
        }
    }

    // MARK: Waiting

    /// Waits for at most so long, and gives how many descriptors are ready.
    mutating func wait(_ limit: Interval) -> Int {
        let wait = min(max(limit, .zero), EventPoll.longest)
        // Newer C libraries say that there must be some: no optional passes there.
        guard let memory = events.baseAddress else { return 0 }
        if isFine {
            var time = timespec(
                tv_sec: Int(wait.nanoseconds / 1_000_000_000), tv_nsec: Int(wait.nanoseconds % 1_000_000_000))
            let count = epoll_pwait2(descriptor, memory, CInt(events.count), &time, nil)
            if count >= 0 { return Int(count) }
            guard errno == ENOSYS || errno == EPERM else { return 0 }
            isFine = false
        }
        let milliseconds = CInt(clamping: (wait.nanoseconds + 999_999) / 1_000_000)
        return max(0, Int(epoll_wait(descriptor, memory, CInt(events.count), milliseconds)))
    }

    /// One of those that the last wait has given.
    subscript(_ index: Int) -> Readiness {
        let event = events[index]
        // An error is told by reading, and ends with it.
        let reads = EPOLLIN.rawValue | EPOLLERR.rawValue | EPOLLHUP.rawValue
        return Readiness(
            token: event.data.u64, isReadable: event.events & reads != 0,
            isWritable: event.events & EPOLLOUT.rawValue != 0)
    }
}
