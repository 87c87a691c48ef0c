import CHeap
import Foundation
import LoadResults
import MediaCore

/// Reads once a second how this process fares: its loops, its threads, its memory.
final class TesterGauge {
    private let probes: [WakeProbe]
    private var timers = WakeMeter.process.lateness
    private var threads: [String: ThreadTime] = [:]
    private var process = Resources.now.cpuSeconds
    private var machine = ProcessFiles.machineSeconds()
    private var readings = 0
    private var readAt = ContinuousClock.now
    private let server: Int32?
    private var serverSeconds: Double?
    private var serverReadAt = ContinuousClock.now

    private struct ThreadTime {
        var name: String
        var used: ProcessFiles.ThreadUse
    }

    /// What takes some time to find out is found out once in so many seconds.
    private static let slowInterval = 5
    private static let shownThreads = 4

    /// - Parameter server: the server's process on this machine, where it is known.
    init(_ engine: MediaEngine, server: Int32?) {
        probes = engine.probeLoops()
        self.server = server
        serverSeconds = server.flatMap { ProcessFiles.processorSeconds(of: $0) }
        threads = Self.threadTimes()
    }

    /// How it fared since the last call.
    func read() -> TesterHealth {
        var health = TesterHealth()
        let seconds = Self.secondsSince(&readAt)
        readLoops(&health)
        readThreads(&health, seconds)
        let machine = ProcessFiles.machineSeconds()
        if let now = machine, let before = self.machine { health.cpuMachine = (now - before) / seconds }
        self.machine = machine
        if readings % Self.slowInterval == 0 {
            health.heapBytes = Int64(cheap_in_use())
            health.residentBytes = ProcessFiles.residentBytes()
            health.openDescriptors = ProcessFiles.openDescriptors()
        }
        readings += 1
        return health
    }

    private func readLoops(_ health: inout TesterHealth) {
        for probe in probes {
            let lateness = probe.take()
            health.loopLagMs = max(health.loopLagMs, lateness.longestMilliseconds)
            count(lateness, &health)
        }
        let now = WakeMeter.process.lateness
        count(now.since(timers), &health)
        timers = now
    }

    private func count(_ lateness: WakeLateness, _ health: inout TesterHealth) {
        health.lateTimers += lateness.lateWakes
        health.timers = (health.timers ?? 0) + lateness.wakes
    }

    private func readThreads(_ health: inout TesterHealth, _ seconds: Double) {
        let process = Resources.now.cpuSeconds
        health.cpuProcess = (process - self.process) / seconds
        self.process = process
        let now = Self.threadTimes()
        // Where there are no descriptors left, nothing can be read.
        guard !now.isEmpty else { return }
        let busy = now.map { id, time in
            let before = threads[id]?.used
            return ThreadCPU(
                name: time.name, cpu: min(1, (time.used.running - (before?.running ?? 0)) / seconds),
                waiting: min(1, (time.used.waiting - (before?.waiting ?? 0)) / seconds))
        }
        health.threads = Array(busy.sorted { ($1.demand, $0.name) < ($0.demand, $1.name) }.prefix(Self.shownThreads))
        threads = now
    }

    /// The server's share of the time since the last call.
    func readServer() -> ServerHealth? {
        guard let server, let now = ProcessFiles.processorSeconds(of: server) else { return nil }
        let seconds = Self.secondsSince(&serverReadAt)
        defer { serverSeconds = now }
        return ServerHealth(
            cpuProcess: max(0, now - (serverSeconds ?? now)) / seconds,
            residentBytes: ProcessFiles.residentBytes(of: "\(server)"))
    }

    /// More than nothing.
    private static func secondsSince(_ time: inout ContinuousClock.Instant) -> Double {
        let now = ContinuousClock.now
        defer { time = now }
        return max(0.001, (now - time) / .seconds(1))
    }

    /// Bytes.
    var heapInUse: Int64 { Int64(cheap_in_use()) }

    func stop() { for probe in probes { probe.stop() } }

    private static func threadTimes() -> [String: ThreadTime] {
        var result: [String: ThreadTime] = [:]
        for id in ProcessFiles.names(in: "/proc/self/task") {
            guard let used = ProcessFiles.threadUse(id) else { continue }
            result[id] = ThreadTime(name: ProcessFiles.text("/proc/self/task/\(id)/comm"), used: used)
        }
        return result
    }
}

/// What the kernel says of processes, proc(5).
enum ProcessFiles {
    /// All of a small file, without the line's end; empty where it can't be read.
    static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return "" }
            return String(decoding: buffer[..<count], as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }

    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Seconds that a thread has run, and that it was ready to while others ran.
    struct ThreadUse {
        var running: Double
        var waiting: Double
    }

    /// What a thread of ours has used; `schedstat` counts nanoseconds, where `stat` counts hundredths of a second.
    static func threadUse(_ id: String) -> ThreadUse? {
        let counts = text("/proc/self/task/\(id)/schedstat").split(separator: " ").compactMap { Double($0) }
        guard counts.count >= 2 else { return nil }
        return ThreadUse(running: counts[0] / 1e9, waiting: counts[1] / 1e9)
    }

    /// What another process has run.
    static func processorSeconds(of process: Int32) -> Double? {
        // What follows the name, which stands in brackets and may hold blanks.
        guard let rest = text("/proc/\(process)/stat").split(separator: ")").last else { return nil }
        let fields = rest.split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// What all processes of the machine have run.
    static func machineSeconds() -> Double? {
        guard let line = text("/proc/stat").split(separator: "\n").first else { return nil }
        let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard ticks.count >= 8 else { return nil }
        // user, nice, system, then idle and waiting, then interrupts and what the hypervisor took.
        let busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]
        return busy / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    static func residentBytes(of process: String = "self") -> Int64? {
        let fields = text("/proc/\(process)/statm").split(separator: " ")
        return fields.dropFirst().first.flatMap { Int64($0) }.map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
    }

    static func openDescriptors() -> Int { names(in: "/proc/self/fd").count }
}
