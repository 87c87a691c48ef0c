/// A decoder of one codec's pictures, on one thread. Has one owner at a time.
package protocol PictureCodec: AnyObject {
    /// Decodes one picture.
    ///
    /// - Parameter payload: hostile, perhaps: what can't be decoded throws, and costs bounded time and memory.
    /// - Returns: nil when the payload updates the decoder but shows nothing.
    func decode(_ payload: UnsafeRawBufferPointer, captureTime: MediaTime) throws(CodecError) -> VideoFrame?
}

/// What all decoders keep to.
package enum PictureLimits {
    /// Pixels of the largest picture accepted: a hostile key frame may announce 16,383 x 16,383 and more.
    package static let maximumPixels = 4_096 * 2_304
    /// Bytes of the longest frame accepted.
    package static let maximumBytes = 8 << 20
}

extension MediaCodec {
    /// A decoder of this codec's pictures; nil for sound.
    package func makeDecoder(pool: VideoBufferPool = VideoBufferPool()) throws(MediaError) -> (any PictureCodec)? {
        switch self {
        case .vp8: try VP8Decoder(pool: pool)
        case .vp9: try VP9Decoder(pool: pool)
        case .av1: try AV1Decoder(pool: pool)
        case .h264: try H264Decoder(pool: pool)
        case .opus: nil
        }
    }
}
