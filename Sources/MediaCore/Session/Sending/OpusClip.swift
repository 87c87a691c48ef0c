/// Sound that was encoded once, by the real encoder, and is played by any number of tracks at once.
public struct OpusClip: Sendable {
    let frames: [EncodedAudioFrame]

    /// Reads that much of a source and encodes it.
    ///
    /// - Parameters:
    ///   - duration: in milliseconds, rounded down to frames of 20 ms; at least one frame.
    ///   - encoding: the bitrate and the encoder's settings. With DTX silence is left out; RED is not used.
    /// - Throws: `MediaError` where the encoder refuses the settings.
    public init(
        _ source: any AudioSource, milliseconds duration: Int, encoding: AudioEncoding = AudioEncoding()
    ) throws {
        var settings = OpusEncoderConfiguration(channels: source.channels, bitrate: encoding.bitrate)
        settings.complexity = encoding.complexity
        settings.inbandFEC = encoding.inbandFEC
        settings.dtx = encoding.dtx
        let encoder = try OpusEncoder(settings)
        var sound = AudioFrame(silence: settings.frameCount, channels: source.channels)
        var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
        var frames: [EncodedAudioFrame] = []
        for _ in 0..<max(1, duration / 20) {
            source.read(into: &sound)
            let level = sound.samples.withUnsafeBufferPointer { PCMLevel.level($0) }
            let length = try sound.samples.withUnsafeBufferPointer { samples in
                try packet.withUnsafeMutableBytes { try encoder.encode(samples, into: $0) }
            }
            // Two bytes or fewer say that there is nothing worth sending.
            let isSilent = encoding.dtx && length <= 2
            frames.append(EncodedAudioFrame(payload: isSilent ? [] : Array(packet[..<length]), level: Int(level)))
        }
        self.frames = frames
    }

    /// The clip over and over.
    ///
    /// - Parameter start: the first frame's number, so that tracks of one clip don't all play the same at once.
    public func source(from start: Int = 0) -> any EncodedAudioSource { OpusClipSource(self, from: start) }
}

// One reader at a time, as the protocol has it.
private final class OpusClipSource: EncodedAudioSource, @unchecked Sendable {
    let codecName = "opus"
    private let clip: OpusClip
    private var position: Int

    init(_ clip: OpusClip, from start: Int) {
        self.clip = clip
        position = max(0, start) % clip.frames.count
    }

    func nextFrame() -> EncodedAudioFrame? {
        defer { position = (position + 1) % clip.frames.count }
        return clip.frames[position]
    }
}
