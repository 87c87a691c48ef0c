import RTCWire
import Testing

@testable import MediaCore

@Suite struct AudioJitterBufferTests {
    private func buffer() -> AudioJitterBuffer<FakeDecoder> { AudioJitterBuffer(decoder: FakeDecoder()) }

    private func settled() -> AudioJitterBuffer<FakeDecoder> {
        AudioJitterBuffer(decoder: FakeDecoder(), configuration: .settled)
    }

    private func cleanNetwork(_ packets: Int, pull: Int, phase: Int) -> PlayoutSimulation {
        var simulation = PlayoutSimulation(count: packets) { _ in 20 }
        simulation.pull = pull
        simulation.phase = .milliseconds(phase)
        return simulation
    }

    @Test(arguments: [480, 960], [0, 3, 9, 13, 19])
    func cleanNetworkHasNoConcealment(pull: Int, phase: Int) {
        let simulation = cleanNetwork(1_000, pull: pull, phase: phase)
        let buffer = settled()
        let sound = simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.concealedSamples == 0 && statistics.unsettledSamples == 0)
        #expect(statistics.comfortSamples == 0)
        #expect(statistics.acceleratedSamples == 0 && statistics.expandedSamples == 0)
        #expect(statistics.packetsDecoded > 990)
        #expect(statistics.delayMaximum <= .milliseconds(pull == 480 ? 35 : 45))
        // Nothing but the sender's sine, without a seam.
        for (index, sample) in sound.enumerated() where sample != FakeDecoder.sound(index) {
            Issue.record("sample \(index) differs")
            break
        }
    }

    /// Of a new stream nothing is known: it waits longer for a second, and then no longer than it has to.
    @Test(arguments: [0, 9, 19]) func aBeginningWaitsLonger(phase: Int) {
        var simulation = PlayoutSimulation(count: 900) { $0 < 40 ? 20 + Double($0 % 4) * 12 : 20 }
        simulation.phase = .milliseconds(phase)
        let buffer = buffer()
        var last = Interval.zero
        simulation.run(buffer) { _, _ in last = buffer.statistics.currentDelay }
        let statistics = buffer.statistics
        #expect(statistics.concealedSamples == 0 && statistics.unsettledSamples == 0)
        #expect(statistics.delayMaximum <= .milliseconds(100))
        #expect(last.milliseconds <= 40)
    }

    /// On a clean way the wait of its beginning is given up, whatever is played at once and whenever: counted with what has been
    /// decoded and not yet played.
    @Test(arguments: [480, 960], [0, 3, 9, 13, 19])
    func aCleanBeginningSettles(pull: Int, phase: Int) {
        let simulation = cleanNetwork(3_000, pull: pull, phase: phase)
        let buffer = buffer()
        simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.concealedSamples == 0 && statistics.unsettledSamples == 0)
        #expect(statistics.delayMean <= .milliseconds(36))
    }

    /// A queue fills on the way, by 8 ms a packet: sound is played slower before packets come too late.
    @Test func aGrowingQueueIsFollowed() {
        let simulation = PlayoutSimulation(count: 600) { 20 + min(max(Double($0) - 300, 0) * 8, 160) }
        let buffer = settled()
        simulation.run(buffer)
        let statistics = buffer.statistics
        print("a queue of 160 ms: \(statistics.concealedMilliseconds) ms invented")
        #expect(statistics.concealedMilliseconds < 80 && statistics.expandedSamples > 3_840)
    }

    /// A busy machine: senders and relays are some milliseconds late now and then.
    @Test(arguments: 0..<5)
    func schedulingJitterIsAbsorbed(seed: Int) {
        var random = TraceRandom(seed: UInt64(seed))
        let simulation = PlayoutSimulation(count: 3_000) { _ in
            Double(random.float(0, 2)) + (random.chance(0.05) ? Double(random.float(0, 10)) : 0)
        }
        let buffer = buffer()
        simulation.run(buffer)
        #expect(buffer.statistics.concealedSamples == 0 && buffer.statistics.unsettledSamples == 0)
        #expect(buffer.statistics.delayMean <= .milliseconds(40))
    }

    @Test func jitterRaisesTheDelayAndCalmLowersIt() {
        var random = TraceRandom(seed: 1)
        var simulation = PlayoutSimulation(count: 3_000) { index in
            (1_000..<2_000).contains(index) ? 20 + Double(random.float(0, 80)) : 20
        }
        let buffer = buffer()
        var highest = Interval.zero
        var last = Interval.zero
        simulation.phase = .milliseconds(5)
        simulation.run(buffer) { _, _ in
            highest = max(highest, buffer.statistics.currentDelay)
            last = buffer.statistics.currentDelay
        }
        let statistics = buffer.statistics
        #expect((70...120).contains(highest.milliseconds))
        #expect(last <= .milliseconds(45))
        #expect(statistics.acceleratedSamples > 0)
        // Learning costs a little; a thousand packets of jitter then hardly anything.
        #expect(statistics.concealedMilliseconds < 400)
    }

    @Test func lossIsConcealedByItsOwnLength() {
        var random = TraceRandom(seed: 2)
        var lost = 0
        let simulation = PlayoutSimulation(count: 3_000) { index in
            guard index > 10, index < 2_990, random.chance(0.05) else { return 20 }
            lost += 1
            return nil
        }
        let buffer = buffer()
        simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.packetsLost == lost)
        #expect(abs(statistics.concealedSamples - lost * 960) <= lost * 60)
        #expect(statistics.packetsRecovered == 0)
        #expect(statistics.delayMean <= .milliseconds(45))
    }

    @Test func redundancyReplacesSingleLosses() {
        var random = TraceRandom(seed: 3)
        var lost = 0
        var before = false
        let simulation = PlayoutSimulation(count: 3_000, redundancy: true) { index in
            guard index > 10, index < 2_990, !before, random.chance(0.05) else {
                before = false
                return 20
            }
            before = true
            lost += 1
            return nil
        }
        let buffer = buffer()
        simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.packetsRecovered + statistics.packetsLost == lost)
        #expect(statistics.packetsRecovered >= lost - 1)
        #expect(statistics.concealedSamples <= 2 * 960)
        #expect(statistics.delayMean <= .milliseconds(60))
    }

    @Test func reorderedAndDoubledPacketsAreSorted() {
        var simulation = PlayoutSimulation(count: 1_000) { index in index % 7 == 3 ? 45 : 20 }
        simulation.packets += simulation.packets.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)
        simulation.packets.sort { $0.arrival < $1.arrival }
        let buffer = buffer()
        simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.packetsDuplicated == 200)
        #expect(statistics.packetsLate <= 2)
        #expect(statistics.concealedMilliseconds <= 60)
    }

    @Test func aSenderThatStopsIsNotConcealed() {
        let muted = 500..<900
        let simulation = PlayoutSimulation(count: 1_500, kind: { muted.contains($0) ? nil : 0 }) { _ in 20 }
        let buffer = buffer()
        simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.concealedSamples == 0)
        #expect(abs(statistics.comfortSamples - muted.count * 960) < 960)
        #expect(statistics.packetsLost == 0)
        #expect(statistics.delayMean <= .milliseconds(35))
    }

    @Test func discontinuousTransmissionIsComfort() {
        // After a marker one packet in 400 ms, then sound again.
        let simulation = PlayoutSimulation(
            count: 2_000,
            kind: { index in
                let position = index % 200
                if position < 100 { return 0 }
                return (position - 100) % 20 == 0 ? 1 : nil
            }
        ) { _ in 20 }
        let buffer = buffer()
        simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.concealedSamples == 0 && statistics.unsettledSamples == 0)
        // The last marker's 400 ms lie behind the end.
        #expect(abs(statistics.comfortSamples - 980 * 960) < 3_000)
    }

    @Test func lossWithinDiscontinuousTransmissionCounts() {
        let simulation = PlayoutSimulation(
            count: 400, kind: { (100..<300).contains($0) ? ($0 - 100) % 20 == 0 ? 1 : nil : 0 }
        ) { (300..<303).contains($0) ? nil : 20 }
        let buffer = buffer()
        simulation.run(buffer)
        #expect(buffer.statistics.packetsLost == 3)
        #expect(abs(buffer.statistics.concealedSamples - 3 * 960) <= 1_500)
    }

    @Test func anExpectedPauseNeedsNoNextPacket() {
        let simulation = PlayoutSimulation(count: 200) { _ in 20 }
        let buffer = buffer()
        simulation.run(buffer)
        var frame = [Int16](repeating: 0, count: 480)
        for step in 0..<200 {
            let now = Instant.zero + .seconds(5) + .milliseconds(10 * step)
            if step == 20 {
                #expect(buffer.statistics.unsettledSamples > 0)
                buffer.expectPause()
            }
            _ = frame.withUnsafeMutableBufferPointer { buffer.pull(frames: 480, now: now, into: $0) }
        }
        #expect(frame.allSatisfy { $0 == 0 })
        #expect(buffer.statistics.concealedSamples == 0)
        #expect(buffer.statistics.unsettledSamples == 0)
    }

    /// Three minutes, and an hour.
    @Test(arguments: [(-300e-6, 9_000), (300e-6, 9_000), (-200e-6, 180_000), (200e-6, 180_000)])
    func clockDriftIsFollowed(drift: Double, packets: Int) {
        let simulation = PlayoutSimulation(count: packets, drift: drift) { _ in 20 }
        let buffer = buffer()
        simulation.run(buffer)
        let statistics = buffer.statistics
        #expect(statistics.concealedSamples + statistics.unsettledSamples <= 960)
        #expect(statistics.delayMaximum <= .milliseconds(95))
        let meant = Double(packets) * 20 * abs(drift)
        let stretched = drift > 0 ? statistics.acceleratedSamples : statistics.expandedSamples
        #expect(((meant - 40)...(meant + 60)).contains(Double(stretched) / 48))
    }

    /// The reader sleeps for 90 ms now and then: it finds the packets of that time, and then plays what was due meanwhile.
    @Test func aLateReaderConcealsNothing() {
        let buffer = AudioJitterBuffer(decoder: FakeDecoder())
        let ticks = 3_000
        var frame = [Int16](repeating: 0, count: 960)
        func wakes(_ tick: Int) -> Int { tick % 25 < 5 ? tick - tick % 25 + 5 : tick }
        var next = 0
        for wake in 0..<ticks where wakes(wake) == wake {
            let now = Instant.zero + .milliseconds(20 * wake)
            while next * 20 + 3 <= wake * 20 {
                FakeDecoder.packet(next).withUnsafeBytes {
                    buffer.insert($0, timestamp: UInt32(next * 960), sequence: Int64(next), ssrc: 7, arrival: now)
                }
                next += 1
            }
            for tick in (wake % 25 == 5 ? wake - 5 : wake)...wake {
                let due = Instant.zero + .milliseconds(20 * tick)
                _ = frame.withUnsafeMutableBufferPointer { buffer.pull(frames: 960, now: due, into: $0) }
            }
        }
        #expect(buffer.statistics.concealedSamples < 960 * 6, "but for the beginning")
        #expect(buffer.statistics.packetsLate == 0)
        #expect(buffer.statistics.packetsDecoded > ticks - 60)
        #expect(buffer.statistics.delayMean >= .zero)
    }

    @Test func anOutageEnds() {
        // Three seconds of blackout; the network keeps the packets and delivers them at once.
        let simulation = PlayoutSimulation(count: 1_500) { index in
            (500..<650).contains(index) ? 20 + Double(650 - index) * 20 : 20
        }
        let buffer = buffer()
        var last = Interval.zero
        simulation.run(buffer) { _, _ in last = buffer.statistics.currentDelay }
        let statistics = buffer.statistics
        #expect((2_400...3_100).contains(statistics.concealedMilliseconds))
        #expect(statistics.concealmentEvents <= 3)
        #expect(last <= .milliseconds(60))
    }

    /// What was lost meanwhile is sent again when the path is back: late, but for no jitter.
    @Test func repairsAfterAnOutageTeachNothing() {
        let simulation = PlayoutSimulation(count: 1_500) { index in
            guard (500..<750).contains(index) else { return 20 }
            return index < 686 ? nil : 80 + Double(750 - index) * 20
        }
        let buffer = buffer()
        let end = Instant.zero + .seconds(1 + 750 * 0.02 + 0.3)
        var highest = Interval.zero
        var concealed = 0
        simulation.run(buffer) { now, _ in
            guard now > end else { return concealed = buffer.statistics.concealedSamples }
            highest = max(highest, buffer.targetDelay)
        }
        #expect(highest <= .milliseconds(40), "\(highest.milliseconds) ms")
        #expect((4_500...5_200).contains(buffer.statistics.concealedMilliseconds))
        #expect(buffer.statistics.concealedSamples == concealed, "nothing after it was concealed")
    }

    @Test func aLongerRouteIsFollowed() {
        let simulation = PlayoutSimulation(count: 3_000) { index in index < 1_000 ? 20 : 140 }
        let buffer = buffer()
        var last = Interval.zero
        simulation.run(buffer) { _, _ in last = buffer.statistics.currentDelay }
        #expect(buffer.statistics.concealedMilliseconds <= 160)
        #expect(last <= .milliseconds(45))
    }

    @Test func anotherSSRCBeginsAnew() {
        var simulation = PlayoutSimulation(count: 1_000) { _ in 20 }
        for index in 500..<1_000 {
            simulation.packets[index].ssrc = 8
            simulation.packets[index].sequence -= 3_000_000
            simulation.packets[index].timestamp &-= 77_777
        }
        let buffer = buffer()
        simulation.run(buffer)
        #expect(buffer.statistics.resets == 1)
        #expect(buffer.statistics.packetsDecoded >= 993)
        #expect(buffer.statistics.concealedMilliseconds <= 20)
    }

    @Test(arguments: [1_000_000, -1_000_000, 40_000, -40_000, -2_000_000_000])
    func timestampJumpsAreFollowed(jump: Int) {
        var simulation = PlayoutSimulation(count: 1_000) { _ in 20 }
        for index in 500..<1_000 { simulation.packets[index].timestamp &+= UInt32(truncatingIfNeeded: jump) }
        let buffer = buffer()
        simulation.run(buffer)
        #expect(buffer.statistics.packetsDecoded >= 990)
        #expect(buffer.statistics.concealedMilliseconds <= 100)
    }

    @Test func sequenceJumpsAreFollowed() {
        var simulation = PlayoutSimulation(count: 1_500) { _ in 20 }
        for index in 500..<1_500 { simulation.packets[index].sequence += index < 1_000 ? 20_000 : -20_000 }
        let buffer = buffer()
        simulation.run(buffer)
        #expect(buffer.statistics.resets == 2)
        #expect(buffer.statistics.packetsDecoded >= 1_480)
        #expect(buffer.statistics.concealedMilliseconds <= 120)
    }

    @Test func undecodablePacketsAreConcealed() {
        let simulation = PlayoutSimulation(count: 500, kind: { $0 % 50 == 49 ? 2 : 0 }) { _ in 20 }
        let buffer = buffer()
        simulation.run(buffer)
        #expect(buffer.statistics.packetsUnreadable >= 9)
        #expect(buffer.statistics.concealedSamples == buffer.statistics.packetsUnreadable * 960)
    }

    @Test func paddingIsNoLoss() {
        let simulation = PlayoutSimulation(count: 300) { _ in 20 }
        var padded = simulation
        padded.packets = simulation.packets.enumerated().flatMap { index, packet in
            var copy = packet
            copy.sequence += Int64(index / 10)
            guard index % 10 == 9 else { return [copy] }
            var padding = copy
            padding.sequence += 1
            padding.payload = []
            return [copy, padding]
        }
        let buffer = buffer()
        padded.run(buffer)
        #expect(buffer.statistics.concealedSamples == 0)
        #expect(buffer.statistics.packetsLost == 0)
    }

    /// Anything may come; nothing may trap, and each pull gives what it was asked for.
    @Test(arguments: 0..<8)
    func survivesHostilePackets(seed: Int) {
        var random = TraceRandom(seed: UInt64(seed))
        let buffer = buffer()
        var frame = [Int16](repeating: 0, count: 5_760)
        var pulled = 0
        for step in 0..<5_000 {
            var sequence = Int64(step + random.integer(10) - 5)
            if random.chance(0.002) { sequence = Int64(truncatingIfNeeded: random.next()) }
            if random.chance(0.001) { sequence = random.chance(0.5) ? .max : .min }
            var timestamp = UInt32(truncatingIfNeeded: step * 960)
            if random.chance(0.01) { timestamp = UInt32(truncatingIfNeeded: random.next()) }
            let payload = FakeDecoder.packet(step, kind: UInt8(random.integer(4)), redundancy: random.chance(0.5))
            let now = Instant.zero + .milliseconds(20 * step)
            payload.withUnsafeBytes {
                buffer.insert(
                    UnsafeRawBufferPointer(rebasing: $0[..<(random.chance(0.95) ? 10 : random.integer(10))]),
                    timestamp: timestamp, sequence: sequence, ssrc: random.chance(0.001) ? 2 : 1,
                    arrival: now - .milliseconds(random.integer(100)))
            }
            guard random.chance(0.8) else { continue }
            let count = random.chance(0.9) ? 960 : random.integer(6_000)
            frame.withUnsafeMutableBufferPointer { _ = buffer.pull(frames: count, now: now, into: $0) }
            pulled += min(count, 5_760)
        }
        #expect(buffer.statistics.totalSamples <= pulled)
        #expect(buffer.statistics.totalSamples > pulled / 2)
    }

    @Test func extremeTimesDoNotTrap() {
        let buffer = buffer()
        var frame = [Int16](repeating: 0, count: 960)
        for (index, time) in [Int64.max, .min, 0, .max - 1, 1].enumerated() {
            FakeDecoder.packet(index).withUnsafeBytes {
                buffer.insert(
                    $0, timestamp: UInt32(index) &* 4_000_000_000, sequence: Int64(index), ssrc: 1,
                    arrival: Instant(nanoseconds: time))
            }
            for _ in 0..<3 {
                frame.withUnsafeMutableBufferPointer {
                    _ = buffer.pull(frames: 960, now: Instant(nanoseconds: time), into: $0)
                }
            }
        }
        #expect(buffer.statistics.packetsReceived == 5)
    }
}
