extension Metric {
    /// All of them, in the order of reports and of docs/load-results.md.
    package static let all: [Metric] =
        participants + times + media("audio", \.audio) + media("video", \.video) + pictures + data + tester
        + server

    private static let participants: [Metric] = [
        Metric("participants.peak", .count, "most participants that were in a room at a time", .higher) { run in
            run.seconds.map { Double($0.participants.joined) }.max()
        },
        Metric("participants.joins", .count, "joins that succeeded", .higher) { $0.sum { $0.participants.joins } },
        Metric("participants.joinRate", .perSecond, "most joins of one second", .higher) { run in
            run.seconds.map { Double($0.participants.joins) }.max()
        },
        Metric("participants.failures", .count, "joins that failed") { $0.sum { $0.participants.failures } },
        Metric("participants.failureRatio", .ratio, "share of the joins that failed") { run in
            guard let failed = run.sum({ $0.participants.failures }) else { return nil }
            let all = failed + (run.sum { $0.participants.joins } ?? 0)
            return all > 0 ? failed / all : nil
        },
        Metric("participants.losses", .count, "participants that were lost after they had joined") {
            $0.sum { $0.participants.losses }
        },
    ]

    private static let times: [Metric] =
        histogram("join", "from the beginning of a join to connected media", \.join)
        + histogram("firstAudio", "from the beginning of a join to the first packet of sound", \.firstAudio)
        + histogram("firstVideo", "from the beginning of a join to the first whole picture", \.firstVideo)
        + histogram("latency", "from capture to reception", \.latency)
        + histogram("roundTripTime", "round trips to the server", \.roundTripTime)
        + histogram("rpc", "from a remote procedure call to its answer") { $0.rpc ?? HistogramSnapshot() }

    private static func histogram(
        _ name: String, _ meaning: String, _ of: @escaping @Sendable (RunHistograms) -> HistogramSnapshot
    ) -> [Metric] {
        let percentiles = [50, 90, 95, 99, 99.9].map { percent in
            Metric("\(name).p\(percent == 99.9 ? "99.9" : "\(Int(percent))")", .milliseconds, meaning) {
                of($0.histograms).percentile(percent)
            }
        }
        return percentiles + [
            Metric("\(name).mean", .milliseconds, meaning) { of($0.histograms).mean },
            Metric("\(name).max", .milliseconds, meaning) { of($0.histograms).percentile(100) },
        ]
    }

    private static func media(
        _ kind: String, _ of: @escaping @Sendable (LoadResults) -> MediaCounters
    ) -> [Metric] {
        func inbound(
            _ name: String, _ meaning: String, _ better: Better? = .lower,
            _ field: @escaping @Sendable (InboundCounters) -> Int
        ) -> Metric {
            Metric("\(kind).\(name)", .count, meaning, better) { run in
                run.seconds.isEmpty ? nil : Double(field(of(run).inbound))
            }
        }
        return [
            Metric("\(kind).lossRatio", .ratio, "share of the expected packets that is lost") {
                of($0).inbound.lossRatio
            },
            inbound("packetsLost", "packets that are lost", .lower, { $0.packetsLost }),
            inbound("packetsExpected", "packets that were sent to subscribers", nil, { $0.packetsExpected }),
            inbound("packetsReceived", "packets that they received", .higher, { $0.packetsReceived }),
            inbound("packetsDuplicated", "packets that came twice", .lower, { $0.packetsDuplicated }),
            Metric("\(kind).bitrate", .bitsPerSecond, "received, all subscribers together, mean", .higher) { run in
                guard !run.seconds.isEmpty else { return nil }
                return Double(of(run).inbound.bytesReceived) * 8 / Double(run.seconds.count)
            },
        ]
    }

    private static let pictures: [Metric] = [
        Metric("video.freezeRatio", .ratio, "share of the time in which pictures stood still") {
            $0.video.inbound.freezeRatio
        },
        Metric("video.freezeCount", .count, "freezes") { $0.sum { $0.video.inbound.freezeCount } },
        Metric("video.totalFreezesDuration", .seconds, "time in which pictures stood still") { run in
            run.seconds.isEmpty ? nil : run.video.inbound.totalFreezesDuration
        },
        Metric("video.framesReceived", .count, "pictures that subscribers received", .higher) {
            $0.sum { $0.video.inbound.framesReceived }
        },
        Metric("video.framesDropped", .count, "pictures that could not be put together or decoded") {
            $0.sum { $0.video.inbound.framesDropped }
        },
        Metric("video.nackCount", .count, "retransmission requests (NACK) of subscribers") {
            $0.sum { $0.video.inbound.nackCount }
        },
        Metric("video.pliCount", .count, "key frame requests (PLI) of subscribers") {
            $0.sum { $0.video.inbound.pliCount }
        },
    ]

    private static let data: [Metric] = [
        Metric("messages.expected", .count, "messages that were sent to others", nil) {
            $0.data.count(\.messagesExpected)
        },
        Metric("messages.lost", .count, "messages that are lost") { $0.data.count(\.messagesLost) },
        Metric("messages.duplicated", .count, "messages that came twice") { $0.data.count(\.messagesDuplicated) },
        Metric("rpc.calls", .count, "remote procedure calls", nil) { $0.data.count(\.rpcCalls) },
        Metric("rpc.failures", .count, "those that failed") { $0.data.count(\.rpcFailures) },
    ]

    private static let tester: [Metric] = [
        Metric("tester.saturatedRatio", .ratio, "share of the seconds in which the tester was the bottleneck") { run in
            guard !run.seconds.isEmpty else { return nil }
            return Double(run.seconds.count { !$0.saturated.isEmpty }) / Double(run.seconds.count)
        },
        Metric("tester.loopLag", .milliseconds, "longest that a media loop came late") {
            $0.seconds.map(\.tester.loopLagMs).max()
        },
        Metric("tester.lateTimers", .count, "media timers that ran late") { $0.sum { $0.tester.lateTimers } },
        Metric("tester.sendQueueDelay", .milliseconds, "longest that a datagram waited for the kernel") {
            $0.seconds.map(\.tester.sendQueueDelayMs).max()
        },
        Metric("tester.receiveBufferDrops", .count, "datagrams that the tester did not read in time") {
            $0.sum { $0.tester.receiveBufferDrops }
        },
        Metric("tester.cpu", .cores, "processor of the tester, mean") { $0.mean { $0.tester.cpuProcess } },
        Metric("tester.heap", .bytes, "most heap in use of the tester") { run in
            run.seconds.compactMap(\.tester.heapBytes).max().map { Double($0) }
        },
    ]

    private static let server: [Metric] = [
        Metric("server.cpu", .cores, "processor of the server, mean") { $0.mean { $0.server?.cpuProcess } },
        Metric("server.memory", .bytes, "most resident memory of the server") { run in
            run.seconds.compactMap { $0.server?.residentBytes }.max().map { Double($0) }
        },
    ]
}

extension Optional where Wrapped == DataCounters {
    fileprivate func count(_ field: KeyPath<DataCounters, Int>) -> Double? { map { Double($0[keyPath: field]) } }
}

extension LoadResults {
    /// The sum over all seconds; nil without any.
    fileprivate func sum(_ count: (SecondSample) -> Int) -> Double? {
        seconds.isEmpty ? nil : seconds.reduce(0.0) { $0 + Double(count($1)) }
    }

    fileprivate func mean(_ value: (SecondSample) -> Double?) -> Double? {
        let values = seconds.compactMap(value)
        return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}
