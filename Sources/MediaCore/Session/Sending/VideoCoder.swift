import RTCCore
import RTCWire

/// A picture that is due.
struct VideoOrder: Sendable {
    /// When it was due, for what lets its time go by.
    var due: MediaTime
    /// The source is read, so that its time goes by, and nothing is sent.
    var isMuted: Bool
    /// The streams that take it, the largest first.
    var layers: [Layer] = []

    struct Layer: Sendable {
        /// Among the streams of the track.
        var index: Int
        var isKeyFrame: Bool
        /// Bits per second; nil takes the stream's own.
        var bitrate: Int?
        /// What is left of the stream's pictures.
        var step = QualityScaler.Step()
    }
}

/// A picture as one stream sends it.
struct EncodedPicture: Sendable {
    var layer: Int
    var payload: [UInt8]
    var isKeyFrame: Bool
    /// 0 (finest) ... 127; nil where the source is compressed already, or the encoder doesn't say.
    var quantizer: Int?
    var width: Int
    var height: Int
    /// 90 kHz.
    var timestamp: UInt32
    var captured: Instant
}

/// Pulls the pictures of one track, has each stream's encoder encode them, unless they are encoded already, and encrypts them.
// Used by one job at a time: the sender makes the next one when the result of the last one is back.
final class VideoCoder: @unchecked Sendable {
    private let input: VideoInput
    private let layers: [LayerCoder]

    /// - Parameter layers: the largest first, so that each can be scaled from the one before.
    init(_ input: VideoInput, layers: [LayerCoder]) {
        self.input = input
        self.layers = layers
    }

    /// The source encodes, and there is nothing to be computed but its encryption.
    var isEncoded: Bool { input.encoding == nil }

    /// What is to be sent of the picture that is due.
    func encode(_ order: VideoOrder, now: Instant) -> [EncodedPicture] {
        guard !order.isMuted, !order.layers.isEmpty || input.encoding != nil else {
            input.skip(at: order.due)
            return []
        }
        let time = MediaTime(nanoseconds: now.nanoseconds)
        switch input {
        case .raw(let source, _):
            guard var picture = source.nextFrame(at: time) else { return [] }
            return order.layers.compactMap { layers[$0.index].encode(&picture, $0, captured: now) }
        case .encoded(let source):
            return order.layers.compactMap { layers[$0.index].take($0, from: source, at: time, captured: now) }
        }
    }
}

/// One stream of a track: its encoder, and what its frames are encrypted with. Belongs to a `VideoCoder`.
final class LayerCoder {
    private let size: (width: Int, height: Int)?
    /// The stream's name among those of a simulcast; nil where there is one stream.
    private let rid: String?
    /// Bits per second of the encoding.
    private let bitrate: Int
    private let encoder: (any PictureEncoder)?
    private let scaler = VideoScaler()
    private let sealer: FrameSealer?
    private let marker: (any EncodedFrameMarker)?
    private let firstTimestamp: UInt32
    private var appliedBitrate: Int?

    /// - Parameters:
    ///   - layer: the size and rate of the stream; nil takes the source's and the encoding's bitrate.
    ///   - encoding: nil where pictures come compressed.
    init(
        _ layer: VideoLayer?, _ encoding: VideoEncoding?, frameRate: Double, sealer: FrameSealer?,
        marker: (any EncodedFrameMarker)? = nil, firstTimestamp: UInt32
    ) throws(MediaError) {
        self.sealer = sealer
        self.marker = encoding == nil ? nil : marker
        self.firstTimestamp = firstTimestamp
        size = layer.map { (max(2, $0.width), max(2, $0.height)) }
        rid = layer?.rid
        bitrate = layer?.bitrate ?? encoding?.bitrate ?? 0
        guard let encoding else {
            encoder = nil
            return
        }
        encoder = try encoding.codec.makeEncoder(bitrate: bitrate, frameRate: frameRate, speed: encoding.cpuUsed)
    }

    /// Encodes a picture at the stream's size, and leaves it at that: the next smaller stream may be scaled from it.
    func encode(_ picture: inout VideoFrame, _ order: VideoOrder.Layer, captured: Instant) -> EncodedPicture? {
        picture = scaled(picture, to: order.step.size)
        apply(order)
        guard let encoded = try? encoder?.compress(picture, forceKeyFrame: order.isKeyFrame) else { return nil }
        var payload = encoded.payload
        let isKeyFrame = encoded.isKeyFrame
        if let marker {
            let time = MediaTime(nanoseconds: captured.nanoseconds)
            guard marker.mark(&payload, stream: order.index, isKeyFrame: isKeyFrame, at: time) else { return nil }
        }
        var result = sealed(payload, order, isKeyFrame, (picture.width, picture.height), captured)
        result?.quantizer = encoded.quantizer
        return result
    }

    /// The stream's next picture of a source that is compressed already.
    func take(
        _ order: VideoOrder.Layer, from source: any EncodedVideoSource, at time: MediaTime, captured: Instant
    ) -> EncodedPicture? {
        guard let frame = next(order, from: source, at: time) else { return nil }
        return sealed(frame.payload, order, frame.isKeyFrame, (frame.width, frame.height), captured)
    }

    private func next(
        _ order: VideoOrder.Layer, from source: any EncodedVideoSource, at time: MediaTime
    ) -> EncodedVideoFrame? {
        guard let rid, let layered = source as? any EncodedSimulcastSource else {
            if order.isKeyFrame { source.requestKeyFrame() }
            return source.nextFrame(at: time)
        }
        if order.isKeyFrame { layered.requestKeyFrame(of: rid) }
        return layered.nextFrame(of: rid, at: time)
    }

    private func sealed(
        _ payload: [UInt8], _ order: VideoOrder.Layer, _ isKeyFrame: Bool, _ size: (width: Int, height: Int),
        _ captured: Instant
    ) -> EncodedPicture? {
        let timestamp = firstTimestamp &+ UInt32(truncatingIfNeeded: captured.nanoseconds / 1000 &* 9 / 100)
        var payload = payload
        if let sealer {
            guard let sealed = sealer.seal(payload, codec: .vp8, timestamp: timestamp) else { return nil }
            payload = sealed
        }
        return EncodedPicture(
            layer: order.index, payload: payload, isKeyFrame: isKeyFrame, width: size.width, height: size.height,
            timestamp: timestamp, captured: captured)
    }

    /// - Parameter share: of the stream's width and height.
    private func scaled(_ source: VideoFrame, to share: Double) -> VideoFrame {
        func length(_ own: Int?, _ source: Int) -> Int {
            let full = min(own ?? source, source)
            return share < 1 ? max(2, Int(Double(full) * share) & ~1) : full
        }
        let (width, height) = (length(size?.width, source.width), length(size?.height, source.height))
        guard width < source.width || height < source.height else { return source }
        return scaler.scale(source, width: width, height: height)
    }

    /// Encoders take the stream's full picture rate for granted: where there are fewer, each may have more.
    private func apply(_ order: VideoOrder.Layer) {
        let rate = order.bitrate.map { min(max($0, 10_000), max(bitrate, 10_000)) } ?? bitrate
        let wanted = min(Int(Double(rate) / order.step.pictures), LayerCoder.highestBitrate)
        guard wanted != appliedBitrate else { return }
        appliedBitrate = wanted
        try? encoder?.setBitrate(wanted)
    }

    private static let highestBitrate = 50_000_000
}
