import RTCWire
import Testing

@testable import MediaCore

/// RFC 2198 from the sender's wrapping to the jitter buffer, in virtual time.
@Suite struct RedundancyPlayoutTests {
    /// Speech over a network that loses every fifth packet or so, never two in a row; the receiver unpacks what comes.
    private func concealed(depth: Int?, lost: Set<Int>, packets: [[UInt8]]) throws -> AudioPlayoutStatistics {
        let buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1))
        var redundancy = depth.map { AudioRedundancy(payloadType: 111, depth: $0) }
        var frame = [Int16](repeating: 0, count: 480)
        var now = Instant.zero + .seconds(1)
        for (index, packet) in packets.enumerated() {
            let timestamp = 1_000 &+ UInt32(index) * 960
            let sent = redundancy?.wrap(packet, timestamp: timestamp, limit: 1_100) ?? packet
            let arrival = Instant.zero + .seconds(1) + .milliseconds(20) * index
            if !lost.contains(index) {
                receive(sent, isRED: depth != nil, timestamp: timestamp, sequence: Int64(index), arrival, into: buffer)
            }
            while now < arrival + .milliseconds(20) {
                now += .milliseconds(10)
                frame.withUnsafeMutableBufferPointer { _ = buffer.pull(frames: 480, now: now, into: $0) }
            }
        }
        return buffer.statistics
    }

    private func receive(
        _ payload: [UInt8], isRED: Bool, timestamp: UInt32, sequence: Int64, _ arrival: Instant,
        into buffer: AudioJitterBuffer<OpusDecoder>
    ) {
        payload.withUnsafeBytes { bytes in
            AudioUnpacking.insert(
                bytes, isRED: isRED, timestamp: timestamp, sequence: sequence, ssrc: 7, arrival: arrival, into: buffer)
        }
    }

    @Test func oneLossInFiveIsHeardWithoutAndNotWithCopies() throws {
        let speech = try TestSound.speech(2, voice: 2, seconds: 10)
        let packets = try TestSound.packets(speech, bitrate: 24_000, fec: false)
        var random = TraceRandom(seed: 20)
        var lost = Set<Int>()
        for index in packets.indices where index > 10 && !lost.contains(index - 1) && random.chance(0.25) {
            lost.insert(index)
        }
        #expect(Double(lost.count) / Double(packets.count) > 0.17)
        let without = try concealed(depth: nil, lost: lost, packets: packets)
        let one = try concealed(depth: 1, lost: lost, packets: packets)
        // Everything lost is invented without copies.
        #expect(without.concealedSamples > lost.count * 960 * 9 / 10)
        #expect(without.packetsRecovered == 0)
        #expect(one.packetsRecovered > lost.count * 9 / 10)
        #expect(one.concealedSamples * 10 < without.concealedSamples)
        #expect(one.packetsDecoded >= packets.count - lost.count - 5)
        let clean = try concealed(depth: 1, lost: [], packets: packets)
        #expect(clean.concealedSamples == 0 && clean.packetsRecovered == 0 && clean.packetsDuplicated == 0)
    }

    @Test func twoCopiesMendTwoLossesInARow() throws {
        let speech = try TestSound.speech(0, voice: 1, seconds: 6)
        let packets = try TestSound.packets(speech, bitrate: 24_000, fec: false)
        let lost = Set(stride(from: 20, to: packets.count - 10, by: 12).flatMap { [$0, $0 + 1] })
        let one = try concealed(depth: 1, lost: lost, packets: packets)
        let two = try concealed(depth: 2, lost: lost, packets: packets)
        #expect(two.packetsRecovered > lost.count * 3 / 4)
        #expect(two.concealedSamples < one.concealedSamples * 3 / 4)
    }

    /// A copy that names a number of padding, or a frame that is here already, changes nothing.
    @Test func aFrameIsPlayedOnce() throws {
        let speech = try TestSound.speech(0, voice: 0, seconds: 1)
        let packets = try TestSound.packets(speech, bitrate: 24_000, fec: false)
        let buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1))
        let begin = Instant.zero + .seconds(1)
        packets[0].withUnsafeBytes {
            buffer.insert($0, timestamp: 0, sequence: 100, ssrc: 1, arrival: begin)
        }
        // Number 101 was padding.
        packets[1].withUnsafeBytes {
            buffer.insert($0, timestamp: 960, sequence: 102, ssrc: 1, arrival: begin + .milliseconds(20))
        }
        for (time, sequence) in [(UInt32(0), Int64(101)), (0, 100), (960, 101)] {
            packets[0].withUnsafeBytes {
                buffer.insertCopy($0, timestamp: time, sequence: sequence, arrival: begin + .milliseconds(20))
            }
        }
        #expect(buffer.store.count == 2)
    }

    /// Bursts take one or two packets of ten, and a repetition of each comes 200 ms late. Without copies it is worth waiting for
    /// that; where copies have come before, it is nobody's.
    @Test(arguments: [false, true]) func whatACopyHasBroughtIsNotWaitedForAgain(isCopied: Bool) throws {
        let buffer = AudioJitterBuffer(decoder: FakeDecoder())
        var frame = [Int16](repeating: 0, count: 480)
        var repeated: [(index: Int, at: Int)] = []
        for index in 0..<1_000 {
            let isLost = index % 10 == 5 || index % 20 == 6
            let now = Instant.zero + .milliseconds(20) * index
            for entry in repeated where entry.at <= index { insert(entry.index, now, into: buffer) }
            repeated.removeAll { $0.at <= index }
            if isLost {
                repeated.append((index, index + 10))
            } else {
                insert(index, now, into: buffer)
                for distance in 1...2 where isCopied && index >= distance {
                    FakeDecoder.packet(index - distance).withUnsafeBytes {
                        buffer.insertCopy(
                            $0, timestamp: UInt32(index - distance) * 960, sequence: Int64(index - distance),
                            arrival: now)
                    }
                }
            }
            for half in 0..<2 {
                frame.withUnsafeMutableBufferPointer {
                    _ = buffer.pull(frames: 480, now: now + .milliseconds(5 + 10 * half), into: $0)
                }
            }
        }
        let settled = buffer.statistics
        if isCopied {
            #expect(settled.targetDelay >= .milliseconds(40) && settled.targetDelay <= .milliseconds(80))
        } else {
            #expect(settled.targetDelay >= .milliseconds(200))
        }
        #expect(settled.concealedSamples < 960 * 60)
    }

    private func insert(_ index: Int, _ now: Instant, into buffer: AudioJitterBuffer<FakeDecoder>) {
        FakeDecoder.packet(index).withUnsafeBytes {
            buffer.insert($0, timestamp: UInt32(index) * 960, sequence: Int64(index), ssrc: 7, arrival: now)
        }
    }

    @Test func framesAreHeardOnce() {
        var source = PlayoutSource()
        func hear(_ sequence: Int64) -> Bool {
            defer { if sequence > source.newest?.sequence ?? .min { source.newest = (sequence, 0) } }
            return source.hear(sequence)
        }
        #expect(hear(10) && hear(12) && hear(11) && !hear(11) && !hear(10) && !hear(12))
        #expect(hear(70) && !hear(12) && hear(13) && !hear(13))
        // Too far back to tell.
        #expect(hear(500) && hear(70) && hear(70) && hear(437) && !hear(437))
    }
}
