import CVPX
import RTCWire

/// VP9 by libvpx, profile 0.
package final class VP9Decoder: PictureCodec {
    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
    private let pool: VideoBufferPool
    /// The frame with an index of its own behind it; kept for its capacity.
    private var framed: [UInt8] = []

    package init(pool: VideoBufferPool = VideoBufferPool()) throws(MediaError) {
        self.pool = pool
        context = .allocate(capacity: 1)
        context.initialize(to: vpx_codec_ctx_t())
        var settings = vpx_codec_dec_cfg_t(threads: 1, w: 0, h: 0)
        let status = cvpx_decoder_init(context, vpx_codec_vp9_dx(), &settings)
        guard status == VPX_CODEC_OK else {
            context.deallocate()
            throw MediaError(
                .environment, "VP9 decoder", "libvpx failed with status \(status.rawValue)",
                remedy: "check that libvpx7 is installed and memory is left")
        }
    }

    deinit {
        vpx_codec_destroy(context)
        context.deallocate()
    }

    package func decode(
        _ payload: UnsafeRawBufferPointer, captureTime: MediaTime = .zero
    ) throws(CodecError) -> VideoFrame? {
        guard !payload.isEmpty, payload.count <= PictureLimits.maximumBytes else { throw .invalidPayload }
        let frames = try VP9Superframe.frames(of: payload)
        var last: VideoFrame?
        // One by one, so that none hides behind another: spatial layers of a picture, of which the largest comes last.
        for frame in frames {
            guard let header = VP9FrameHeader(UnsafeRawBufferPointer(rebasing: payload[frame])), header.profile == 0
            else { throw .invalidPayload }
            if let size = header.size, size.width * size.height > PictureLimits.maximumPixels { throw .tooLarge }
            last = try decode(UnsafeRawBufferPointer(rebasing: payload[frame]), at: captureTime) ?? last
        }
        return last
    }

    private func decode(_ frame: UnsafeRawBufferPointer, at time: MediaTime) throws(CodecError) -> VideoFrame? {
        // Without an index libvpx takes what is left behind a frame for another one, of a size that nobody has looked at.
        framed.removeAll(keepingCapacity: true)
        framed.append(contentsOf: frame)
        VP9Superframe.appendIndex(ofOne: frame.count, to: &framed)
        let status = framed.withUnsafeBufferPointer {
            vpx_codec_decode(context, $0.baseAddress, UInt32(clamping: $0.count), nil, 0)
        }
        guard status == VPX_CODEC_OK else { throw CodecError(vpx: status) }
        var iterator: vpx_codec_iter_t?
        guard let image = vpx_codec_get_frame(context, &iterator) else { return nil }
        guard let planes = I420Planes(vpx: image.pointee) else { throw .invalidPayload }
        return pool.copy(planes, captureTime: time)
    }
}

extension VideoBufferPool {
    /// A picture of its own with the same pixels.
    func copy(_ planes: I420Planes, captureTime: MediaTime) -> VideoFrame {
        let buffer = acquire(width: planes.width, height: planes.height)
        buffer.planes.copy(planes)
        return VideoFrame(buffer: buffer, captureTime: captureTime)
    }
}

extension CodecError {
    init(vpx status: vpx_codec_err_t) {
        self =
            switch status {
            case VPX_CODEC_CORRUPT_FRAME, VPX_CODEC_UNSUP_BITSTREAM, VPX_CODEC_UNSUP_FEATURE: .invalidPayload
            case VPX_CODEC_INVALID_PARAM: .invalidArgument
            default: .library(Int32(bitPattern: status.rawValue))
            }
    }
}

extension I420Planes {
    /// Nil where the picture isn't 8-bit I420, or too large.
    init?(vpx image: vpx_image_t) {
        guard image.fmt == VPX_IMG_FMT_I420, let y = image.planes.0, let u = image.planes.1, let v = image.planes.2,
            Int(image.d_w) * Int(image.d_h) <= PictureLimits.maximumPixels, image.d_w > 0, image.d_h > 0
        else { return nil }
        self.init(
            y: y, u: u, v: v, yStride: Int(image.stride.0), uStride: Int(image.stride.1), vStride: Int(image.stride.2),
            width: Int(image.d_w), height: Int(image.d_h))
    }
}
