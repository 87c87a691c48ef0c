import CDav1d

/// AV1 by dav1d, 8 bits and 4:2:0.
package final class AV1Decoder: PictureCodec {
    private var context: OpaquePointer?
    private let pool: VideoBufferPool

    package init(pool: VideoBufferPool = VideoBufferPool()) throws(MediaError) {
        self.pool = pool
        context = Self.open()
        guard context != nil else {
            throw MediaError(
                .environment, "AV1 decoder", "dav1d can't be set up", remedy: "check that memory is left")
        }
    }

    deinit { dav1d_close(&context) }

    private static func open() -> OpaquePointer? {
        var settings = Dav1dSettings()
        dav1d_default_settings(&settings)
        settings.n_threads = 1
        settings.max_frame_delay = 1
        settings.all_layers = 0
        settings.frame_size_limit = UInt32(PictureLimits.maximumPixels)
        settings.logger.callback = nil
        var context: OpaquePointer?
        return dav1d_open(&context, &settings) == 0 ? context : nil
    }

    package func decode(
        _ payload: UnsafeRawBufferPointer, captureTime: MediaTime = .zero
    ) throws(CodecError) -> VideoFrame? {
        guard let base = payload.baseAddress, !payload.isEmpty, payload.count <= PictureLimits.maximumBytes else {
            throw .invalidPayload
        }
        let status = cdav1d_send(context, base.assumingMemoryBound(to: UInt8.self), payload.count)
        guard status == 0 || status == cdav1d_again() else {
            // What it kept of a broken unit must not meet the next one.
            dav1d_flush(context)
            throw .invalidPayload
        }
        var last: VideoFrame?
        // The largest spatial layer comes last.
        while let frame = try next(captureTime) { last = frame }
        return last
    }

    private func next(_ time: MediaTime) throws(CodecError) -> VideoFrame? {
        var picture = Dav1dPicture()
        let status = dav1d_get_picture(context, &picture)
        if status == cdav1d_again() { return nil }
        guard status == 0 else {
            dav1d_flush(context)
            throw .invalidPayload
        }
        defer { dav1d_picture_unref(&picture) }
        guard picture.p.layout == DAV1D_PIXEL_LAYOUT_I420, picture.p.bpc == 8, picture.p.w > 0, picture.p.h > 0,
            let y = picture.data.0, let u = picture.data.1, let v = picture.data.2
        else { throw .invalidPayload }
        let planes = I420Planes(
            y: UnsafePointer(y.assumingMemoryBound(to: UInt8.self)),
            u: UnsafePointer(u.assumingMemoryBound(to: UInt8.self)),
            v: UnsafePointer(v.assumingMemoryBound(to: UInt8.self)), yStride: picture.stride.0,
            uStride: picture.stride.1, vStride: picture.stride.1, width: Int(picture.p.w), height: Int(picture.p.h))
        return pool.copy(planes, captureTime: time)
    }
}
