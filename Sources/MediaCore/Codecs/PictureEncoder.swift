/// A picture out of an encoder.
package struct CompressedPicture: Sendable, Hashable {
    /// The codec's bitstream; of H.264 with start codes (annex B).
    package var payload: [UInt8]
    package var isKeyFrame: Bool
    /// How coarse it is, 0 (finest) ... 127, on VP8's scale (`VideoCodec.quantizer`); nil where the encoder doesn't say.
    package var quantizer: Int?
}

/// An encoder of one codec's pictures, on one thread, for calls: realtime, constant bitrate, no look-ahead, never a dropped
/// frame. Has one owner at a time.
package protocol PictureEncoder: AnyObject {
    /// Compresses one picture; a size other than the last picture's starts anew with a key frame.
    func compress(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> CompressedPicture

    /// Changes the bitrate from the next picture on, without a key frame; bits per second.
    func setBitrate(_ bitrate: Int) throws(MediaError)
}

extension VideoCodec {
    /// - Parameters:
    ///   - bitrate: bits a second, 10,000...50,000,000.
    ///   - frameRate: 1...240.
    ///   - speed: libvpx's speed setting; other libraries have none.
    package func makeEncoder(
        bitrate: Int, frameRate: Double, speed: Int = -6
    ) throws(MediaError) -> any PictureEncoder {
        switch self {
        case .vp8:
            var settings = VP8EncoderConfiguration(bitrate: bitrate, frameRate: frameRate)
            settings.cpuUsed = speed
            return try VP8Encoder(settings)
        case .vp9:
            return ResizingEncoder<VP9Encoder>(bitrate) { size, rate throws(MediaError) in
                try VP9Encoder(width: size.width, height: size.height, bitrate: rate, frameRate: Int(frameRate))
            }
        case .h264:
            return ResizingEncoder<H264Encoder>(bitrate) { size, rate throws(MediaError) in
                try H264Encoder(width: size.width, height: size.height, bitrate: rate, frameRate: frameRate)
            }
        }
    }

    /// A quantizer of this codec on VP8's scale of 0...127, so that what libwebrtc's quality scaler takes for fine and for
    /// coarse with this codec has the numbers that it has with VP8: 29 and 95.
    func quantizer(_ own: Int) -> Int {
        let (fine, coarse): (Double, Double) =
            switch self {
            case .vp8: (29, 95)
            case .vp9: (149, 205)
            case .h264: (24, 37)
            }
        return Int(min(max(29 + (Double(own) - fine) * (95 - 29) / (coarse - fine), 0), 127))
    }
}

extension VP8Encoder: PictureEncoder {
    package func compress(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> CompressedPicture {
        try encode(frame, forceKeyFrame: forceKeyFrame) {
            CompressedPicture(payload: Array($0.payload), isKeyFrame: $0.isKeyFrame, quantizer: $0.quantizer)
        }
    }

    package func setBitrate(_ bitrate: Int) throws(MediaError) { try setRate(bitrate: bitrate) }
}

/// An encoder whose life is that of one picture size.
protocol SizedEncoder: AnyObject {
    func compress(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> CompressedPicture
    func setRate(bitrate: Int) throws(MediaError)
}

extension VP9Encoder: SizedEncoder {
    func compress(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> CompressedPicture {
        let encoded = try encode(frame, forceKeyFrame: forceKeyFrame)
        return CompressedPicture(
            payload: encoded.payload, isKeyFrame: encoded.isKeyFrame, quantizer: VideoCodec.vp9.quantizer(quantizer))
    }
}

extension H264Encoder: SizedEncoder {
    // OpenH264 doesn't say how coarse a picture is.
    func compress(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> CompressedPicture {
        let encoded = try encode(frame, forceKeyFrame: forceKeyFrame)
        return CompressedPicture(payload: encoded.payload, isKeyFrame: encoded.isKeyFrame, quantizer: nil)
    }
}

/// Another encoder for each picture size.
private final class ResizingEncoder<Encoder: SizedEncoder>: PictureEncoder {
    typealias Size = (width: Int, height: Int)

    private let make: (Size, Int) throws(MediaError) -> Encoder
    private var bitrate: Int
    private var current: (encoder: Encoder, size: Size)?

    init(_ bitrate: Int, _ make: @escaping (Size, Int) throws(MediaError) -> Encoder) {
        self.bitrate = bitrate
        self.make = make
    }

    func compress(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> CompressedPicture {
        if let current, current.size == (frame.width, frame.height) {
            return try current.encoder.compress(frame, forceKeyFrame: forceKeyFrame)
        }
        let size = (frame.width, frame.height)
        let encoder: Encoder
        do { encoder = try make(size, bitrate) } catch { throw .invalidArgument }
        current = (encoder, size)
        return try encoder.compress(frame, forceKeyFrame: true)
    }

    func setBitrate(_ bitrate: Int) throws(MediaError) {
        self.bitrate = bitrate
        try current?.encoder.setRate(bitrate: bitrate)
    }
}
