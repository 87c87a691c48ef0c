import Glibc

/// What this process has used so far.
struct Resources {
    /// Seconds of processor time, all threads.
    var cpuSeconds: Double
    /// Largest resident set in MiB.
    var peakRSSMiB: Double

    static var now: Resources {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Resources(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), peakRSSMiB: Double(usage.ru_maxrss) / 1024)
    }
}
