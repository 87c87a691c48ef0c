import CVPX
import RTCWire

/// VP8, RFC 6386, on one thread. Has one owner at a time; memory beyond the pooled picture is libvpx's own.
package final class VP8Decoder: PictureCodec {
    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
    private let pool: VideoBufferPool

    package init(pool: VideoBufferPool = VideoBufferPool()) throws(MediaError) {
        self.pool = pool
        context = .allocate(capacity: 1)
        context.initialize(to: vpx_codec_ctx_t())
        var settings = vpx_codec_dec_cfg_t(threads: 1, w: 0, h: 0)
        let status = cvpx_decoder_init(context, vpx_codec_vp8_dx(), &settings)
        guard status == VPX_CODEC_OK else {
            throw MediaError(
                .environment, "VP8 decoder", "libvpx failed with status \(status.rawValue)",
                remedy: "check that libvpx7 is installed and memory is left")
        }
    }

    deinit {
        vpx_codec_destroy(context)
        context.deallocate()
    }

    /// Decodes one picture into a buffer of the pool.
    ///
    /// - Returns: nil when the payload updates the decoder but shows nothing.
    package func decode(
        _ payload: UnsafeRawBufferPointer, captureTime: MediaTime = .zero
    ) throws(CodecError) -> VideoFrame? {
        try decode(payload) { planes in pool.copy(planes, captureTime: captureTime) }
    }

    /// Decodes one picture and lends the decoder's own planes to `body`, sparing the copy.
    ///
    /// - Returns: what `body` returns, or nil when the payload updates the decoder but shows nothing.
    package func decode<Result>(
        _ payload: UnsafeRawBufferPointer, _ body: (I420Planes) -> Result
    ) throws(CodecError) -> Result? {
        try Self.check(payload)
        let bytes = payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status = vpx_codec_decode(context, bytes, UInt32(clamping: payload.count), nil, 0)
        guard status == VPX_CODEC_OK else { throw CodecError(vpx: status) }
        var iterator: vpx_codec_iter_t?
        guard let image = vpx_codec_get_frame(context, &iterator), let planes = I420Planes(vpx: image.pointee) else {
            return nil
        }
        return body(planes)
    }

    /// Whether the last picture was decoded from damaged or missing references.
    package var isCorrupted: Bool {
        var corrupted: Int32 = 0
        _ = cvpx_get(context, Int32(bitPattern: VP8D_GET_FRAME_CORRUPTED.rawValue), &corrupted)
        return corrupted != 0
    }

    /// Refuses what libvpx would take as "frame lost" (nothing) or as a reason to allocate gigabytes.
    private static func check(_ payload: UnsafeRawBufferPointer) throws(CodecError) {
        guard payload.count >= 3 else { throw .invalidPayload }
        guard let header = try? VP8FrameHeader(parsing: payload.bytes) else { throw .invalidPayload }
        if header.isKeyFrame, header.width * header.height > PictureLimits.maximumPixels {
            throw .tooLarge
        }
    }
}
