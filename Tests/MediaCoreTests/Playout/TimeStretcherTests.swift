import Foundation
import Testing

@testable import MediaCore

/// WSOLA on sounds whose answer is known.
@Suite struct TimeStretcherTests {
    private var stretcher = TimeStretcher()

    /// A tone of so many samples a period at 48 kHz, the same on all channels.
    private func tone(period: Double, frames: Int, channels: Int = 1, level: Double = 10_000) -> [Int16] {
        (0..<frames * channels).map { index in
            Int16(level * sin(2 * .pi * Double(index / channels) / period))
        }
    }

    private mutating func accelerate(_ sound: inout [Int16], frames: Int, channels: Int = 1, similarity: Float = 0.9)
        -> Int
    {
        sound.withUnsafeMutableBufferPointer {
            stretcher.accelerate($0, frames: frames, channels: channels, similarity: similarity)
        }
    }

    private mutating func expand(_ sound: inout [Int16], frames: Int, channels: Int = 1, similarity: Float = 0.9) -> Int
    {
        sound += [Int16](repeating: 0, count: 480 * channels)
        return sound.withUnsafeMutableBufferPointer {
            stretcher.expand($0, frames: frames, channels: channels, similarity: similarity)
        }
    }

    /// The largest step between neighbours: a seam would show as a click.
    private func roughness(_ sound: some Collection<Int16>) -> Int {
        zip(sound, sound.dropFirst()).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// Whole periods go, so the tone goes on as if nothing had been.
    @Test(arguments: [120.0, 160, 240, 300, 400]) mutating func wholePeriodsAreCutOut(_ period: Double) {
        var sound = tone(period: period, frames: 960)
        let before = roughness(sound)
        let removed = accelerate(&sound, frames: 960)
        #expect(removed >= 120 && removed <= 480)
        #expect((Double(removed) / period).rounded() * period == Double(removed), "\(removed)")
        #expect(roughness(sound[..<(960 - removed)]) <= before + before / 5)
    }

    @Test(arguments: [120.0, 160, 240, 300, 400]) mutating func wholePeriodsArePlayedTwice(_ period: Double) {
        var sound = tone(period: period, frames: 960)
        let before = roughness(sound)
        let added = expand(&sound, frames: 960)
        #expect(added >= 120 && (Double(added) / period).rounded() * period == Double(added), "\(added)")
        #expect(roughness(sound[..<(960 + added)]) <= before + before / 5)
    }

    /// What stands behind the stretch moves along.
    @Test mutating func theEndIsKept() {
        let original = tone(period: 200, frames: 960)
        var shorter = original
        let removed = accelerate(&shorter, frames: 960)
        #expect(removed > 0 && Array(shorter[removed..<(960 - removed)]) == Array(original[(2 * removed)...]))
        var longer = original
        let added = expand(&longer, frames: 960)
        #expect(added > 0 && Array(longer[(2 * added)..<(960 + added)]) == Array(original[added...]))
        #expect(Array(longer[..<added]) == Array(original[..<added]))
    }

    @Test mutating func noiseIsLeftAlone() {
        var state: UInt32 = 7
        let noise = (0..<960).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int16(bitPattern: UInt16(state >> 16)) / 4
        }
        var sound = noise
        #expect(accelerate(&sound, frames: 960) == 0 && sound == noise)
        #expect(expand(&sound, frames: 960) == 0 && Array(sound[..<960]) == noise)
    }

    /// A seam in silence isn't heard: half the stretch goes at once.
    @Test mutating func silenceIsCutAsItComes() {
        var sound = tone(period: 37, frames: 960, level: 30)
        #expect(accelerate(&sound, frames: 960, similarity: 1) == 480)
        var other = [Int16](repeating: 0, count: 960)
        #expect(expand(&other, frames: 960, similarity: 1) == 480 && other.allSatisfy { $0 == 0 })
    }

    @Test mutating func channelsStayTogether() {
        var sound = tone(period: 240, frames: 960, channels: 2)
        let removed = accelerate(&sound, frames: 960, channels: 2)
        #expect(removed == 240 || removed == 480)
        for frame in 0..<(960 - removed) { #expect(sound[2 * frame] == sound[2 * frame + 1]) }
    }

    /// Less than twice the shortest pitch period twice over can't be judged.
    @Test(arguments: [0, 1, 479]) mutating func whatIsTooShortIsLeftAlone(_ frames: Int) {
        let original = tone(period: 120, frames: frames)
        var sound = original
        #expect(accelerate(&sound, frames: frames) == 0 && sound == original)
    }

    @Test mutating func withoutRoomNothingGrows() {
        var sound = tone(period: 240, frames: 960)
        let added = sound.withUnsafeMutableBufferPointer {
            stretcher.expand($0, frames: 960, channels: 1, similarity: 0.9)
        }
        #expect(added == 0 && sound == tone(period: 240, frames: 960))
    }

    /// A promise of more than is there is none.
    @Test mutating func framesThatAreNotThere() {
        var sound = tone(period: 240, frames: 500)
        #expect(accelerate(&sound, frames: 960) == 0)
    }

    @Test mutating func theLoudestDoesNotOverflow() {
        var sound = (0..<960).map { ($0 / 120) % 2 == 0 ? Int16.max : Int16.min }
        let removed = accelerate(&sound, frames: 960)
        #expect(removed == 240 || removed == 480)
        #expect(Set(sound[..<(960 - removed)].map { abs(Int($0)) / 32_700 }) == [1])
    }
}
