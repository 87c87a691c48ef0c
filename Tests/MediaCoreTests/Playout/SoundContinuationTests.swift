import Testing

@testable import MediaCore

/// Sound that goes on without packets.
@Suite struct SoundContinuationTests {
    private func tone(_ hertz: Double, from start: Int, count: Int, channels: Int = 1) -> [Int16] {
        (start..<(start + count)).flatMap { index in
            (0..<channels).map { channel in
                Int16((8_000 * sine(hertz * Double(index) / 48_000 + 0.25 * Double(channel))).rounded())
            }
        }
    }

    /// Of a whole turn.
    private func sine(_ turns: Double) -> Double {
        let x = (turns - turns.rounded(.down)) * 2 * Double.pi - Double.pi
        var (term, sum) = (x, x)
        for order in 1..<12 {
            term *= -x * x / Double((2 * order) * (2 * order + 1))
            sum += term
        }
        return -sum
    }

    private func keep(_ sound: [Int16], in continuation: inout SoundContinuation) {
        var sound = sound
        sound.withUnsafeMutableBufferPointer { continuation.keep($0) }
    }

    private func goOn(_ frames: Int, _ continuation: inout SoundContinuation) -> [Int16]? {
        var target = [Int16](repeating: 1, count: frames * continuation.channels)
        return target.withUnsafeMutableBufferPointer { continuation.goOn($0) } ? target : nil
    }

    private func level(_ sound: some Collection<Int16>) -> Double {
        (sound.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(sound.count, 1))).squareRoot()
    }

    @Test func nothingFollowsNothing() {
        var continuation = SoundContinuation(channels: 1)
        #expect(goOn(480, &continuation) == nil)
    }

    /// A tone stays that tone: no step, no click, softer to nothing within 200 ms.
    @Test(arguments: [150.0, 440, 1_000, 2_400], [1, 2]) func aToneGoesOn(hertz: Double, channels: Int) throws {
        var continuation = SoundContinuation(channels: channels)
        for packet in 0..<4 { keep(tone(hertz, from: packet * 960, count: 960, channels: channels), in: &continuation) }
        let first = try #require(goOn(960, &continuation))
        let expected = tone(hertz, from: 3_840, count: 960, channels: channels)
        // As loud as it gets softer, and in phase.
        let error = zip(first, expected).enumerated().map { index, pair in
            let gain = 1 - Double(index / channels) / 9_600
            return Double(pair.0) - gain * Double(pair.1)
        }
        #expect((error.reduce(0) { $0 + $1 * $1 } / Double(error.count)).squareRoot() < 0.25 * 5_657, "\(hertz) Hz")
        let rest = try #require(goOn(8_640, &continuation))
        #expect(level(rest[..<(960 * channels)]) > 0.8 * 5_657)
        #expect(level(rest[(7_680 * channels)...]) < 0.08 * 5_657)
        let end = try #require(goOn(480, &continuation))
        #expect(end.allSatisfy { $0 == 0 })
    }

    @Test func soundFromPacketsFollowsWithoutAStep() throws {
        var continuation = SoundContinuation(channels: 1)
        for packet in 0..<2 { keep(tone(440, from: packet * 960, count: 960), in: &continuation) }
        let invented = try #require(goOn(960, &continuation))
        let last = try #require(invented.last)
        var next = tone(440, from: 2_880, count: 960)
        let plain = next
        next.withUnsafeMutableBufferPointer { continuation.merge(into: $0) }
        #expect(abs(Int(next[0]) - Int(last)) < 800, "a tone of 440 Hz moves by 461 at most")
        #expect(next[240...] == plain[240...])
        // Once only.
        var other = plain
        other.withUnsafeMutableBufferPointer { continuation.merge(into: $0) }
        #expect(other == plain)
    }

    /// Noise that repeats itself buzzes: it ends sooner.
    @Test func noiseEndsSooner() throws {
        var random = TraceRandom(seed: 5)
        var continuation = SoundContinuation(channels: 1)
        for _ in 0..<2 {
            keep((0..<960).map { _ in Int16(8_000 * (random.chance(0.5) ? 1 : -1)) }, in: &continuation)
        }
        _ = goOn(2_400, &continuation)
        let end = try #require(goOn(480, &continuation))
        #expect(end.allSatisfy { $0 == 0 })
    }

    @Test func silenceAndExtremesGoOn() throws {
        for value in [Int16(0), .max, .min] {
            var continuation = SoundContinuation(channels: 2)
            keep([Int16](repeating: value, count: 240), in: &continuation)
            keep([Int16](repeating: value, count: 12_000), in: &continuation)
            let sound = try #require(goOn(10_560, &continuation))
            #expect(abs(Int(sound[0]) - Int(value)) <= 1)
            #expect(sound.suffix(960).allSatisfy { $0 == 0 })
        }
    }
}
