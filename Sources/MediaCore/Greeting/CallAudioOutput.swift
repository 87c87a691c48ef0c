import NIOCore
import RTCTransport
import RTCWire
import Synchronization

/// What one person hears of a call: all remote tracks mixed, and before them the greeting, as 20 ms frames for sinks (a
/// file, a meter, a sound system).
///
/// It is made when the call is accepted, before anything is connected, so that the greeting can begin at once. Tracks are
/// attached as they are subscribed. Frames are paced by the machine's monotonic clock on a worker of the engine.
public final class CallAudioOutput: Sendable {
    /// Samples of one frame: 20 ms at 48 kHz.
    static let frameLength = AudioFrame.sampleRate / 50

    private struct State {
        var taps: [ObjectIdentifier: AudioTap] = [:]
        var inputs: [ObjectIdentifier: MixerInput] = [:]
        var mixer = AudioMixer(channels: 1)
        var gate = GreetingGate()
        var measure = TransitionMeasure()
        var isClosed = false
    }

    private let state = Mutex(State())
    private let sinks: [any AudioSink]
    private let pump: PumpBox

    /// Starts to give frames to `sinks`: silence until there is something to hear.
    public init(engine: MediaEngine, sinks: [any AudioSink]) {
        self.sinks = sinks
        pump = PumpBox()
        pump.start(on: engine.nextWorker()) { [weak self] time in self?.tick(time) }
    }

    /// For tests in virtual time: `tick` is called by hand.
    init(sinks: [any AudioSink]) {
        self.sinks = sinks
        pump = PumpBox()
    }

    deinit { pump.stop() }

    /// Plays a greeting from now on, over and over, until the call is heard.
    ///
    /// - Parameters:
    ///   - samples: mono, 48 kHz; empty for no greeting.
    ///   - pauseMilliseconds: silence between two times.
    public func greet(samples: [Int16], pauseMilliseconds: Int = 700) {
        let track = GreetingTrack(samples: samples, pauseMilliseconds: pauseMilliseconds)
        state.withLock { $0.gate.begin(track) }
    }

    /// Ends the greeting though no call came.
    public func stopGreeting() { state.withLock { $0.gate.stop() } }

    /// Lets a remote track be heard. Only audio tracks matter.
    public func attach(_ track: RemoteTrack) {
        guard track.kind == .audio else { return }
        let tap = AudioTap()
        let isNew = state.withLock { state in
            guard !state.isClosed, state.taps[ObjectIdentifier(track)] == nil else { return false }
            state.taps[ObjectIdentifier(track)] = tap
            state.inputs[ObjectIdentifier(track)] = MixerInput()
            return true
        }
        if isNew { track.attach(tap) }
    }

    /// Takes a remote track out of what is heard.
    public func detach(_ track: RemoteTrack) {
        let tap = state.withLock { state in
            state.inputs[ObjectIdentifier(track)] = nil
            return state.taps.removeValue(forKey: ObjectIdentifier(track))
        }
        if let tap { track.detach(tap) }
    }

    /// What became of the greeting so far.
    public var greeting: GreetingReport { state.withLock { $0.gate.report } }

    /// Milliseconds between the greeting's last and the call's first sound, 0 where none: measured in the frames that the
    /// sinks got; nil until the call was heard.
    public var gapMilliseconds: Double? { state.withLock { $0.measure.gapMilliseconds } }

    /// Milliseconds in which greeting and call were heard together.
    public var overlapMilliseconds: Double { state.withLock { $0.measure.overlapMilliseconds } }

    /// Stops; sinks get nothing more.
    public func close() {
        state.withLock { $0.isClosed = true }
        pump.stop()
    }

    /// Mixes and plays the next 20 ms.
    func tick(_ time: Instant) {
        let samples = state.withLock { state -> [Int16]? in
            state.isClosed ? nil : CallAudioOutput.mix(&state)
        }
        guard let samples else { return }
        let frame = AudioFrame(samples: samples, channels: 1, time: MediaTime(nanoseconds: time.nanoseconds))
        for sink in sinks { sink.receive(frame) }
    }

    private static func mix(_ state: inout State) -> [Int16] {
        state.mixer.begin(frames: frameLength)
        var isCallReady = false
        for (key, tap) in state.taps {
            guard let heard = tap.take(frameLength), var input = state.inputs[key] else { continue }
            isCallReady = true
            state.mixer.add(heard, channels: 1, &input)
            state.inputs[key] = input
        }
        var frame = [Int16](repeating: 0, count: frameLength)
        frame.withUnsafeMutableBufferPointer { state.mixer.finish(into: $0) }
        let before = state.gate.report.samples
        state.gate.render(&frame, isCallReady: isCallReady)
        state.measure.note(
            greeting: state.gate.report.samples - before, isCall: isCallReady, frame: frameLength)
        return frame
    }
}

/// How greeting and call met, counted in samples of what was rendered.
struct TransitionMeasure: Sendable {
    private var silence = 0
    private var hasGreeted = false
    private var gap: Int?
    private var overlap = 0

    /// - Parameters:
    ///   - greeting: how many samples of the frame, from its start, are the greeting's.
    ///   - isCall: whether the rest is the call's.
    mutating func note(greeting: Int, isCall: Bool, frame: Int) {
        if greeting > 0 {
            hasGreeted = true
            silence = 0
            if gap != nil { overlap += greeting }
        }
        if isCall {
            if gap == nil { gap = hasGreeted ? silence : 0 }
        } else {
            silence += frame - greeting
        }
    }

    var gapMilliseconds: Double? { gap.map { Double($0) * 1_000 / Double(AudioFrame.sampleRate) } }
    var overlapMilliseconds: Double { Double(overlap) * 1_000 / Double(AudioFrame.sampleRate) }
}

/// Keeps the pump, which is made on the worker's loop.
private final class PumpBox: Sendable {
    private let pump = Mutex<PeriodicPump?>(nil)

    func start(on loop: any EventLoop, _ body: @escaping @Sendable (Instant) -> Void) {
        let pump = PeriodicPump(loop: loop, interval: .milliseconds(20), meter: .process) { _, time in body(time) }
        self.pump.withLock { $0 = pump }
        pump.start()
    }

    func stop() {
        pump.withLock { pump in
            pump?.stop()
            pump = nil
        }
    }
}
