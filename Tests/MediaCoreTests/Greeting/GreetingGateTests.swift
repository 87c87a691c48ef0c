import RTCWire
import Synchronization
import Testing

@testable import MediaCore

@Suite("Greeting")
struct GreetingGateTests {
    private let speech = [Int16](repeating: 1_000, count: 4_800)

    private final class Recorder: AudioSink {
        private let state = Mutex<[Int16]>([])
        var samples: [Int16] { state.withLock { $0 } }
        func receive(_ frame: AudioFrame) { state.withLock { $0 += frame.samples } }
    }

    private func frame(_ value: Int16) -> AudioFrame {
        AudioFrame(samples: [Int16](repeating: value, count: CallAudioOutput.frameLength))
    }

    @Test("Speaks until the call is there, fades within its first frame, and is not heard after")
    func handOver() {
        var gate = GreetingGate()
        gate.begin(GreetingTrack(samples: speech, pauseMilliseconds: 100))
        var heard: [Int16] = []
        for _ in 0..<3 {
            var frame = [Int16](repeating: 0, count: 960)
            gate.render(&frame, isCallReady: false)
            heard += frame
        }
        #expect(heard.allSatisfy { $0 == 1_000 })
        var first = [Int16](repeating: -500, count: 960)
        gate.render(&first, isCallReady: true)
        #expect(first[..<GreetingGate.fade].allSatisfy { (0...1_000).contains($0) })
        #expect(first[GreetingGate.fade - 1] == 0)
        #expect(first[GreetingGate.fade...].allSatisfy { (-500...0).contains($0) })
        #expect(first.last == -500)
        var next = [Int16](repeating: -500, count: 960)
        gate.render(&next, isCallReady: true)
        #expect(next.allSatisfy { $0 == -500 })
        // The call falls silent: the greeting does not come back.
        var silent = [Int16](repeating: 0, count: 960)
        gate.render(&silent, isCallReady: false)
        #expect(silent.allSatisfy { $0 == 0 })
        #expect(gate.report.playedMilliseconds == 65)
    }

    @Test("Starts over after a pause while connecting takes longer")
    func loops() {
        var gate = GreetingGate()
        gate.begin(GreetingTrack(samples: speech, pauseMilliseconds: 100))
        var heard: [Int16] = []
        for _ in 0..<15 {
            var frame = [Int16](repeating: 0, count: 960)
            gate.render(&frame, isCallReady: false)
            heard += frame
        }
        #expect(heard[..<4_800].allSatisfy { $0 == 1_000 })
        #expect(heard[4_800..<9_600].allSatisfy { $0 == 0 })
        #expect(heard[9_600..<14_400].allSatisfy { $0 == 1_000 })
        #expect(gate.report.spokenMilliseconds == 200)
    }

    @Test("An empty greeting is none; one that comes after the call began is none either")
    func absent() {
        var gate = GreetingGate()
        gate.begin(GreetingTrack(samples: [], pauseMilliseconds: 700))
        #expect(!gate.isGreeting)
        var frame = [Int16](repeating: 7, count: 960)
        gate.render(&frame, isCallReady: true)
        gate.begin(GreetingTrack(samples: speech, pauseMilliseconds: 0))
        #expect(!gate.isGreeting)
        gate.render(&frame, isCallReady: true)
        #expect(frame.allSatisfy { $0 == 7 })
        #expect(gate.report == GreetingReport())
    }

    @Test("A call that fails stops the greeting")
    func stop() {
        var gate = GreetingGate()
        gate.begin(GreetingTrack(samples: speech, pauseMilliseconds: 0))
        gate.stop()
        var frame = [Int16](repeating: 0, count: 960)
        gate.render(&frame, isCallReady: false)
        #expect(frame.allSatisfy { $0 == 0 })
    }

    @Test("One output: greeting, then the mix of all tracks; gap and overlap are what the sink got")
    func output() {
        let recorder = Recorder()
        let output = CallAudioOutput(sinks: [recorder])
        let ada = RemoteTrack(kind: .audio, mid: "0", streamID: "s", trackID: "a")
        let bob = RemoteTrack(kind: .audio, mid: "1", streamID: "s", trackID: "b")
        output.greet(samples: speech, pauseMilliseconds: 1_000)
        for _ in 0..<4 { output.tick(.zero) }
        output.attach(ada)
        output.attach(bob)
        for _ in 0..<3 {
            for sink in ada.present.audio { sink.receive(frame(-300)) }
            for sink in bob.present.audio { sink.receive(frame(-200)) }
            output.tick(.zero)
        }
        let heard = recorder.samples
        #expect(heard[..<(4 * 960)].allSatisfy { $0 == 1_000 })
        #expect(heard[(5 * 960)...].allSatisfy { $0 == -500 })
        #expect(output.gapMilliseconds == 0)
        #expect(output.overlapMilliseconds == 0)
        #expect(output.greeting.playedMilliseconds == 85)
        output.detach(bob)
        #expect(bob.present.audio.isEmpty)
        for sink in ada.present.audio { sink.receive(frame(-300)) }
        output.tick(.zero)
        #expect(recorder.samples.last == -300)
    }

    @Test("A track whose clock is ahead loses its oldest sound, not its newest")
    func backlog() {
        let tap = AudioTap()
        for value in 1...5 { tap.receive(frame(Int16(value))) }
        #expect(tap.take(960)?.first == 3)
        #expect(tap.take(960)?.first == 4)
        #expect(tap.take(960)?.first == 5)
        #expect(tap.take(960) == nil)
    }
}
