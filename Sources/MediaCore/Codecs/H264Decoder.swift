import COpenH264

/// H.264 by OpenH264: what browsers send, baseline to high profile, 8 bits and 4:2:0.
package final class H264Decoder: PictureCodec {
    private let decoder: UnsafeMutableRawPointer
    private let pool: VideoBufferPool

    package init(pool: VideoBufferPool = VideoBufferPool()) throws(MediaError) {
        self.pool = pool
        guard let decoder = coh264_decoder_new() else {
            throw MediaError(
                .environment, "H.264 decoder", "OpenH264 can't be set up", remedy: "check that memory is left")
        }
        self.decoder = decoder
    }

    deinit { coh264_decoder_free(decoder) }

    /// - Parameter payload: an access unit with start codes (H.264 annex B).
    package func decode(
        _ payload: UnsafeRawBufferPointer, captureTime: MediaTime = .zero
    ) throws(CodecError) -> VideoFrame? {
        guard let base = payload.baseAddress, payload.count > 4, payload.count <= PictureLimits.maximumBytes else {
            throw .invalidPayload
        }
        var picture = coh264_picture()
        let status = coh264_decode(
            decoder, base.assumingMemoryBound(to: UInt8.self), Int32(payload.count), &picture)
        guard status >= 0 else { throw .invalidPayload }
        guard status > 0 else { return nil }
        let (width, height) = (Int(picture.width), Int(picture.height))
        guard width > 0, height > 0, width * height <= PictureLimits.maximumPixels, let y = picture.planes.0,
            let u = picture.planes.1, let v = picture.planes.2
        else { throw .tooLarge }
        let (luma, chroma) = (Int(picture.strides.0), Int(picture.strides.1))
        let planes = I420Planes(
            y: y, u: u, v: v, yStride: luma, uStride: chroma, vStride: chroma, width: width, height: height)
        return pool.copy(planes, captureTime: captureTime)
    }
}
