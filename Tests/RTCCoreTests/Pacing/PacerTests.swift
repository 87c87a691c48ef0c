import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// The pacer alone, in hand-driven time.
struct PacerTests {
    private func packet(_ number: Int, isRepetition: Bool = false, now: Instant) -> PacedPacket {
        PacedPacket(
            stream: 1, sequence: UInt16(truncatingIfNeeded: number), isRepetition: isRepetition, isKeptSealed: false,
            payloadOffset: 12, length: 1172, queued: now)
    }

    /// What a picture's packet meets: nil where it leaves at once.
    @discardableResult
    private func offer(_ number: Int, isRepetition: Bool = false, to pacer: inout Pacer, now: Instant) -> Bool {
        guard pacer.holds(isRepetition ? .repetition : .media, now: now) else {
            pacer.note(bytes: 1172, now: now)
            return true
        }
        let bytes = [UInt8](repeating: 0, count: 1172)
        let packet = packet(number, isRepetition: isRepetition, now: now)
        let held = bytes.withUnsafeBytes { pacer.append($0, packet, now: now) }
        #expect(held)
        return false
    }

    /// What leaves, and when, until nothing waits.
    private func drain(_ pacer: inout Pacer) -> [(sequence: UInt16, at: Instant)] {
        var left: [(sequence: UInt16, at: Instant)] = []
        var target = [UInt8](repeating: 0, count: 1500)
        while !pacer.isEmpty {
            let now = pacer.deadline(canProbe: false, now: .zero)
            let before = left.count
            while let packet = target.withUnsafeMutableBytes({ pacer.takeNext(into: $0, now: now) }) {
                pacer.note(bytes: packet.length, now: now)
                left.append((packet.sequence ?? 0, now))
            }
            #expect(left.count > before)
        }
        return left
    }

