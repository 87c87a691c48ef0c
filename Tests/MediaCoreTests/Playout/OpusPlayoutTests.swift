import RTCWire
import Testing

@testable import MediaCore

/// The jitter buffer with the real codec and real speech.
@Suite struct OpusPlayoutTests {
    private func simulation(
        _ packets: [[UInt8]], firstTimestamp: UInt32 = 1_000, delay: (Int) -> Double?
    ) -> PlayoutSimulation {
        var simulation = PlayoutSimulation(count: 0) { _ in nil }
        for (index, payload) in packets.enumerated() {
            guard let delay = delay(index) else { continue }
            simulation.packets.append(
                .init(
                    sequence: Int64(index), timestamp: firstTimestamp &+ UInt32(index * 960),
                    arrival: .zero + .seconds(1) + .seconds(Double(index) * 0.02 + delay / 1_000), payload: payload))
        }
        simulation.packets.sort { $0.arrival < $1.arrival }
        return simulation
    }

    @Test func cleanSpeechIsUntouched() throws {
        let speech = try TestSound.speech(0, voice: 0, seconds: 4)
        let buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1), configuration: .settled)
        let sound = simulation(try TestSound.packets(speech, bitrate: 24_000)) { _ in 20 }.run(buffer)
        #expect(sound[...] == (try TestSound.coded(speech, bitrate: 24_000))[..<sound.count])
        #expect(buffer.statistics.concealedSamples == 0)
    }

    @Test func jitterLeavesSpeechRecognizable() throws {
        let speech = try TestSound.speech(1, voice: 1, seconds: 16)
        var random = TraceRandom(seed: 5)
        let buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1))
        let packets = try TestSound.packets(speech, bitrate: 24_000)
        let sound = simulation(packets) { (20..<80).contains($0) ? 20 + Double(random.float(0, 60)) : 20 }.run(buffer)
        #expect(buffer.statistics.acceleratedSamples + buffer.statistics.expandedSamples > 500)
        let match = SpectralMatch(received: TestSound.profile(sound), source: TestSound.profile(speech))
        #expect(match.similarity > 0.85)
    }

    @Test func redundancyRepairsLoss() throws {
        let speech = try TestSound.speech(2, voice: 2, seconds: 8)
        let packets = try TestSound.packets(speech, bitrate: 32_000, fec: true)
        let withCopy = packets.filter { packet in
            packet.withUnsafeBytes { OpusDecoder.inspect($0)?.redundantFrameCount == 960 }
        }
        #expect(withCopy.count > packets.count / 4)
        var random = TraceRandom(seed: 6)
        let lost = Set(packets.indices.filter { $0 > 5 && random.chance(0.1) })
        var concealed: [Int] = []
        for usesCopies in [true, false] {
            let sent = usesCopies ? packets : try TestSound.packets(speech, bitrate: 32_000, fec: false)
            let buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1))
            let sound = simulation(sent) { lost.contains($0) ? nil : 20 }.run(buffer)
            #expect((buffer.statistics.packetsRecovered > lost.count / 4) == usesCopies)
            concealed.append(buffer.statistics.concealedSamples)
            let match = SpectralMatch(received: TestSound.profile(sound), source: TestSound.profile(speech))
            #expect(match.similarity > 0.85)
        }
        #expect(concealed[0] < concealed[1] * 3 / 4)
    }

    @Test func discontinuousTransmissionOfTheRealEncoder() throws {
        var configuration = OpusEncoderConfiguration(channels: 1, bitrate: 24_000)
        configuration.dtx = true
        let encoder = try OpusEncoder(configuration)
        let silence = [Int16](repeating: 0, count: 96_000)
        let speech = try TestSound.speech(0, voice: 0, seconds: 2)
        var buffer = [UInt8](repeating: 0, count: 1_500)
        let sound = speech + silence + silence + speech
        let packets = try stride(from: 0, to: sound.count, by: 960).map { start in
            let length = try sound.withUnsafeBufferPointer { samples in
                try buffer.withUnsafeMutableBytes {
                    try encoder.encode(UnsafeBufferPointer(rebasing: samples[start..<(start + 960)]), into: $0)
                }
            }
            return Array(buffer[..<length])
        }
        #expect(packets.filter { $0.count <= 2 }.count > 100)
        // A sender with DTX leaves the packets of at most two bytes out, but for one in 400 ms.
        var sequence: Int64 = 0
        var quiet = 0
        var simulation = simulation(packets) { _ in 20 }
        simulation.packets = simulation.packets.compactMap { packet in
            quiet = packet.payload.count <= 2 ? quiet + 1 : 0
            guard quiet <= 1 || quiet % 20 == 0 else { return nil }
            var copy = packet
            copy.sequence = sequence
            sequence += 1
            return copy
        }
        let jitterBuffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1))
        simulation.run(jitterBuffer)
        #expect(jitterBuffer.statistics.concealedSamples == 0)
        #expect(jitterBuffer.statistics.packetsLost == 0)
        #expect(jitterBuffer.statistics.comfortSamples > 3 * 48_000)
    }

    @Test func inspectsPackets() {
        func info(_ bytes: [UInt8]) -> PlayoutPacketInfo? { bytes.withUnsafeBytes { OpusDecoder.inspect($0) } }
        // SILK wideband 20 ms (config 9), mono: voice flag, then the flag of the copy.
        #expect(info([9 << 3, 0b0100_0000, 0, 0])?.redundantFrameCount == 960)
        #expect(info([9 << 3, 0b1000_0000, 0, 0])?.redundantFrameCount == 0)
        // 60 ms: three voice flags come first.
        #expect(info([11 << 3, 0b0001_0000, 0, 0])?.redundantFrameCount == 2_880)
        // Stereo: the side channel's flags follow.
        #expect(info([9 << 3 | 4, 0b0001_0000, 0, 0])?.redundantFrameCount == 960)
        // CELT has none; two frames of 20 ms.
        #expect(info([31 << 3 | 1, 0xff, 0, 0]) == PlayoutPacketInfo(frameCount: 1_920))
        #expect(info([9 << 3])?.isSilenceMarker == true)
        #expect(info([]) == nil)
        // Three frames of variable size: one length byte, one of two bytes.
        #expect(info([9 << 3 | 3, 0x83, 1, 252, 0, 0b0100_0000, 0])?.redundantFrameCount == 960)
        #expect(info([9 << 3 | 3, 0xbf, 255])?.redundantFrameCount ?? 0 == 0)
    }
}
