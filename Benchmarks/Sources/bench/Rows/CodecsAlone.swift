import MediaCore
import RTCWire

/// The four codec calls of a participant and nothing else, at the pace of real time.
final class CodecsAlone {
    /// Run before each window, so that its key frame isn't measured.
    static let leadMilliseconds = 300

    private let video: any VideoSource
    private let speech: any AudioSource
    private let opusEncoder: OpusEncoder
    private let opusDecoder: OpusDecoder
    private let vp8Encoder: VP8Encoder
    private let vp8Decoder: VP8Decoder
    private var frame: AudioFrame
    private var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
    private var samples = [Int16](repeating: 0, count: OpusDecoder.maximumFrameCount)
    private var spent = (encoding: 0, decoding: 0)

    init(_ content: MediaContent) throws {
        video = content.video()
        speech = try content.speech()
        let (sound, picture) = (AudioEncoding(), VideoEncoding())
        var opus = OpusEncoderConfiguration(channels: 1, bitrate: sound.bitrate)
        opus.complexity = sound.complexity
        opus.inbandFEC = sound.inbandFEC
        var vp8 = VP8EncoderConfiguration(bitrate: picture.bitrate, frameRate: MediaContent.frameRate)
        vp8.cpuUsed = picture.cpuUsed
        opusEncoder = try OpusEncoder(opus)
        opusDecoder = try OpusDecoder()
        vp8Encoder = try VP8Encoder(vp8)
        vp8Decoder = try VP8Decoder()
        frame = AudioFrame(silence: opus.frameCount)
    }

    /// Encodes and decodes for `seconds`, on the calling thread.
    func window(seconds: Double) throws -> MediaCost {
        try run(seconds: Double(CodecsAlone.leadMilliseconds) / 1000, beginsWithKeyFrame: true)
        spent = (0, 0)
        try run(seconds: seconds, beginsWithKeyFrame: false)
        return MediaCost(
            sending: Double(spent.encoding) / 1e6 / seconds, receiving: Double(spent.decoding) / 1e6 / seconds)
    }

    private func run(seconds: Double, beginsWithKeyFrame: Bool) throws {
        let start = Instant.now
        let end = start + .seconds(seconds)
        var nextSound = start
        var nextPicture = start + .milliseconds(7)
        var forceKeyFrame = beginsWithKeyFrame
        while true {
            let next = min(nextSound, nextPicture)
            if next >= end { return }
            SendPattern.sleep(until: next)
            if next == nextSound {
                try codeSound()
                nextSound += .milliseconds(20)
            } else {
                try codePicture(forceKeyFrame: forceKeyFrame)
                forceKeyFrame = false
                nextPicture += Interval(nanoseconds: 33_333_333)
            }
        }
    }

    private func codeSound() throws {
        speech.read(into: &frame)
        let clock = CPUClock.current()
        let start = clock.nanoseconds
        let length = try frame.samples.withUnsafeBufferPointer { samples in
            try packet.withUnsafeMutableBytes { try opusEncoder.encode(samples, into: $0) }
        }
        let encoded = clock.nanoseconds
        _ = try packet.withUnsafeBytes { bytes in
            try samples.withUnsafeMutableBufferPointer {
                try opusDecoder.decode(UnsafeRawBufferPointer(rebasing: bytes[..<length]), into: $0)
            }
        }
        count(start, encoded, clock.nanoseconds)
    }

    private func codePicture(forceKeyFrame: Bool) throws {
        guard let picture = video.nextFrame(at: MediaTime(nanoseconds: Instant.now.nanoseconds)) else { return }
        let clock = CPUClock.current()
        let start = clock.nanoseconds
        var encoded = start
        let decoder = vp8Decoder
        let isDecoded = try vp8Encoder.encode(picture, forceKeyFrame: forceKeyFrame) { frame in
            encoded = clock.nanoseconds
            return (try? decoder.decode(frame.payload) { _ in }) != nil
        }
        guard isDecoded else { throw BenchError("a picture could not be decoded") }
        count(start, encoded, clock.nanoseconds)
    }

    private func count(_ start: Int, _ encoded: Int, _ decoded: Int) {
        spent.encoding += encoded - start
        spent.decoding += decoded - encoded
    }
}
