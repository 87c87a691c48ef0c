import Glibc

/// The CPU time of one thread of this process.
struct CPUClock: Sendable {
    private let clock: clockid_t

    /// The calling thread's.
    static func current() -> CPUClock {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        return CPUClock(clock: clock)
    }

    private init(clock: clockid_t) { self.clock = clock }

    /// That of a thread known by its kernel number: `CPUCLOCK_SCHED` of a single thread, as Linux encodes it.
    init(thread: Int32) { clock = ~thread << 3 | 6 }

    /// Nanoseconds of CPU since the thread began.
    var nanoseconds: Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// CPU nanoseconds of the calling thread during `body`.
    static func measure(_ body: () throws -> Void) rethrows -> Int {
        let clock = current()
        let start = clock.nanoseconds
        try body()
        return clock.nanoseconds - start
    }
}

/// The CPU time of a set of threads.
struct ThreadGroupClock: Sendable {
    private let clocks: [CPUClock]

    /// The threads that come into being during `body`.
    static func ofThreads<Result>(startedBy body: () throws -> Result) rethrows -> (Result, ThreadGroupClock) {
        let before = Set(threads())
        let result = try body()
        let started = threads().filter { !before.contains($0) }
        return (result, ThreadGroupClock(clocks: started.map { CPUClock(thread: $0) }))
    }

    var nanoseconds: Int { clocks.reduce(0) { $0 + $1.nanoseconds } }

    private static func threads() -> [Int32] {
        guard let directory = opendir("/proc/self/task") else { return [] }
        defer { closedir(directory) }
        var result: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = Int32(name) { result.append(number) }
        }
        return result
    }
}

extension ThreadGroupClock {
    /// The same for what starts threads by and by.
    static func ofThreads<Result>(startedBy body: () async throws -> Result) async rethrows -> (
        Result, ThreadGroupClock
    ) {
        let before = Set(threads())
        let result = try await body()
        let started = threads().filter { !before.contains($0) }
        return (result, ThreadGroupClock(clocks: started.map { CPUClock(thread: $0) }))
    }

    /// CPU nanoseconds of the whole process.
    static var processNanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
