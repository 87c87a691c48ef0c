import MediaCore
import RTCWire

/// The four codec calls of a participant and nothing else, at the pace of real time. What is decoded was encoded some
/// milliseconds before, with a sleep in between, as on a way through a network: right behind the encoder a decoder would find its
/// pictures in the caches, which one that only receives does not.
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
    /// Encoded and not decoded yet, oldest first.
    private var underWay: [(due: Instant, isSound: Bool, bytes: [UInt8])] = []

    private static let way = Interval.milliseconds(5)

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
            let next = min(nextSound, nextPicture, underWay.first?.due ?? .distantFuture)
            if next >= end { break }
            SendPattern.sleep(until: next)
            if next == underWay.first?.due {
                try decode(underWay.removeFirst())
            } else if next == nextSound {
                try encodeSound()
                nextSound += .milliseconds(20)
            } else {
                try encodePicture(forceKeyFrame: forceKeyFrame)
                forceKeyFrame = false
                nextPicture += Interval(nanoseconds: 33_333_333)
            }
        }
        while !underWay.isEmpty { try decode(underWay.removeFirst()) }
    }

    private func encodeSound() throws {
        speech.read(into: &frame)
        let clock = CPUClock.current()
        let start = clock.nanoseconds
        let length = try frame.samples.withUnsafeBufferPointer { samples in
            try packet.withUnsafeMutableBytes { try opusEncoder.encode(samples, into: $0) }
        }
        spent.encoding += clock.nanoseconds - start
        underWay.append((.now + CodecsAlone.way, true, Array(packet[..<length])))
    }

    private func encodePicture(forceKeyFrame: Bool) throws {
        guard let picture = video.nextFrame(at: MediaTime(nanoseconds: Instant.now.nanoseconds)) else { return }
        let clock = CPUClock.current()
        let start = clock.nanoseconds
        var encoded = start
        let bytes = try vp8Encoder.encode(picture, forceKeyFrame: forceKeyFrame) { frame in
            encoded = clock.nanoseconds
            return [UInt8](frame.payload)
        }
        spent.encoding += encoded - start
        underWay.append((.now + CodecsAlone.way, false, bytes))
    }

    private func decode(_ coded: (due: Instant, isSound: Bool, bytes: [UInt8])) throws {
        let clock = CPUClock.current()
        let start = clock.nanoseconds
        try coded.bytes.withUnsafeBytes { bytes in
            if coded.isSound {
                _ = try samples.withUnsafeMutableBufferPointer { try opusDecoder.decode(bytes, into: $0) }
            } else {
                guard try vp8Decoder.decode(bytes, { _ in true }) != nil else {
                    throw BenchError("a picture could not be decoded")
                }
            }
        }
        spent.decoding += clock.nanoseconds - start
    }
}
