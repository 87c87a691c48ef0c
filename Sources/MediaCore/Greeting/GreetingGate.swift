/// Decides, frame by frame, whether the one who accepted a call hears the greeting or the call.
///
/// The greeting plays until the first frame of the call is there. That frame's first 5 ms are the end of the greeting,
/// faded out; the call takes the rest and everything after. The two are never mixed.
struct GreetingGate: Sendable {
    /// Samples over which the greeting fades out, and the call in: 5 ms.
    static let fade = AudioFrame.sampleRate / 200

    private enum State: Sendable {
        case silent
        case greeting(GreetingTrack)
        case call
    }

    private var state = State.silent
    /// What was played so far.
    private(set) var report = GreetingReport()

    /// Begins to greet, unless the call is heard already or there is nothing to say.
    mutating func begin(_ track: GreetingTrack) {
        guard case .silent = state, !track.isEmpty else { return }
        state = .greeting(track)
    }

    /// Stops without a call: it was aborted, or could not be connected. The next frame is silent.
    mutating func stop() {
        if case .greeting = state { state = .silent }
    }

    /// Whether a greeting is being played.
    var isGreeting: Bool {
        if case .greeting = state { true } else { false }
    }

    /// Renders the next frame in place.
    ///
    /// - Parameters:
    ///   - frame: the call's frame, mono; silence where the call has none.
    ///   - isCallReady: whether `frame` is sound of the call.
    mutating func render(_ frame: inout [Int16], isCallReady: Bool) {
        switch state {
        case .silent: if isCallReady { state = .call }
        case .call: break
        case .greeting(var track):
            if isCallReady {
                handOver(&frame, from: &track)
                state = .call
            } else {
                let count = frame.count
                frame.removeAll(keepingCapacity: true)
                report.spokenSamples += track.read(count, into: &frame)
                report.samples += count
                state = .greeting(track)
            }
        }
    }

    private mutating func handOver(_ frame: inout [Int16], from track: inout GreetingTrack) {
        let length = track.isSpeaking ? min(GreetingGate.fade, frame.count) : 0
        var tail: [Int16] = []
        report.spokenSamples += track.read(length, into: &tail)
        report.samples += length
        report.endedInSpeech = length > 0
        for index in 0..<length {
            frame[index] = Int16(Float(tail[index]) * Float(length - 1 - index) / Float(length))
        }
        let rise = min(GreetingGate.fade, frame.count - length)
        for index in 0..<rise {
            frame[length + index] = Int16(Float(frame[length + index]) * Float(index) / Float(rise))
        }
    }
}

/// What became of a greeting.
public struct GreetingReport: Sendable, Hashable {
    /// Samples from the greeting's beginning to its end, pauses included.
    var samples = 0
    /// Samples of speech among them.
    var spokenSamples = 0
    /// Whether the call came while something was being said, and not within a pause.
    var endedInSpeech = false

    /// Milliseconds from the beginning to the end, pauses between two times included.
    public var playedMilliseconds: Double { Double(samples) * 1_000 / Double(AudioFrame.sampleRate) }
    /// Milliseconds of speech among them.
    public var spokenMilliseconds: Double { Double(spokenSamples) * 1_000 / Double(AudioFrame.sampleRate) }

    /// A greeting that was never begun.
    public init() {}
}
