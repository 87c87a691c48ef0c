import RTCWire

/// Reads samples in frames of 20 ms and encodes them, one, two or three in a packet.
final class PCMReader {
    private let source: any AudioSource
    private let encoder: OpusEncoder
    private var frame: AudioFrame
    /// The frames of the packet that is being gathered.
    private var samples: [Int16] = []
    private var began: Instant?
    /// The loudest frame of the packet.
    private var level: UInt8 = 127
    private var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
    /// The last frame said that silence follows, and nothing was sent since.
    private var isSilent = false
    private var applied: SoundRate?

    private static let frameMilliseconds = 20

    init(_ source: any AudioSource, _ encoding: AudioEncoding, wantsDTX: Bool) throws(MediaError) {
        var settings = OpusEncoderConfiguration(channels: source.channels, bitrate: encoding.bitrate)
        settings.complexity = encoding.complexity
        settings.inbandFEC = encoding.inbandFEC
        settings.dtx = encoding.dtx && wantsDTX
        self.source = source
        encoder = try OpusEncoder(settings)
        frame = AudioFrame(silence: settings.frameCount, channels: source.channels)
    }

    /// Reads the frame of `due`; gives a packet where that completes one. Its `timestamp` is the number of frames before
    /// this one that it begins with.
    func next(_ due: Instant, isMuted: Bool, _ rate: SoundRate?) -> EncodedSound? {
        _ = source.read(into: &frame)
        guard !isMuted else {
            forget()
            return nil
        }
        if samples.isEmpty { apply(rate) }
        let wanted = encoder.configuration.frameMilliseconds / PCMReader.frameMilliseconds
        guard wanted > 1 else {
            let level = frame.samples.withUnsafeBufferPointer { PCMLevel.level($0) }
            return encode(frame.samples, level: level, captured: due, frames: 1)
        }
        began = began ?? due
        level = min(level, frame.samples.withUnsafeBufferPointer { PCMLevel.level($0) })
        samples += frame.samples
        guard samples.count >= frame.samples.count * wanted else { return nil }
        defer { forget() }
        return encode(samples, level: level, captured: began ?? due, frames: UInt32(wanted))
    }

    private func forget() {
        samples.removeAll(keepingCapacity: true)
        began = nil
        level = 127
    }

    private func apply(_ rate: SoundRate?) {
        guard let rate, rate != applied else { return }
        applied = rate
        try? encoder.reconfigure {
            $0.bitrate = rate.bitrate
            $0.expectedLossPercent = rate.expectedLoss
            $0.frameMilliseconds = rate.milliseconds
        }
    }

    private func encode(_ samples: [Int16], level: UInt8, captured: Instant, frames: UInt32) -> EncodedSound? {
        let length = samples.withUnsafeBufferPointer { samples in
            packet.withUnsafeMutableBytes { (try? encoder.encode(samples, into: $0)) ?? 0 }
        }
        guard length > 0 else { return nil }
        // With DTX, two bytes or fewer say that there is nothing worth sending. The first of them goes out all the same:
        // it tells the decoder that silence begins.
        let wasSilent = isSilent
        isSilent = encoder.configuration.dtx && length <= 2
        guard !isSilent || !wasSilent else { return nil }
        return EncodedSound(
            payload: Array(packet[..<length]), timestamp: frames - 1, level: level, resumes: wasSilent,
            captured: captured)
    }
}
