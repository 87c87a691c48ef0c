extension IVFFile {
    /// Pictures that are encoded once, by the real encoder, so that any number of tracks can send them; see `IVFSource`.
    ///
    /// - Parameters:
    ///   - source: gives the pictures; one that ends early makes a shorter clip.
    ///   - pictures: how many, at least 1.
    ///   - bitrate: bits per second.
    ///   - keyFrameInterval: every so many pictures one is a key frame: whoever asks for one waits no longer than that.
    /// - Throws: `MediaError` where the encoder refuses, or the source gives no picture.
    public init(
        encoding source: any VideoSource, pictures: Int, bitrate: Int, keyFrameInterval: Int = 30
    ) throws(MediaError) {
        let rate = min(max(source.frameRate, 1), 240)
        let encoder = try VP8Encoder(VP8EncoderConfiguration(bitrate: bitrate, frameRate: rate))
        var frames: [EncodedVideoFrame] = []
        for number in 0..<max(1, pictures) {
            let time = MediaTime(nanoseconds: Int64(Double(number) / rate * 1e9))
            guard let picture = source.nextFrame(at: time) else { break }
            let isKeyFrame = number % max(1, keyFrameInterval) == 0
            // A picture that the encoder leaves out to keep to its rate is no fault.
            let encoded = try? encoder.encode(picture, forceKeyFrame: isKeyFrame) { EncodedVideoFrame($0) }
            if let encoded { frames.append(encoded) }
        }
        guard frames.first?.isKeyFrame == true else {
            throw MediaError(.argument, "video source", "it gives no picture", remedy: "use one that has not ended")
        }
        self.init(frames: frames, frameRate: rate)
    }
}
