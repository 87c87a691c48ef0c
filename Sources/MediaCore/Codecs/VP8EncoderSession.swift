import CVPX

/// One libvpx encoder for one picture size.
final class VP8EncoderSession {
    let width: Int
    let height: Int
    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
    private var settings: vpx_codec_enc_cfg_t
    private var image: vpx_image_t

    init(_ configuration: VP8EncoderConfiguration, width: Int, height: Int) throws(CodecError) {
        self.width = width
        self.height = height
        settings = try Self.settings(configuration, width: width, height: height)
        image = vpx_image_t()
        context = .allocate(capacity: 1)
        context.initialize(to: vpx_codec_ctx_t())
        let status = cvpx_encoder_init(context, vpx_codec_vp8_cx(), &settings)
        guard status == VPX_CODEC_OK else { throw .library(Int32(bitPattern: status.rawValue)) }
        control(VP8E_SET_CPUUSED, configuration.cpuUsed)
        control(VP8E_SET_TOKEN_PARTITIONS, Int(VP8_ONE_TOKENPARTITION.rawValue))
        control(VP8E_SET_STATIC_THRESHOLD, 1)
        control(VP8E_SET_NOISE_SENSITIVITY, 0)
        control(VP8E_SET_MAX_INTRA_BITRATE_PCT, configuration.keyFrameLimitPercent)
        prepareImage()
    }

    deinit {
        vpx_codec_destroy(context)
        context.deallocate()
    }

    /// Takes over bitrate and quantizer without a key frame.
    func apply(_ configuration: VP8EncoderConfiguration) throws(MediaError) {
        settings.rc_target_bitrate = UInt32(configuration.bitrate / 1_000)
        let status = vpx_codec_enc_config_set(context, &settings)
        guard status == VPX_CODEC_OK else {
            throw MediaError(
                .environment, "VP8 encoder",
                "libvpx refused \(configuration.bitrate) bit/s (status \(status.rawValue))",
                remedy: "choose another bitrate")
        }
    }

    func encode(
        _ planes: I420Planes, timestamp: Int64, duration: UInt, forceKeyFrame: Bool
    ) throws(CodecError) {
        // libvpx only reads the picture; its structure just lacks the const.
        image.planes.0 = UnsafeMutablePointer(mutating: planes.y)
        image.planes.1 = UnsafeMutablePointer(mutating: planes.u)
        image.planes.2 = UnsafeMutablePointer(mutating: planes.v)
        image.stride.0 = Int32(planes.yStride)
        image.stride.1 = Int32(planes.uStride)
        image.stride.2 = Int32(planes.vStride)
        let flags = forceKeyFrame ? cvpx_force_key_frame() : 0
        let status = vpx_codec_encode(context, &image, timestamp, duration, flags, UInt(VPX_DL_REALTIME))
        guard status == VPX_CODEC_OK else { throw .library(Int32(bitPattern: status.rawValue)) }
    }

    /// The picture just encoded; its bytes stay valid until the next call of ``encode(_:timestamp:duration:forceKeyFrame:)``.
    func packet() -> (payload: UnsafeRawBufferPointer, isKeyFrame: Bool)? {
        var iterator: vpx_codec_iter_t?
        while let packet = vpx_codec_get_cx_data(context, &iterator) {
            guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT else { continue }
            let frame = packet.pointee.data.frame
            return (
                UnsafeRawBufferPointer(start: frame.buf, count: frame.sz), frame.flags & UInt32(VPX_FRAME_IS_KEY) != 0
            )
        }
        return nil
    }

    /// Of the picture just encoded, 0 (finest) ... 127.
    var quantizer: Int {
        var value: Int32 = 0
        _ = cvpx_get(context, Int32(bitPattern: VP8E_GET_LAST_QUANTIZER.rawValue), &value)
        return Int(value)
    }

    private func control(_ id: vp8e_enc_control_id, _ value: Int) {
        _ = cvpx_set(context, Int32(bitPattern: id.rawValue), Int32(value))
    }

    private func prepareImage() {
        image.fmt = VPX_IMG_FMT_I420
        image.w = UInt32(width)
        image.h = UInt32(height)
        image.d_w = UInt32(width)
        image.d_h = UInt32(height)
        image.bit_depth = 8
        image.x_chroma_shift = 1
        image.y_chroma_shift = 1
        image.bps = 12
    }

    private static func settings(
        _ configuration: VP8EncoderConfiguration, width: Int, height: Int
    ) throws(CodecError) -> vpx_codec_enc_cfg_t {
        var settings = vpx_codec_enc_cfg_t()
        let status = vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &settings, 0)
        guard status == VPX_CODEC_OK else { throw .library(Int32(bitPattern: status.rawValue)) }
        settings.g_w = UInt32(width)
        settings.g_h = UInt32(height)
        settings.g_timebase = vpx_rational_t(num: 1, den: 90_000)
        settings.g_threads = 1
        settings.g_lag_in_frames = 0
        settings.g_error_resilient = vpx_codec_er_flags_t(VPX_ERROR_RESILIENT_DEFAULT)
        settings.g_pass = VPX_RC_ONE_PASS
        settings.kf_mode = VPX_KF_DISABLED
        settings.rc_end_usage = VPX_CBR
        settings.rc_target_bitrate = UInt32(configuration.bitrate / 1_000)
        settings.rc_dropframe_thresh = 0
        settings.rc_resize_allowed = 0
        settings.rc_min_quantizer = 2
        settings.rc_max_quantizer = UInt32(configuration.maximumQuantizer)
        settings.rc_undershoot_pct = 100
        settings.rc_overshoot_pct = 15
        // Milliseconds of the target rate: a key frame may fill the buffer by half, and is paid back within a second.
        settings.rc_buf_sz = 1_000
        settings.rc_buf_initial_sz = 500
        settings.rc_buf_optimal_sz = 600
        return settings
    }
}
