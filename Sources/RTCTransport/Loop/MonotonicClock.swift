import Glibc
import RTCWire

/// The machine's clocks, read by the shell once per batch and handed down as values.
package enum MonotonicClock {
    /// CLOCK_MONOTONIC as an `Instant`: the same time line for every process of this machine.
    package static func now() -> Instant { read(CLOCK_MONOTONIC) }

    /// CLOCK_REALTIME in nanoseconds: what the kernel stamps datagrams with.
    static func realTime() -> Int64 { read(CLOCK_REALTIME).nanoseconds }

    /// What has to be added to an `Instant` (as nanoseconds) to get nanoseconds of the NTP era that began in 1900
    /// (RFC 5905 section 6).
    package static func ntpOffset() -> Interval {
        let unixToNTP: Int64 = 2_208_988_800
        return (read(CLOCK_REALTIME) - read(CLOCK_MONOTONIC)) + .seconds(Int(unixToNTP))
    }

    /// CLOCK_THREAD_CPUTIME_ID: what the calling thread has run so far. A system call, unlike the others.
    package static func processor() -> Interval { read(CLOCK_THREAD_CPUTIME_ID) - .zero }

    /// Puts the calling thread to sleep.
    static func sleep(until end: Instant) {
        var time = timespec(
            tv_sec: Int(end.nanoseconds / 1_000_000_000), tv_nsec: Int(end.nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, CInt(TIMER_ABSTIME), &time, nil) == EINTR {}
    }

    private static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        clock_gettime(clock, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}
