import LoadResults

/// A run made up from a seed: two publishers, so many subscribers that come at a rate, one of them behind a thin line, and a
/// tester that has too little processor for a while.
struct SampleRun {
    var seed: UInt64 = 1
    var subscribers = 60
    var duration = 90
    var joinsPerSecond = 4
    /// The subscriber behind the thin line; nil for none.
    var throttled: Int? = 17
    /// Seconds in which the tester is starved.
    var starved = 52..<58
    var shard: RunHeader.Shard?
    var timestamp: Int64 = 1_795_410_000_000

    func make() -> LoadResults {
        var random = Generator(state: seed)
        var results = LoadResults(run: header)
        results.durationSeconds = Double(duration)
        var histograms = Recorders()
        results.seconds = (0..<duration).map {
            second(
                $0, &random, &histograms)
        }
        results.participants = (0..<subscribers).map { participant($0, &random, &histograms) }
        results.histograms = histograms.snapshots
        results.data = data
        return results
    }

    struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private struct Recorders {
        var join = LatencyHistogram()
        var firstAudio = LatencyHistogram()
        var firstVideo = LatencyHistogram()
        var latency = LatencyHistogram()
        var roundTripTime = LatencyHistogram()
        var rpc = LatencyHistogram()

        var snapshots: RunHistograms {
            var histograms = RunHistograms()
            histograms.join = join.snapshot
            histograms.firstAudio = firstAudio.snapshot
            histograms.firstVideo = firstVideo.snapshot
            histograms.latency = latency.snapshot
            histograms.roundTripTime = roundTripTime.snapshot
            histograms.rpc = rpc.snapshot
            return histograms
        }
    }

    private var header: RunHeader {
        RunHeader(
            toolVersion: "0.1.0",
            arguments: ["load", "--rooms", "1", "--publishers", "2", "--subscribers", "\(subscribers)"],
            timestamp: timestamp,
            machine: .init(
                hostname: "ci-runner-7", kernel: "Linux 6.1.0", cpuModel: "Zen 5", cpuCount: 2,
                memoryBytes: 8_589_934_592),
            target: "wss://calls.example.org", scenario: "Webinar 2 x \(subscribers)", shard: shard)
    }

    private var data: DataCounters {
        var data = DataCounters()
        data.messagesExpected = subscribers * 2 * duration
        data.messagesReceived = data.messagesExpected
        data.rpcCalls = subscribers * duration / 10
        data.rpcAnswers = data.rpcCalls
        return data
    }

    private func joined(_ second: Int) -> Int { min(subscribers, (second + 1) * joinsPerSecond) }
    private func isStarved(_ second: Int) -> Bool { starved.contains(second) }

    private func second(_ index: Int, _ random: inout Generator, _ whole: inout Recorders) -> SecondSample {
        var sample = SecondSample(second: index)
        let there = joined(index)
        sample.participants.joined = there
        sample.participants.joins = there - (index == 0 ? 0 : joined(index - 1))
        sample.participants.joining = there < subscribers ? joinsPerSecond : 0
        sample.audio.outbound.packetsSent = 100
        sample.audio.outbound.bytesSent = 8_000
        sample.audio.inbound.packetsExpected = 100 * there
        sample.audio.inbound.packetsReceived = 100 * there
        sample.audio.inbound.bytesReceived = 8_000 * there
        sample.video = video(index, there, &random)
        var (latency, rtt, join) = (
            LatencyHistogram(significantDigits: .two), LatencyHistogram(significantDigits: .two),
            LatencyHistogram(significantDigits: .two)
        )
        for _ in 0..<max(there, 1) * 4 {
            let time = (isStarved(index) ? 40_000 : 3_000) + skewed(&random, 9_000)
            latency.record(microseconds: time)
            whole.latency.record(microseconds: time)
            let trip = 900 + skewed(&random, 1_500)
            if trip.isMultiple(of: 8) { whole.rpc.record(microseconds: trip + 400) }
            rtt.record(microseconds: trip)
            whole.roundTripTime.record(microseconds: trip)
        }
        for _ in 0..<sample.participants.joins {
            let time = 9_000 + skewed(&random, 30_000)
            join.record(microseconds: time)
            whole.join.record(microseconds: time)
        }
        (sample.latency, sample.roundTripTime, sample.join) = (latency.snapshot, rtt.snapshot, join.snapshot)
        sample.tester = tester(index, there, &random)
        sample.server = ServerHealth(cpuProcess: 0.1 + Double(there) * 0.006, residentBytes: 60_000_000)
        sample.saturated = SaturationLimits().reasons(in: sample.tester)
        return sample
    }

    private func skewed(_ random: inout Generator, _ span: UInt64) -> UInt64 {
        let (one, two) = (random.next() % span, random.next() % span)
        return random.next().isMultiple(of: 40) ? one + two * 4 : min(one, two)
    }

