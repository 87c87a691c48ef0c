import Testing

@testable import LoadResults

/// What the charts of a page show, by the words that stand under a pointer.
@Suite struct ChartContentTests {
    private func charts(_ run: LoadResults) -> String { TimeCharts(results: run, axis: TimeAxis(run)).html }
    private func tester(_ run: LoadResults) -> String { TesterSection(results: run, axis: TimeAxis(run)).html }

    /// The chart with that title.
    private func chart(_ title: String, _ html: String) throws -> String {
        try #require(
            html.split(separator: "<figure").first { $0.contains("<h3>\(title)</h3>") }.map(String.init), "\(title)")
    }

    @Test func participantsAndWhatBecameOfThem() throws {
        let html = try chart(
            "Participants",
            charts(
                HandMade.run(3) { sample in
                    sample.participants.joined = 10 + sample.second
                    sample.participants.joining = 2
                    if sample.second == 1 { (sample.participants.failures, sample.participants.losses) = (3, 4) }
                }))
        #expect(html.contains("<title>0:00&#10;in a room 10&#10;joining 2</title>"))
        #expect(html.contains("<title>0:01&#10;in a room 11&#10;joining 2&#10;failed or lost 7</title>"))
    }

    @Test func timesByPercentiles() throws {
        let run = HandMade.run(1) { $0.latency = HandMade.times([1_000, 1_000, 1_000, 40_000], digits: 2) }
        let html = try chart("Latency", charts(run))
        #expect(html.contains("median 1.00 ms&#10;p95 40.0 ms&#10;p99 40.0 ms"))
        #expect(!charts(run).contains("<h3>Round trips</h3>"))
    }

    @Test func lossIsOfEachKind() throws {
        let html = try chart(
            "Packets lost",
            charts(
                HandMade.run(2) { sample in
                    sample.video.inbound.packetsExpected = 100
                    sample.video.inbound.packetsLost = sample.second
                    sample.audio.inbound.packetsExpected = 50
                }))
        #expect(html.contains("<title>0:00&#10;video 0.00 %&#10;audio 0.00 %</title>"))
        #expect(html.contains("<title>0:01&#10;video 1.00 %&#10;audio 0.00 %</title>"))
    }

    @Test func bitratesAreOfBothKindsTogether() throws {
        let html = try chart(
            "Bitrate",
            charts(
                HandMade.run(1) { sample in
                    (sample.audio.inbound.bytesReceived, sample.video.inbound.bytesReceived) = (10_000, 90_000)
                    (sample.audio.outbound.bytesSent, sample.video.outbound.bytesSent) = (1_000, 1_500)
                }))
        #expect(html.contains("received 800 kbit/s&#10;sent 20.0 kbit/s"))
    }

    @Test func repairsAreSoManyASecond() throws {
        let run = HandMade.run(480) { sample in
            (sample.video.inbound.nackCount, sample.video.inbound.pliCount) = (6, 1)
            sample.video.inbound.freezeCount = sample.second % 2
        }
        let html = try chart("Freezes and repairs", charts(run))
        #expect(html.contains("retransmissions (NACK) 6.00 /s&#10;key frames (PLI) 1.00 /s&#10;freezes 0.50 /s"))
    }

    @Test func shadedSecondsAreExplained() {
        let healthy = HandMade.run(3) { $0.participants.joined = 1 }
        #expect(
            !charts(healthy).contains("satkey") && tester(healthy).contains("The tester was healthy in every second."))
        var starved = HandMade.run(3) { if $0.second == 1 { $0.saturated = [.lateTimers] } }
        starved.judge()
        #expect(charts(starved).contains("In the shaded seconds the tester was the bottleneck."))
        #expect(tester(starved).contains("The tester was the bottleneck in 1 of 3 seconds (1): media timers ran late."))
    }

    @Test func theTestersProcessorAndMemory() throws {
        let run = HandMade.run(1) { sample in
            sample.tester.cpuProcess = 0.5
            sample.tester.threads = [ThreadCPU(name: "a", cpu: 0.3), ThreadCPU(name: "b", cpu: 0.4)]
            sample.tester.cpuMachine = 1.5
            sample.tester.heapBytes = 2 << 20
            sample.tester.residentBytes = 4 << 20
            sample.server = ServerHealth(cpuProcess: 0.75, residentBytes: 8 << 20)
        }
        let processor = try chart("Processor", tester(run))
        #expect(
            processor.contains(
                "tester 0.50 cores&#10;its busiest thread 0.40 cores&#10;server 0.75 cores&#10;whole machine 1.50 cores"
            ))
        #expect(processor.contains("Cores in use; of 2."))
        #expect(try chart("Memory", tester(run)).contains("heap 2.00 MiB&#10;resident 4.00 MiB&#10;server 8.00 MiB"))
    }

    @Test func theTestersDelaysAndDrops() throws {
        let run = HandMade.run(1) { sample in
            (sample.tester.loopLagMs, sample.tester.sendQueueDelayMs) = (12, 3)
            (sample.tester.lateTimers, sample.tester.receiveBufferDrops, sample.tester.sendFailures) = (9, 2, 3)
        }
        #expect(
            try chart("Delays", tester(run)).contains("media loops late by 12.0 ms&#10;wait for the kernel 3.00 ms"))
        #expect(
            try chart("Late timers and drops", tester(run)).contains(
                "late timers 9.00 /s&#10;dropped datagrams 5.00 /s"))
    }

    @Test func aRunWithoutSecondsHasNoCharts() {
        #expect(charts(HandMade.run(0)).isEmpty && tester(HandMade.run(0)).isEmpty)
    }

    @Test func allReasonsHaveWords() {
        #expect(Set(SaturationReason.allCases.map(\.words)).count == SaturationReason.allCases.count)
    }
}
