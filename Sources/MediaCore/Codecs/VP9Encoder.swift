import CVPX

/// VP9, profile 0, for calls: realtime deadline, one thread, constant bitrate, no look-ahead, never a dropped frame. Key
/// frames come at the start and on demand. One picture size for its life.
///
/// Has one owner at a time.
package final class VP9Encoder {
    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
    private var image = vpx_image_t()
    private var settings: vpx_codec_enc_cfg_t
    private let width: Int
    private let height: Int
    private let duration: UInt
    private var timestamp: Int64 = 0

    /// - Parameters:
    ///   - width: 2...4,096.
    ///   - height: 2...2,304.
    ///   - bitrate: bits a second, 10,000...50,000,000.
    ///   - frameRate: 1...240.
    package init(width: Int, height: Int, bitrate: Int, frameRate: Int = 30) throws(MediaError) {
        guard (2...4_096).contains(width), (2...2_304).contains(height), (10_000...50_000_000).contains(bitrate),
            (1...240).contains(frameRate)
        else {
            throw MediaError(
                .argument, "VP9 encoder", "\(width)x\(height) at \(bitrate) bit/s and \(frameRate) fps is out of range",
                remedy: "use 2x2 to 4096x2304, 10000 to 50000000 bit/s, 1 to 240 fps")
        }
        (self.width, self.height) = (width, height)
        duration = UInt(90_000 / frameRate)
        context = .allocate(capacity: 1)
        context.initialize(to: vpx_codec_ctx_t())
        var settings = VP9Encoder.settings(width: width, height: height, bitrate: bitrate) ?? vpx_codec_enc_cfg_t()
        guard cvpx_encoder_init(context, vpx_codec_vp9_cx(), &settings) == VPX_CODEC_OK else {
            context.deallocate()
            throw MediaError(
                .environment, "VP9 encoder", "libvpx refused to start", remedy: "check that libvpx has VP9")
        }
        self.settings = settings
        _ = cvpx_set(context, Int32(bitPattern: VP8E_SET_CPUUSED.rawValue), 8)
        _ = cvpx_set(context, Int32(bitPattern: VP9E_SET_AQ_MODE.rawValue), 3)
        // Of an average picture: what a key frame takes beyond that, the pictures behind it would lack.
        _ = cvpx_set(context, Int32(bitPattern: VP8E_SET_MAX_INTRA_BITRATE_PCT.rawValue), 600)
        prepareImage()
    }

    deinit {
        vpx_codec_destroy(context)
        context.deallocate()
    }

    /// Changes the bitrate from the next picture on, without a key frame.
    package func setRate(bitrate: Int) throws(MediaError) {
        settings.rc_target_bitrate = UInt32(min(max(bitrate, 10_000), 50_000_000) / 1_000)
        guard vpx_codec_enc_config_set(context, &settings) == VPX_CODEC_OK else {
            throw MediaError(
                .environment, "VP9 encoder", "libvpx refused \(bitrate) bit/s", remedy: "choose another bitrate")
        }
    }

    /// Of the picture just encoded, 0 (finest) ... 255.
    var quantizer: Int {
        var value: Int32 = 0
        _ = cvpx_get(context, Int32(bitPattern: VP8E_GET_LAST_QUANTIZER.rawValue), &value)
        return Int(value)
    }

    /// Compresses one picture of the encoder's size; another size throws.
    package func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedVideoFrame {
        guard frame.width == width, frame.height == height else { throw .invalidArgument }
        let flags = forceKeyFrame ? cvpx_force_key_frame() : 0
        let status = frame.withPlanes { planes in
            setPlanes(planes)
            return vpx_codec_encode(context, &image, timestamp, duration, flags, UInt(VPX_DL_REALTIME))
        }
        guard status == VPX_CODEC_OK else { throw CodecError(vpx: status) }
        timestamp += Int64(duration)
        var iterator: vpx_codec_iter_t?
        while let packet = vpx_codec_get_cx_data(context, &iterator) {
            guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT else { continue }
            let data = packet.pointee.data.frame
            return EncodedVideoFrame(
                payload: Array(UnsafeRawBufferPointer(start: data.buf, count: data.sz)),
                isKeyFrame: data.flags & UInt32(VPX_FRAME_IS_KEY) != 0, width: width, height: height,
                captureTime: frame.captureTime)
        }
        throw .library(Int32(bitPattern: VPX_CODEC_ERROR.rawValue))
    }

    private func setPlanes(_ planes: I420Planes) {
        // libvpx only reads the picture; its structure just lacks the const.
        image.planes.0 = UnsafeMutablePointer(mutating: planes.y)
        image.planes.1 = UnsafeMutablePointer(mutating: planes.u)
        image.planes.2 = UnsafeMutablePointer(mutating: planes.v)
        image.stride.0 = Int32(planes.yStride)
        image.stride.1 = Int32(planes.uStride)
        image.stride.2 = Int32(planes.vStride)
    }

    private func prepareImage() {
        image.fmt = VPX_IMG_FMT_I420
        (image.w, image.h, image.d_w, image.d_h) = (UInt32(width), UInt32(height), UInt32(width), UInt32(height))
        (image.bit_depth, image.x_chroma_shift, image.y_chroma_shift, image.bps) = (8, 1, 1, 12)
    }

    private static func settings(width: Int, height: Int, bitrate: Int) -> vpx_codec_enc_cfg_t? {
        var settings = vpx_codec_enc_cfg_t()
        guard vpx_codec_enc_config_default(vpx_codec_vp9_cx(), &settings, 0) == VPX_CODEC_OK else { return nil }
        (settings.g_w, settings.g_h) = (UInt32(width), UInt32(height))
        settings.g_timebase = vpx_rational_t(num: 1, den: 90_000)
        settings.g_threads = 1
        settings.g_lag_in_frames = 0
        settings.g_pass = VPX_RC_ONE_PASS
        settings.kf_mode = VPX_KF_DISABLED
        settings.rc_end_usage = VPX_CBR
        settings.rc_target_bitrate = UInt32(bitrate / 1_000)
        settings.rc_dropframe_thresh = 0
        settings.rc_min_quantizer = 2
        settings.rc_max_quantizer = 52
        (settings.rc_buf_sz, settings.rc_buf_initial_sz, settings.rc_buf_optimal_sz) = (1_000, 500, 600)
        return settings
    }
}