    private func video(_ second: Int, _ there: Int, _ random: inout Generator) -> MediaCounters {
        var media = MediaCounters()
        media.outbound.packetsSent = 140
        media.outbound.bytesSent = 150_000
        media.outbound.framesSent = 60
        media.inbound.packetsExpected = 140 * there
        let lost = isStarved(second) ? 4 * there + Int(random.next() % 40) : second % 11 == 3 ? 2 : 0
        media.inbound.packetsLost = lost
        media.inbound.packetsReceived = 140 * there - lost
        media.inbound.bytesReceived = 150_000 * there - lost * 1_000
        media.inbound.framesReceived = 60 * there - lost / 2
        media.inbound.totalDuration = Double(there)
        media.inbound.freezeCount = isStarved(second) ? there / 6 : 0
        media.inbound.totalFreezesDuration = Double(media.inbound.freezeCount) * 0.3
        media.inbound.nackCount = lost / 2 + Int(random.next() % 3)
        media.inbound.pliCount = second < subscribers / joinsPerSecond ? joinsPerSecond : lost / 100
        return media
    }

    private func tester(_ second: Int, _ there: Int, _ random: inout Generator) -> TesterHealth {
        var health = TesterHealth()
        let noise = Double(random.next() % 100) / 100
        health.loopLagMs = isStarved(second) ? 70 + 60 * noise : 1 + 3 * noise
        health.lateTimers = isStarved(second) ? 80 + Int(40 * noise) : Int(2 * noise)
        health.sendQueueDelayMs = isStarved(second) ? 20 + 20 * noise : 0.4 + noise
        health.receiveBufferDrops = isStarved(second) && noise > 0.5 ? 12 : 0
        health.cpuProcess = 0.1 + Double(there) * 0.012 + 0.05 * noise
        health.cpuMachine = isStarved(second) ? 2 : health.cpuProcess + 0.5 + Double(there) * 0.006
        health.threads = [ThreadCPU(name: "loop-0", cpu: isStarved(second) ? 0.97 : health.cpuProcess * 0.8)]
        health.heapBytes = 8_000_000 + Int64(there) * 120_000
        health.residentBytes = 30_000_000 + Int64(there) * 150_000
        return health
    }

    private func participant(_ index: Int, _ random: inout Generator, _ whole: inout Recorders) -> ParticipantResult {
        var one = ParticipantResult(identity: "sub-\(index)", room: "webinar", role: .subscriber)
        let start = index / joinsPerSecond
        one.startSecond = Double(start)
        let join = 9_000 + skewed(&random, 30_000)
        let (sound, picture) = (join + 12_000 + skewed(&random, 20_000), join + 25_000 + skewed(&random, 90_000))
        whole.firstAudio.record(microseconds: sound)
        whole.firstVideo.record(microseconds: picture)
        one.joinMs = Double(join) / 1_000
        one.firstAudioMs = Double(sound) / 1_000
        one.firstVideoMs = Double(picture) / 1_000
        one.roundTripTimeMs = 1 + Double(skewed(&random, 1_500)) / 1_000
        one.timeline = timeline(index, from: start, &random)
        let stay = duration - start
        one.audio.inbound.packetsExpected = 100 * stay
        one.audio.inbound.packetsReceived = 100 * stay
        let sums = one.timeline.map { ($0.packetsExpected.reduce(0, +), $0.packetsLost.reduce(0, +)) } ?? (0, 0)
        one.video.inbound.packetsExpected = sums.0
        one.video.inbound.packetsLost = sums.1
        one.video.inbound.packetsReceived = sums.0 - sums.1
        one.video.inbound.bytesReceived = one.timeline?.bytesReceived.reduce(0, +) ?? 0
        one.video.inbound.totalDuration = Double(stay)
        one.video.inbound.totalFreezesDuration = Double(one.timeline?.frozenMs.reduce(0, +) ?? 0) / 1_000
        return one
    }

    private func timeline(_ index: Int, from start: Int, _ random: inout Generator) -> ParticipantTimeline {
        var line = ParticipantTimeline(startSecond: start)
        let isThin = index == throttled
        for second in start..<duration {
            let worse = isStarved(second)
            let layer = isThin ? (second - start < 6 ? 2 : 0) : second - start < 3 ? 1 : 2
            let lost = isThin ? (layer == 2 ? 22 : Int(random.next() % 4)) : worse ? Int(random.next() % 9) : 0
            line.packetsExpected.append(240)
            line.packetsLost.append(lost + (random.next().isMultiple(of: 60) ? 1 : 0))
            let bytes = [28_000, 80_000, 150_000][layer]
            line.bytesReceived.append(bytes + Int(random.next() % UInt64(bytes / 8)) - (worse ? bytes / 5 : 0))
            line.frozenMs.append(isThin && layer == 2 ? 420 : worse && index.isMultiple(of: 6) ? 300 : 0)
            line.spatialLayer.append(layer)
        }
        return line
    }
}
