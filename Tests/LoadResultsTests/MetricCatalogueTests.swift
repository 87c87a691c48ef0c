import LoadResults
import Testing

/// What each metric is, of runs whose numbers can be added up by hand.
@Suite struct MetricCatalogueTests {
    private func value(_ name: String, _ run: LoadResults) throws -> Double? {
        try #require(Metric.named(name)).value(run)
    }

    @Test func participantsAreCountedOverTheSeconds() throws {
        let run = HandMade.run(4) { sample in
            sample.participants.joined = [1, 5, 9, 7][sample.second]
            sample.participants.joins = [1, 4, 4, 0][sample.second]
            sample.participants.failures = [0, 0, 1, 2][sample.second]
            sample.participants.losses = [0, 0, 0, 2][sample.second]
        }
        #expect(try value("participants.peak", run) == 9)
        #expect(try value("participants.joins", run) == 9)
        #expect(try value("participants.joinRate", run) == 4)
        #expect(try value("participants.failures", run) == 3)
        #expect(try value("participants.failureRatio", run) == 0.25)
        #expect(try value("participants.losses", run) == 2)
    }

    @Test func whereNobodyTriedNothingFailed() throws {
        #expect(try value("participants.failureRatio", HandMade.run(3)) == nil)
        #expect(try value("participants.joins", HandMade.run(3)) == 0)
    }

    @Test(arguments: ["audio", "video"])
    func mediaAreOfTheirKindAlone(kind: String) throws {
        let path: WritableKeyPath<SecondSample, MediaCounters> = kind == "audio" ? \.audio : \.video
        let run = HandMade.run(2) { sample in
            sample[keyPath: path].inbound.packetsExpected = 200
            sample[keyPath: path].inbound.packetsReceived = 190
            sample[keyPath: path].inbound.packetsLost = 10
            sample[keyPath: path].inbound.packetsDuplicated = 3
            sample[keyPath: path].inbound.bytesReceived = 1_000
        }
        #expect(try value("\(kind).lossRatio", run) == 0.05)
        #expect(try value("\(kind).packetsExpected", run) == 400)
        #expect(try value("\(kind).packetsReceived", run) == 380)
        #expect(try value("\(kind).packetsLost", run) == 20)
        #expect(try value("\(kind).packetsDuplicated", run) == 6)
        #expect(try value("\(kind).bitrate", run) == 8_000)
        let other = kind == "audio" ? "video" : "audio"
        #expect(try value("\(other).packetsExpected", run) == 0)
        #expect(try value("\(other).lossRatio", run) == nil)
    }

    @Test func picturesStandStillForAShareOfTheirTime() throws {
        let run = HandMade.run(5) { sample in
            sample.video.inbound.totalDuration = 4
            sample.video.inbound.freezeCount = 1
            sample.video.inbound.totalFreezesDuration = 0.2
            sample.video.inbound.framesReceived = 120
            sample.video.inbound.framesDropped = 2
            sample.video.inbound.nackCount = 7
            sample.video.inbound.pliCount = 1
        }
        #expect(try abs((value("video.freezeRatio", run) ?? 0) - 0.05) < 1e-12)
        #expect(try value("video.freezeCount", run) == 5)
        #expect(try abs((value("video.totalFreezesDuration", run) ?? 0) - 1) < 1e-12)
        #expect(try value("video.framesReceived", run) == 600)
        #expect(try value("video.framesDropped", run) == 10)
        #expect(try value("video.nackCount", run) == 35)
        #expect(try value("video.pliCount", run) == 5)
    }

    @Test(arguments: ["join", "firstAudio", "firstVideo", "latency", "roundTripTime", "rpc"])
    func timesHavePercentiles(name: String) throws {
        var run = HandMade.run(1)
        let times = HandMade.times((1...1_000).map { $0 * 10 })
        switch name {
        case "join": run.histograms.join = times
        case "firstAudio": run.histograms.firstAudio = times
        case "firstVideo": run.histograms.firstVideo = times
        case "latency": run.histograms.latency = times
        case "rpc": run.histograms.rpc = times
        default: run.histograms.roundTripTime = times
        }
        for (percentile, wanted) in [
            ("p50", 5.0), ("p90", 9), ("p95", 9.5), ("p99", 9.9), ("p99.9", 9.99), ("max", 10),
        ] {
            let measured = try #require(try value("\(name).\(percentile)", run))
            #expect(abs(measured - wanted) < 0.011, "\(percentile) \(measured)")
        }
        #expect(try abs((value("\(name).mean", run) ?? 0) - 5.005) < 0.01)
        for other in ["join", "latency", "rpc"] where other != name { #expect(try value("\(other).p50", run) == nil) }
    }

    @Test func messagesAndCalls() throws {
        var run = HandMade.run(1)
        #expect(try value("messages.lost", run) == nil && value("rpc.calls", run) == nil)
        var data = DataCounters()
        (data.messagesExpected, data.messagesReceived, data.messagesLost, data.messagesDuplicated) = (10, 8, 2, 1)
        (data.rpcCalls, data.rpcAnswers, data.rpcFailures) = (5, 3, 1)
        run.data = data
        #expect(try value("messages.expected", run) == 10)
        #expect(try value("messages.lost", run) == 2)
        #expect(try value("messages.duplicated", run) == 1)
        #expect(try value("rpc.calls", run) == 5)
        #expect(try value("rpc.failures", run) == 1)
    }

    @Test func theTesterAndTheServer() throws {
        let run = HandMade.run(4) { sample in
            let second = Double(sample.second)
            sample.tester.loopLagMs = 10 * second
            sample.tester.lateTimers = 2
            sample.tester.sendQueueDelayMs = 30 - second
            sample.tester.receiveBufferDrops = sample.second
            sample.tester.cpuProcess = second
            if sample.second == 2 { sample.tester.heapBytes = 900 }
            if sample.second > 0 {
                sample.server = ServerHealth(cpuProcess: second, residentBytes: 100 * Int64(second))
            }
            if sample.second == 3 { sample.saturated = [.loopLag] }
        }
        #expect(try value("tester.saturatedRatio", run) == 0.25)
        #expect(try value("tester.loopLag", run) == 30)
        #expect(try value("tester.lateTimers", run) == 8)
        #expect(try value("tester.sendQueueDelay", run) == 30)
        #expect(try value("tester.receiveBufferDrops", run) == 6)
        #expect(try value("tester.cpu", run) == 1.5)
        #expect(try value("tester.heap", run) == 900)
        // Of the seconds in which it was seen.
        #expect(try value("server.cpu", run) == 2)
        #expect(try value("server.memory", run) == 300)
    }

    @Test func whatIsNeitherBetterNorWorse() {
        let neutral = Metric.all.filter { $0.better == nil }.map(\.name)
        #expect(neutral == ["audio.packetsExpected", "video.packetsExpected", "messages.expected", "rpc.calls"])
        #expect(Metric.named("participants.peak")?.better == .higher)
        #expect(Metric.named("join.p95")?.better == .lower)
    }

    @Test(arguments: [
        ("joni.p95", "join.p95"), ("video.freezRatio", "video.freezeRatio"), ("JOIN.P50", "join.p50"),
        ("rpc.failure", "rpc.failures"), ("message.lost", "messages.lost"),
    ])
    func theNearestName(wrong: String, right: String) {
        #expect(Metric.named(wrong) == nil || wrong == right)
        #expect(Metric.nearest(to: wrong) == right)
    }
}
