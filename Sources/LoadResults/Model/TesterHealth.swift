/// How the tester itself fared in one second.
package struct TesterHealth: Codable, Sendable, Equatable {
    /// The longest that a media loop came late to work that was due, milliseconds.
    package var loopLagMs = 0.0
    /// Media timers that ran more than 10 ms late.
    package var lateTimers = 0
    /// Media timers that ran, late or not; nil in files of a release that didn't count them.
    package var timers: Int?
    /// The longest that a datagram waited to be handed to the kernel, milliseconds.
    package var sendQueueDelayMs = 0.0
    /// Datagrams that the kernel dropped because they were not read in time.
    package var receiveBufferDrops = 0
    /// Datagrams that the kernel refused to send.
    package var sendFailures = 0
    /// Processor seconds of this process in the second: 1 is one core.
    package var cpuProcess = 0.0
    /// Of the whole machine, all processes: 0 to its number of cores.
    package var cpuMachine: Double?
    /// The busiest threads.
    package var threads: [ThreadCPU] = []
    /// Bytes of heap in use, and resident memory of the process.
    package var heapBytes: Int64?
    package var residentBytes: Int64?
    package var openDescriptors: Int?

    package init() {}
}

/// Processor seconds of one thread in the second: 1 is all that it can get.
package struct ThreadCPU: Codable, Sendable, Equatable {
    package var name: String
    package var cpu: Double
    /// Seconds in which it was ready to run and others ran; nil in files of a release that didn't count them.
    package var waiting: Double?

    package init(name: String, cpu: Double, waiting: Double? = nil) {
        self.name = name
        self.cpu = cpu
        self.waiting = waiting
    }

    /// What it would have taken: 1 is a thread that never had to wait for work.
    package var demand: Double { cpu + (waiting ?? 0) }
}

/// What is known of the server's process in the second.
package struct ServerHealth: Codable, Sendable, Equatable {
    /// Processor seconds: 1 is one core.
    package var cpuProcess: Double
    package var residentBytes: Int64?

    package init(cpuProcess: Double, residentBytes: Int64? = nil) {
        self.cpuProcess = cpuProcess
        self.residentBytes = residentBytes
    }
}

/// Why a second says more about the tester than about the server.
package enum SaturationReason: String, Codable, Sendable, CaseIterable {
    case loopLag, lateTimers, sendQueueDelay, receiveBufferDrops, sendFailures, cpuThread
    /// Of a later release.
    case other

    package init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// From where on the tester counts as the bottleneck.
package struct SaturationLimits: Codable, Sendable, Equatable {
    package var loopLagMs = 50.0
    package var lateTimers = 50
    /// Where so many timers ran that fifty are few, this share of them: the 99th percentile is late.
    package var lateShare = 0.01
    package var sendQueueDelayMs = 50.0
    /// A thread that runs, or waits for a processor, this share of the time has no more to give.
    package var cpuThread = 0.95

    package init() {}

    /// Why the tester was the bottleneck in a second; empty where it was not.
    package func reasons(in health: TesterHealth) -> [SaturationReason] {
        var reasons: [SaturationReason] = []
        if health.loopLagMs > loopLagMs { reasons.append(.loopLag) }
        if Double(health.lateTimers) > max(Double(lateTimers), lateShare * Double(health.timers ?? 0)) {
            reasons.append(.lateTimers)
        }
        if health.sendQueueDelayMs > sendQueueDelayMs { reasons.append(.sendQueueDelay) }
        if health.receiveBufferDrops > 0 { reasons.append(.receiveBufferDrops) }
        if health.sendFailures > 0 { reasons.append(.sendFailures) }
        if health.threads.contains(where: { $0.demand > cpuThread }) { reasons.append(.cpuThread) }
        return reasons
    }
}
