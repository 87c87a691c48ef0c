import Glibc

/// Says at a crash which input it was.
enum CrashReport {
    nonisolated(unsafe) private static var current: (seed: UInt64, state: UInt64, index: UInt64) = (0, 0, 0)
    /// Inputs between two looks at the time, and the processor time in seconds that they may take: else one hangs.
    private static let stretch: UInt64 = 65_536
    private static let patience = 120

    static func install(seed: UInt64) {
        current.seed = seed
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGPROF] { signal(number) { CrashReport.tell($0) } }
    }

    static func note(_ state: Int, _ index: UInt64) {
        (current.state, current.index) = (UInt64(state), index)
        guard index % stretch == 0 else { return }
        var timer = itimerval()
        timer.it_value.tv_sec = patience
        setitimer(Int32(ITIMER_PROF.rawValue), &timer, nil)
    }

    private static func tell(_ number: Int32) {
        write("signal ")
        write(UInt64(number))
        write(": association-campaign 1 ")
        write(current.seed)
        write(" ")
        write(current.state)
        write(" ")
        write(current.index)
        write("\n")
        signal(number, SIG_DFL)
        raise(number)
    }

    private static func write(_ words: StaticString) { _ = Glibc.write(2, words.utf8Start, words.utf8CodeUnitCount) }

    private static func write(_ number: UInt64) {
        if number > 9 { write(number / 10) }
        var digit = UInt8(48 + number % 10)
        _ = Glibc.write(2, &digit, 1)
    }
}
