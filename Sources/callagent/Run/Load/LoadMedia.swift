import LoadCore
import MediaCore

/// What the publishers of a load test send: encoded once by the real encoders, and shared by all of them.
struct LoadMedia: Sendable {
    /// What is wanted.
    struct Format: Sendable {
        var width = 640
        var height = 360
        var frameRate = 30.0
        /// Bits a second of the largest stream.
        var bitrate = 600_000
        var isSimulcast = true
        var codec = VideoCodec.vp8
        /// Every publisher has encoders of its own, and nothing is prepared.
        var encodes = false
    }

    /// One stream of pictures. The number on a test card is its place.
    struct Clip: Sendable {
        var layer: VideoLayer
        var frames: [EncodedVideoFrame]

        /// The next key frame from a place on; they stand at fixed distances, the first one at the beginning.
        func keyFrame(from place: Int) -> Int { frames.indices.dropFirst(place).first { frames[$0].isKeyFrame } ?? 0 }
    }

    let format: Format
    /// The largest first; one where there is no simulcast.
    let pictures: [Clip]
    /// One for each voice: 20 ms a frame.
    let speech: [[EncodedAudioFrame]]

    /// Seconds of a clip, and between its key frames.
    private static let length = 4.0
    private static let keyFrameInterval = 2.0
    private static let voices = 3

    /// - Parameters:
    ///   - pictures: whether some are needed.
    ///   - sound: the same.
    init(_ format: Format, pictures: Bool, sound: Bool) throws {
        self.format = format
        self.pictures = pictures && !format.encodes ? try format.streams.map { try Self.clip($0, format) } : []
        speech = sound && !format.encodes ? try (0..<Self.voices).map { try Self.speech($0) } : []
    }

    private static func clip(_ layer: VideoLayer, _ format: Format) throws -> Clip {
        let rate = min(format.frameRate, layer.maximumFramesPerSecond)
        let card = try TestCardSource(sender: 1, width: layer.width, height: layer.height, frameRate: rate)
        let encoder = try format.codec.makeEncoder(bitrate: layer.bitrate, frameRate: rate)
        var frames: [EncodedVideoFrame] = []
        for place in 0..<Int(length * rate) {
            let time = MediaTime(nanoseconds: Int64(Double(place) / rate * 1e9))
            guard let picture = card.nextFrame(at: time) else { break }
            let isKeyFrame = place % Int(keyFrameInterval * rate) == 0
            let encoded = try encoder.compress(picture, forceKeyFrame: isKeyFrame)
            frames.append(
                EncodedVideoFrame(
                    payload: encoded.payload, isKeyFrame: encoded.isKeyFrame, width: layer.width, height: layer.height,
                    captureTime: time))
        }
        return Clip(layer: layer, frames: frames)
    }

    private static func speech(_ voice: Int) throws -> [EncodedAudioFrame] {
        let source = try SpeechSource(Sentences.numbered(voice), voice: .numbered(voice))
        let milliseconds = Int(source.duration * 1000)
        let clip = try OpusClip(source, milliseconds: milliseconds)
        let reader = clip.source()
        return (0..<max(1, milliseconds / 20)).compactMap { _ in reader.nextFrame() }
    }
}

extension LoadMedia.Format {
    /// The streams in which pictures are sent, the largest first.
    var streams: [VideoLayer] {
        let layers = isSimulcast ? VideoLayer.standard(width: width, height: height, bitrate: bitrate) : []
        guard layers.isEmpty else { return layers }
        return [
            VideoLayer(rid: "", width: width, height: height, bitrate: bitrate, maximumFramesPerSecond: frameRate)
        ]
    }

    /// For an encoder of a publisher's own.
    var encoding: VideoEncoding {
        VideoEncoding(bitrate: bitrate, layers: streams.count > 1 ? streams : [], codec: codec)
    }
}
