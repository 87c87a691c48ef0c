import LoadResults

/// Small runs whose numbers a reader can add up.
enum HandMade {
    static let machine = RunHeader.Machine(
        hostname: "h", kernel: "Linux 6.1", cpuModel: "cpu", cpuCount: 2, memoryBytes: 1 << 30)

    static func header(_ shard: RunHeader.Shard? = nil) -> RunHeader {
        RunHeader(toolVersion: "0.1", arguments: ["load"], timestamp: 1_000, machine: machine, shard: shard)
    }

    /// A run of so many seconds, each of them changed.
    static func run(_ count: Int, _ change: (inout SecondSample) -> Void = { _ in }) -> LoadResults {
        var run = LoadResults(run: header())
        run.seconds = (0..<count).map { number in
            var sample = SecondSample(second: number)
            change(&sample)
            return sample
        }
        run.durationSeconds = Double(count)
        return run
    }

    /// Microseconds, each once.
    static func times(_ values: [UInt64], digits: Int = 3) -> HistogramSnapshot {
        var histogram = LatencyHistogram(significantDigits: digits == 2 ? .two : .three)
        for value in values { histogram.record(microseconds: value) }
        return histogram.snapshot
    }

    /// A subscriber that was there for ten seconds and got so much of what was sent.
    static func subscriber(
        _ identity: String, room: String = "r", lost: Int = 0, frozen: Double = 0, bytes: Int = 750_000
    ) -> ParticipantResult {
        var one = ParticipantResult(identity: identity, room: room, role: .subscriber)
        one.endSecond = 10
        one.joinMs = 8
        one.video.inbound.packetsExpected = 1_000
        one.video.inbound.packetsLost = lost
        one.video.inbound.packetsReceived = 1_000 - lost
        one.video.inbound.bytesReceived = bytes
        one.video.inbound.totalDuration = 10
        one.video.inbound.totalFreezesDuration = frozen
        return one
    }
}
