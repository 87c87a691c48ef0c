import COpus

/// How an Opus encoder works; everything but channels and application may change while it runs.
package struct OpusEncoderConfiguration: Hashable, Sendable {
    package enum Application: Hashable, Sendable {
        /// Tuned for speech (the default of WebRTC).
        case voice
        /// Tuned for music.
        case music
        /// CELT only, no look-ahead for speech modes.
        case lowDelay
    }

    /// 1 or 2.
    package var channels = 1
    /// Frame length in milliseconds: 10, 20, 40 or 60.
    package var frameMilliseconds = 20
    package var application = Application.voice
    /// Bits per second, 6,000...510,000.
    package var bitrate = 32_000
    /// 0 (cheapest) ... 10 (best).
    package var complexity = 5
    /// Whether each packet carries a coarse copy of the frame before it.
    package var inbandFEC = true
    /// Loss to protect against, percent; without any expected loss the encoder writes no FEC.
    package var expectedLossPercent = 10
    /// Whether silence is signalled by packets of at most 2 bytes, which needn't be sent.
    package var dtx = false

    package init(channels: Int = 1, bitrate: Int = 32_000) {
        self.channels = channels
        self.bitrate = bitrate
    }

    /// Samples per channel in one frame.
    package var frameCount: Int { frameMilliseconds * 48 }
}

/// Opus, RFC 6716, 48 kHz. Has one owner at a time; encoding allocates nothing.
package final class OpusEncoder {
    /// The longest packet that libopus is asked for, in bytes: the sum of all frames of a 60 ms packet at 510 kbit/s.
    package static let maximumPacketSize = 4_000

    package private(set) var configuration: OpusEncoderConfiguration
    private let encoder: OpaquePointer

    package init(_ configuration: OpusEncoderConfiguration = .init()) throws(MediaError) {
        try Self.check(configuration)
        var status: Int32 = 0
        let encoder = opus_encoder_create(
            48_000, Int32(configuration.channels), Self.applicationCode(configuration.application), &status)
        guard let encoder, status == OPUS_OK else {
            throw MediaError(
                .environment, "Opus encoder", "libopus failed: \(opusMessage(status))",
                remedy: "check that libopus0 is installed and memory is left")
        }
        self.encoder = encoder
        self.configuration = configuration
        apply()
    }

    deinit { opus_encoder_destroy(encoder) }

    /// Samples per channel by which the encoder delays its input.
    package var lookahead: Int {
        var value: Int32 = 0
        _ = copus_get_lookahead(encoder, &value)
        return Int(value)
    }

    /// Changes frame length, bitrate, complexity, FEC, expected loss or DTX; channels and application stay as they are.
    package func reconfigure(_ change: (inout OpusEncoderConfiguration) -> Void) throws(MediaError) {
        var next = configuration
        change(&next)
        next.channels = configuration.channels
        next.application = configuration.application
        try Self.check(next)
        configuration = next
        apply()
    }

    /// Encodes one frame.
    ///
    /// - Parameters:
    ///   - samples: exactly `configuration.frameCount` samples per channel, interleaved.
    ///   - packet: room for the packet; ``maximumPacketSize`` always suffices.
    /// - Returns: bytes written; with DTX, 2 or fewer mean that nothing needs to be sent.
    package func encode(
        _ samples: UnsafeBufferPointer<Int16>, into packet: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        guard samples.count == configuration.frameCount * configuration.channels,
            let input = samples.baseAddress, let output = packet.baseAddress
        else { throw .invalidArgument }
        let length = opus_encode(
            encoder, input, Int32(configuration.frameCount), output.assumingMemoryBound(to: UInt8.self),
            Int32(clamping: packet.count))
        guard length >= 0 else { throw .library(length) }
        return Int(length)
    }

    /// Forgets all history, as before the first frame.
    package func reset() { _ = copus_encoder_reset(encoder) }

    private func apply() {
        _ = copus_set_bitrate(encoder, Int32(configuration.bitrate))
        _ = copus_set_complexity(encoder, Int32(configuration.complexity))
        _ = copus_set_inband_fec(encoder, configuration.inbandFEC ? 1 : 0)
        _ = copus_set_packet_loss(encoder, Int32(configuration.expectedLossPercent))
        _ = copus_set_dtx(encoder, configuration.dtx ? 1 : 0)
    }

    private static func applicationCode(_ application: OpusEncoderConfiguration.Application) -> Int32 {
        switch application {
        case .voice: OPUS_APPLICATION_VOIP
        case .music: OPUS_APPLICATION_AUDIO
        case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
        }
    }

    private static func check(_ configuration: OpusEncoderConfiguration) throws(MediaError) {
        func require(_ holds: Bool, _ subject: String, _ problem: String, _ remedy: String) throws(MediaError) {
            if !holds { throw MediaError(.argument, subject, problem, remedy: remedy) }
        }
        try require(
            (1...2).contains(configuration.channels), "Opus channels",
            "\(configuration.channels) is not possible", "use 1 or 2")
        try require(
            [10, 20, 40, 60].contains(configuration.frameMilliseconds), "Opus frame length",
            "\(configuration.frameMilliseconds) ms is not possible", "use 10, 20, 40 or 60 ms")
        try require(
            (6_000...510_000).contains(configuration.bitrate), "Opus bitrate",
            "\(configuration.bitrate) bit/s is out of range", "use 6000 to 510000")
        try require(
            (0...10).contains(configuration.complexity), "Opus complexity",
            "\(configuration.complexity) is out of range", "use 0 to 10")
        try require(
            (0...100).contains(configuration.expectedLossPercent), "Opus expected loss",
            "\(configuration.expectedLossPercent) % is out of range", "use 0 to 100")
    }
}

/// libopus's own words for a status code.
func opusMessage(_ status: Int32) -> String {
    guard let text = opus_strerror(status) else { return "status \(status)" }
    return String(cString: text)
}
