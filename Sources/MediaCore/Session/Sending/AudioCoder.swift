import RTCCore
import RTCWire

/// Frames of sound that are due.
struct AudioOrder: Sendable {
    /// The first one's number, counting those that were left out.
    var firstIndex: Int
    var count = 1
    /// When the first one was due.
    var due: Instant
    /// The source is read, so that its time goes by, and nothing is sent.
    var isMuted: Bool
    /// For an encoder; nil where it keeps its own.
    var rate: SoundRate?

    init(firstIndex: Int, due: Instant, isMuted: Bool) {
        self.firstIndex = firstIndex
        self.due = due
        self.isMuted = isMuted
    }
}

/// A frame of sound as it is sent.
struct EncodedSound: Sendable {
    var payload: [UInt8]
    /// 48 kHz.
    var timestamp: UInt32
    /// -dBov.
    var level: UInt8
    /// The first one after silence that was left out.
    var resumes: Bool
    var captured: Instant
}

/// How long a coder takes for a frame. One that has been slow, or reads a source that makes it wait, is not called brief
/// again before a second of it went well.
struct CodingPace {
    private static let longest = Interval.microseconds(400)
    private static let framesToTrust = 50

    private var briefFrames = 0

    var isBrief: Bool { briefFrames >= CodingPace.framesToTrust }

    mutating func note(_ duration: Interval, frames: Int) {
        briefFrames = duration <= CodingPace.longest * frames ? briefFrames + 1 : 0
    }
}

/// Reads the sound of one track, encodes it unless it is encoded already, and encrypts it.
// Used by one job at a time: the sender makes the next one when the result of the last one is back.
final class AudioCoder: @unchecked Sendable {
    private let input: Input
    private let sealer: FrameSealer?
    private let marker: (any EncodedFrameMarker)?
    private let firstTimestamp: UInt32
    /// The last frame of a source that encodes itself was left out.
    private var wasSilent = false
    var pace = CodingPace()

    private enum Input {
        case samples(PCMReader)
        case frames(any EncodedAudioSource)
    }

    /// Samples of a frame.
    private static let frameCount: UInt32 = 960

    init(
        _ source: any AudioSource, _ encoding: AudioEncoding, wantsDTX: Bool, sealer: FrameSealer?,
        marker: (any EncodedFrameMarker)? = nil, firstTimestamp: UInt32
    ) throws(MediaError) {
        input = .samples(try PCMReader(source, encoding, wantsDTX: wantsDTX))
        self.sealer = sealer
        self.marker = marker
        self.firstTimestamp = firstTimestamp
    }

    init(encoded source: any EncodedAudioSource, sealer: FrameSealer?, firstTimestamp: UInt32) throws(MediaError) {
        guard source.codecName.lowercased() == CodecCapability.opus.name else {
            throw MediaError(
                .unsupported, "audio source", "its codec \(source.codecName) can't be sent", remedy: "use opus")
        }
        input = .frames(source)
        self.sealer = sealer
        marker = nil
        self.firstTimestamp = firstTimestamp
    }

    /// The source encodes, and there is nothing to be computed but its encryption.
    var isEncoded: Bool { if case .frames = input { true } else { false } }

    /// What is to be sent of the frames that are due.
    func encode(_ order: AudioOrder) -> [EncodedSound] {
        var result: [EncodedSound] = []
        for offset in 0..<order.count {
            let due = order.due + AudioSender.interval * offset
            let index = UInt32(truncatingIfNeeded: order.firstIndex + offset)
            guard var sound = next(due, order) else { continue }
            sound.timestamp = firstTimestamp &+ (index &- sound.timestamp) &* AudioCoder.frameCount
            guard mark(&sound, due) else { continue }
            if let sealer {
                guard let sealed = sealer.seal(sound.payload, codec: .opus, timestamp: sound.timestamp) else {
                    continue
                }
                sound.payload = sealed
            }
            result.append(sound)
        }
        return result
    }

    private func mark(_ sound: inout EncodedSound, _ due: Instant) -> Bool {
        guard let marker else { return true }
        return marker.mark(&sound.payload, stream: 0, isKeyFrame: true, at: MediaTime(nanoseconds: due.nanoseconds))
    }

    /// What is sent after the frame of `due`; its timestamp is the number of frames before that one that it begins with.
    private func next(_ due: Instant, _ order: AudioOrder) -> EncodedSound? {
        switch input {
        case .samples(let reader): return reader.next(due, isMuted: order.isMuted, order.rate)
        case .frames(let source):
            guard let frame = source.nextFrame(), !order.isMuted else { return nil }
            let resumes = wasSilent
            wasSilent = frame.payload.isEmpty
            guard !wasSilent else { return nil }
            return EncodedSound(
                payload: frame.payload, timestamp: 0, level: UInt8(min(max(frame.level, 0), 127)), resumes: resumes,
                captured: due)
        }
    }
}
