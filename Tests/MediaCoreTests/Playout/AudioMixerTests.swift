import Testing

@testable import MediaCore

@Suite struct AudioMixerTests {
    private func mix(_ mixer: inout AudioMixer, _ inputs: [([Int16], Int)], frames: Int) -> [Int16] {
        mixer.begin(frames: frames)
        for (samples, channels) in inputs {
            var input = MixerInput()
            mixer.add(samples, channels: channels, &input)
        }
        var output = [Int16](repeating: 99, count: frames * mixer.channels)
        output.withUnsafeMutableBufferPointer { mixer.finish(into: $0) }
        return output
    }

    @Test func addsInputs() {
        var mixer = AudioMixer()
        #expect(mix(&mixer, [], frames: 2) == [0, 0])
        #expect(mix(&mixer, [([100, -200], 1), ([1_000, 1_000], 1)], frames: 2) == [1_100, 800])
        #expect(mix(&mixer, [([100, 300, -200, 0], 2)], frames: 2) == [200, -100])
        #expect(mix(&mixer, [([100], 1)], frames: 2) == [100, 0])
    }

    @Test func stereoKeepsSides() {
        var mixer = AudioMixer(channels: 2)
        #expect(mix(&mixer, [([100, 300], 2), ([10], 1)], frames: 1) == [110, 310])
    }

    @Test func bendsInsteadOfClipping() {
        var mixer = AudioMixer()
        var last: Int16 = 0
        for count in 1...20 {
            let output = mix(&mixer, Array(repeating: ([10_000], 1), count: count), frames: 1)[0]
            #expect(output > last)
            if count <= 2 { #expect(output == Int16(count * 10_000)) }
            last = output
        }
        #expect(last < 32_767)
        #expect(mix(&mixer, Array(repeating: ([-32_768], 1), count: 50), frames: 1)[0] <= -32_000)
    }

    @Test func gainChangesWithoutAStep() {
        var mixer = AudioMixer()
        var input = MixerInput()
        let tone = [Int16](repeating: 10_000, count: 480)
        var output = [Int16](repeating: 0, count: 480)
        input.gain = 0
        for expected: ClosedRange<Int16> in [0...9_999, 0...0] {
            mixer.begin(frames: 480)
            mixer.add(tone, channels: 1, &input)
            output.withUnsafeMutableBufferPointer { mixer.finish(into: $0) }
            #expect(output.allSatisfy { expected.contains($0) })
            #expect(zip(output, output.dropFirst()).allSatisfy { abs(Int($0) - Int($1)) <= 21 })
        }
    }
}