    /// At 600 kbit/s a picture of 2,500 bytes is an ordinary one.
    @Test func anOrdinaryPictureLeavesAtOnce() {
        var pacer = Pacer(rate: 600_000)
        for number in 0..<3 { #expect(offer(number, to: &pacer, now: .zero)) }
        #expect(!offer(3, to: &pacer, now: .zero))
        #expect(pacer.waitingPackets == 1)
    }

    /// A key frame of 24,000 bytes at 400 kbit/s leaves at a megabit: in portions, 190 ms long.
    @Test func aKeyFrameIsSpread() {
        var pacer = Pacer(rate: 400_000)
        for number in 0..<20 { offer(number, to: &pacer, now: .zero) }
        let left = drain(&pacer)
        #expect(left.map(\.sequence) == Array(UInt16(20 - left.count)..<20))
        let length = left.last?.at.nanoseconds ?? 0
        #expect((160_000_000...200_000_000).contains(length))
        for (first, second) in zip(left, left.dropFirst(2)) { #expect(second.at - first.at >= .milliseconds(5)) }
    }

    /// The same where the path has shown its end: at 480 kbit/s, 360 ms long.
    @Test func aLimitedPathIsNotOverrun() {
        var pacer = Pacer(rate: 400_000)
        pacer.setRate(400_000, isLimited: true, now: .zero)
        for number in 0..<20 { offer(number, to: &pacer, now: .zero) }
        let length = drain(&pacer).last?.at.nanoseconds ?? 0
        #expect((340_000_000...380_000_000).contains(length))
    }

    @Test func soundNeverWaitsAndIsCounted() {
        var pacer = Pacer(rate: 400_000)
        for number in 0..<10 { offer(number, to: &pacer, now: .zero) }
        let before = pacer.deadline(canProbe: false, now: .zero)
        let holdsSound = pacer.holds(.control, now: .zero)
        #expect(!holdsSound)
        for _ in 0..<5 { pacer.note(bytes: 172, now: .zero) }
        #expect(pacer.deadline(canProbe: false, now: .zero) - before == .milliseconds(8))
    }

    @Test func repetitionsLeaveBeforePictures() {
        var pacer = Pacer(rate: 400_000)
        for number in 0..<8 { offer(number, to: &pacer, now: .zero) }
        for number in 100..<103 { offer(number, isRepetition: true, to: &pacer, now: .zero) }
        #expect(drain(&pacer).prefix(4).map(\.sequence) == [100, 101, 102, 2])
    }

    /// However little the path bears, nothing waits for much longer than half a second.
    @Test(arguments: [50_000, 100_000, 400_000]) func waitingIsBounded(_ rate: Int) {
        var pacer = Pacer(rate: Double(rate))
        for number in 0..<60 { offer(number, to: &pacer, now: .zero) }
        let length = (drain(&pacer).last?.at ?? Instant.zero) - Instant.zero
        #expect(length < .milliseconds(600))
    }

    /// What left while the path was wide keeps back what comes after, and not for longer.
    @Test(arguments: [50_000, 200_000]) func aPathThatGetsNarrowKeepsTheBound(_ rate: Int) {
        var pacer = Pacer(rate: 20_000_000)
        while offer(0, to: &pacer, now: .zero) {}
        pacer.setRate(Double(rate), isLimited: true, now: .zero)
        for number in 1..<6 { offer(number, to: &pacer, now: .zero) }
        let length = (drain(&pacer).last?.at ?? Instant.zero) - Instant.zero
        #expect(length < .milliseconds(510))
    }

    /// Nor does sound that leaves ahead, at more than the path bears.
    @Test func soundAheadKeepsTheBound() {
        var pacer = Pacer(rate: 50_000)
        for number in 0..<20 { offer(number, to: &pacer, now: .zero) }
        var (now, target) = (Instant.zero, [UInt8](repeating: 0, count: 1500))
        while !pacer.isEmpty, now < Instant.zero + .seconds(2) {
            now += .milliseconds(5)
            if now.nanoseconds % 20_000_000 == 0 { pacer.note(bytes: 160, now: now) }
            while let packet = target.withUnsafeMutableBytes({ pacer.takeNext(into: $0, now: now) }) {
                pacer.note(bytes: packet.length, now: now)
            }
        }
        #expect(now <= Instant.zero + .milliseconds(510))
    }

    /// Memory is kept while queues are used, and given back afterwards.
    @Test func memoryIsGivenBackOnceNothingWaits() {
        var pacer = Pacer(rate: 400_000)
        for number in 0..<20 { offer(number, to: &pacer, now: .zero) }
        pacer.trim()
        #expect(pacer.waitingPackets > 0)
        _ = drain(&pacer)
        #expect(pacer.memory > 16_000)
        pacer.trim()
        #expect(pacer.memory == 0)
        for number in 0..<20 { offer(number, to: &pacer, now: .zero + .seconds(1)) }
        _ = drain(&pacer)
        pacer.trim()
        #expect(pacer.memory > 16_000)
        pacer.trim()
        #expect(pacer.memory == 0)
    }

    @Test func whatDrainsMayBeSentAgain() {
        var pacer = Pacer(rate: 400_000)
        while offer(0, to: &pacer, now: .zero) {}
        _ = drain(&pacer)
        let later = Instant.zero + .seconds(1)
        #expect(offer(1, to: &pacer, now: later) && offer(2, to: &pacer, now: later))
    }

    /// A cluster is 15 ms long and has its rate, whatever else is sent meanwhile.
    @Test func aProbeKeepsItsRate() {
        var pacer = Pacer(rate: 300_000)
        pacer.probes.add(ProbeCluster(id: 1, rate: 1_800_000), now: .zero)
        var sent: [(bytes: Int, at: Instant)] = []
        var now = Instant.zero
        while !pacer.probes.isIdle {
            now = max(now, pacer.deadline(canProbe: true, now: now))
            var due = pacer.probes.due(at: now)
            while due > 0 {
                #expect(pacer.probes.id == 1)
                pacer.note(bytes: 262, now: now)
                sent.append((290, now))
                due -= 290
            }
        }
        let bytes = sent.dropLast().reduce(0) { $0 + $1.bytes }
        let length = ((sent.last?.at ?? Instant.zero) - Instant.zero).seconds
        #expect(sent.count >= 12 && length > 0.012 && length < 0.02)
        let rate = Double(bytes * 8) / length
        #expect(rate > 1_500_000 && rate < 2_200_000)
        #expect(pacer.deadline(canProbe: true, now: now) == .distantFuture)
    }
}
