import CVPX

/// How a VP8 encoder works.
package struct VP8EncoderConfiguration: Hashable, Sendable {
    /// Bits per second that the encoder keeps to, 10,000...50,000,000.
    package var bitrate = 500_000
    /// Pictures a second, 1...240: each is given its share of the bitrate.
    package var frameRate = 30.0
    /// libvpx's speed setting -16...16; realtime engines use -12 (fast) ... -4 (fine).
    package var cpuUsed = -6
    /// Coarsest quantizer, 0...63.
    package var maximumQuantizer = 60
    /// The size of a key frame is held to this percentage of an average picture.
    package var keyFrameLimitPercent = 600

    package init(bitrate: Int = 500_000, frameRate: Double = 30) {
        self.bitrate = bitrate
        self.frameRate = frameRate
    }
}

/// One compressed picture, borrowed from the encoder.
package struct VP8EncodedFrame {
    /// The bitstream, valid until the call that handed it out returns.
    package let payload: UnsafeRawBufferPointer
    package let isKeyFrame: Bool
    /// 0 (finest) ... 127.
    package let quantizer: Int
    package let width: Int
    package let height: Int
    package let captureTime: MediaTime
}

extension EncodedVideoFrame {
    /// Copies a picture out of the encoder.
    package init(_ frame: VP8EncodedFrame) {
        self.init(
            payload: Array(frame.payload), isKeyFrame: frame.isKeyFrame, width: frame.width, height: frame.height,
            captureTime: frame.captureTime)
    }
}

/// VP8, RFC 6386, set up for calls: realtime deadline, one thread, one token partition, constant bitrate, error
/// resilient, no look-ahead, and never a dropped frame. Key frames come at the start, on demand, and at a change of size.
///
/// Has one owner at a time; encoding allocates nothing.
package final class VP8Encoder {
    package private(set) var configuration: VP8EncoderConfiguration
    private var session: VP8EncoderSession?
    /// libvpx's clock, 90 kHz. It goes on by a picture of `frameRate` each time, as with libwebrtc: told of the time that pictures
    /// which are left out took, libvpx would give it to the next one, and more would have to be left out.
    private var timestamp: Int64 = 0

    package init(_ configuration: VP8EncoderConfiguration = .init()) throws(MediaError) {
        try Self.check(configuration)
        self.configuration = configuration
    }

    /// Changes bitrate and frame rate from the next picture on, without a key frame.
    package func setRate(bitrate: Int, frameRate: Double? = nil) throws(MediaError) {
        var next = configuration
        next.bitrate = bitrate
        if let frameRate { next.frameRate = frameRate }
        try Self.check(next)
        configuration = next
        try session?.apply(next)
    }

    /// Compresses one picture; a size other than the last picture's starts anew with a key frame.
    ///
    /// - Parameter body: called with the result before the call returns.
    package func encode<Result>(
        _ frame: VideoFrame, forceKeyFrame: Bool = false, _ body: (VP8EncodedFrame) -> Result
    ) throws(CodecError) -> Result {
        let session = try session(width: frame.width, height: frame.height)
        let duration = max(1, UInt(90_000 / configuration.frameRate))
        defer { timestamp += Int64(duration) }
        try frame.withPlanes { (planes) throws(CodecError) in
            try session.encode(planes, timestamp: timestamp, duration: duration, forceKeyFrame: forceKeyFrame)
        }
        guard let packet = session.packet() else { throw .library(Int32(bitPattern: VPX_CODEC_ERROR.rawValue)) }
        return body(
            VP8EncodedFrame(
                payload: packet.payload, isKeyFrame: packet.isKeyFrame, quantizer: session.quantizer,
                width: frame.width, height: frame.height, captureTime: frame.captureTime))
    }

    private func session(width: Int, height: Int) throws(CodecError) -> VP8EncoderSession {
        if let session, session.width == width, session.height == height { return session }
        session = nil
        let fresh = try VP8EncoderSession(configuration, width: width, height: height)
        session = fresh
        return fresh
    }

    private static func check(_ configuration: VP8EncoderConfiguration) throws(MediaError) {
        guard (10_000...50_000_000).contains(configuration.bitrate) else {
            throw MediaError(
                .argument, "VP8 bitrate", "\(configuration.bitrate) bit/s is out of range",
                remedy: "use 10000 to 50000000")
        }
        guard (1...240).contains(configuration.frameRate) else {
            throw MediaError(
                .argument, "VP8 frame rate", "\(configuration.frameRate) is out of range", remedy: "use 1 to 240")
        }
        guard (-16...16).contains(configuration.cpuUsed), (0...63).contains(configuration.maximumQuantizer),
            (0...10_000).contains(configuration.keyFrameLimitPercent)
        else {
            throw MediaError(
                .argument, "VP8 encoder", "a setting is out of range",
                remedy: "use cpuUsed -16...16, maximumQuantizer 0...63, keyFrameLimitPercent 0...10000")
        }
    }
}
