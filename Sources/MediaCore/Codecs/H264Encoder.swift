import COpenH264

/// H.264 by OpenH264, for calls: constrained baseline profile, realtime, one thread, one slice a picture, constant bitrate,
/// no look-ahead, never a dropped frame. Key frames, with their parameter sets, come at the start and on demand. One picture
/// size for its life.
///
/// Has one owner at a time.
package final class H264Encoder {
    private let encoder: UnsafeMutableRawPointer
    private let width: Int
    private let height: Int
    private let frameRate: Double

    /// - Parameters:
    ///   - width: 16...4,096.
    ///   - height: 16...2,304.
    ///   - bitrate: bits a second, 10,000...50,000,000.
    ///   - frameRate: 1...240.
    package init(width: Int, height: Int, bitrate: Int, frameRate: Double = 30) throws(MediaError) {
        guard (16...4_096).contains(width), (16...2_304).contains(height), (10_000...50_000_000).contains(bitrate),
            (1...240).contains(frameRate)
        else {
            throw MediaError(
                .argument, "H.264 encoder",
                "\(width)x\(height) at \(bitrate) bit/s and \(frameRate) fps is out of range",
                remedy: "use 16x16 to 4096x2304, 10000 to 50000000 bit/s, 1 to 240 fps")
        }
        guard let encoder = coh264_encoder_new(Int32(width), Int32(height), Int32(bitrate), Float(frameRate)) else {
            throw MediaError(
                .environment, "H.264 encoder", "OpenH264 refused \(width)x\(height)",
                remedy: "use an even width and height, or another codec")
        }
        self.encoder = encoder
        (self.width, self.height, self.frameRate) = (width, height, frameRate)
    }

    deinit { coh264_encoder_free(encoder) }

    /// Changes the bitrate from the next picture on, without a key frame.
    package func setRate(bitrate: Int) throws(MediaError) {
        let wanted = min(max(bitrate, 10_000), 50_000_000)
        guard coh264_encoder_set_rate(encoder, Int32(wanted), Float(frameRate)) == 0 else {
            throw MediaError(
                .environment, "H.264 encoder", "OpenH264 refused \(wanted) bit/s", remedy: "choose another bitrate")
        }
    }

    /// Compresses one picture of the encoder's size; another size throws. The payload has start codes (annex B).
    package func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedVideoFrame {
        guard frame.width == width, frame.height == height else { throw .invalidArgument }
        var unit = coh264_access_unit()
        let status = frame.withPlanes { planes in
            var picture = coh264_picture()
            // OpenH264 only reads the picture; its structure just lacks the const.
            picture.planes.0 = UnsafeMutablePointer(mutating: planes.y)
            picture.planes.1 = UnsafeMutablePointer(mutating: planes.u)
            picture.planes.2 = UnsafeMutablePointer(mutating: planes.v)
            (picture.strides.0, picture.strides.1) = (Int32(planes.yStride), Int32(planes.uStride))
            (picture.width, picture.height) = (Int32(width), Int32(height))
            let time = frame.captureTime.nanoseconds / 1_000_000
            return coh264_encode(encoder, &picture, time, forceKeyFrame, &unit)
        }
        guard status == 0, let bytes = unit.bytes, unit.count > 0 else { throw .library(status) }
        return EncodedVideoFrame(
            payload: Array(UnsafeRawBufferPointer(start: bytes, count: Int(unit.count))),
            isKeyFrame: unit.is_key_frame, width: width, height: height, captureTime: frame.captureTime)
    }
}
