import LoadCore
import MediaCore
import ScenarioCore
import Synchronization

/// Whether somebody's sound leaves at present.
final class SpeechSwitch: Sendable {
    private let state: Atomic<Bool>

    init(_ isOn: Bool) { state = Atomic(isOn) }

    var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}

/// Sound that can be switched to silence.
final class SwitchedSource: AudioSource {
    let channels: Int
    private let source: any AudioSource
    private let control: SpeechSwitch

    init(_ source: any AudioSource, _ control: SpeechSwitch) {
        self.source = source
        self.control = control
        channels = source.channels
    }

    func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        guard control.isOn else {
            samples.update(repeating: 0)
            return samples.count / channels
        }
        let frames = source.read(into: samples)
        if frames * channels < samples.count { samples[(frames * channels)...].update(repeating: 0) }
        return samples.count / channels
    }
}

/// Numbers the frames of one track for those who only count.
struct FrameStamps {
    private let publisher: UInt32
    private var next: UInt32 = 0

    init(publisher: Int) { self.publisher = UInt32(truncatingIfNeeded: publisher) }

    mutating func take(at time: MediaTime) -> MediaStamp {
        defer { next &+= 1 }
        return MediaStamp(
            run: 0, publisher: publisher, layer: 0, clip: UInt16(truncatingIfNeeded: next), number: next,
            nanoseconds: time.nanoseconds)
    }
}

/// Sound that is encoded as it is read, each packet with a stamp; silence is left out.
final class StampedSound: EncodedAudioSource {
    let codecName = "opus"
    private let source: any AudioSource
    private let control: SpeechSwitch
    private let state: Mutex<State>

    private struct State {
        let encoder: OpusEncoder
        var stamps: FrameStamps
        var samples = [Int16](repeating: 0, count: 960)
        var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
    }

    /// Throws `MediaError`.
    init(_ source: any AudioSource, _ control: SpeechSwitch, publisher: Int) throws {
        self.source = source
        self.control = control
        var configuration = OpusEncoderConfiguration(bitrate: 24_000)
        configuration.complexity = 1
        configuration.inbandFEC = false
        state = Mutex(State(encoder: try OpusEncoder(configuration), stamps: FrameStamps(publisher: publisher)))
    }

    func nextFrame() -> EncodedAudioFrame? {
        guard control.isOn else { return EncodedAudioFrame(payload: [], level: 127) }
        return state.withLock { state in
            let frames = state.samples.withUnsafeMutableBufferPointer { source.read(into: $0) }
            if frames < 960 { for index in frames..<960 { state.samples[index] = 0 } }
            guard let packet = Self.encode(&state) else { return EncodedAudioFrame(payload: [], level: 127) }
            // The time is nobody's: it would make two runs of one seed differ.
            let stamp = state.stamps.take(at: MediaTime(nanoseconds: 0))
            return EncodedAudioFrame(payload: stamp.stamped(sound: packet) ?? packet, level: 20)
        }
    }

    private static func encode(_ state: inout State) -> [UInt8]? {
        let (encoder, samples) = (state.encoder, state.samples)
        let length = samples.withUnsafeBufferPointer { samples in
            state.packet.withUnsafeMutableBytes { packet in try? encoder.encode(samples, into: packet) }
        }
        return length.map { Array(state.packet.prefix($0)) }
    }
}

/// A test card that is encoded as it is drawn, each picture with a stamp.
final class StampedCard: EncodedVideoSource {
    let codecName = "VP8"
    let width: Int
    let height: Int
    let frameRate: Double
    private let card: TestCardSource
    private let state: Mutex<State>

    private struct State {
        let encoder: VP8Encoder
        var stamps: FrameStamps
        var wantsKeyFrame = false
    }

    /// Throws `MediaError`.
    init(_ card: PlannedMedia.Card, publisher: Int) throws {
        (width, height, frameRate) = (card.width, card.height, card.frameRate)
        self.card = try TestCardSource(
            sender: UInt16(truncatingIfNeeded: publisher), width: width, height: height, frameRate: frameRate)
        let bitrate = max(100_000, Int(Double(width * height) * frameRate * 0.09))
        let encoder = try VP8Encoder(VP8EncoderConfiguration(bitrate: bitrate, frameRate: frameRate))
        state = Mutex(State(encoder: encoder, stamps: FrameStamps(publisher: publisher)))
    }

    func nextFrame(at time: MediaTime) -> EncodedVideoFrame? {
        guard let picture = card.nextFrame(at: time) else { return nil }
        return state.withLock { state in
            let force = state.wantsKeyFrame
            guard var frame = try? state.encoder.encode(picture, forceKeyFrame: force, { EncodedVideoFrame($0) }) else {
                return nil
            }
            state.wantsKeyFrame = false
            frame.payload = state.stamps.take(at: time).stamped(picture: frame.payload)
            return frame
        }
    }

    func requestKeyFrame() { state.withLock { $0.wantsKeyFrame = true } }
}
