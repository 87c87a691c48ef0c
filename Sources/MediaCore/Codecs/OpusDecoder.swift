import COpus

/// Opus, RFC 6716, 48 kHz. Takes packets of any mode, bandwidth and channel count, and delivers `channels` channels.
///
/// Has one owner at a time; decoding allocates nothing. For each packet of the stream exactly one of ``decode(_:into:)``,
/// ``conceal(into:)`` and ``recover(from:into:)`` is called, in stream order.
package final class OpusDecoder {
    /// Samples per channel in the longest packet (120 ms).
    package static let maximumFrameCount = 5_760

    package let channels: Int
    private let decoder: OpaquePointer

    package init(channels: Int = 1) throws(MediaError) {
        guard (1...2).contains(channels) else {
            throw MediaError(.argument, "Opus channels", "\(channels) is not possible", remedy: "use 1 or 2")
        }
        var status: Int32 = 0
        guard let decoder = opus_decoder_create(48_000, Int32(channels), &status), status == OPUS_OK else {
            throw MediaError(
                .environment, "Opus decoder", "libopus failed: \(opusMessage(status))",
                remedy: "check that libopus0 is installed and memory is left")
        }
        self.decoder = decoder
        self.channels = channels
    }

    deinit { opus_decoder_destroy(decoder) }

    /// Decodes one packet.
    ///
    /// - Parameter samples: room for the result, ``maximumFrameCount`` per channel always suffices.
    /// - Returns: samples per channel written.
    package func decode(
        _ packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError) -> Int {
        guard !packet.isEmpty, let bytes = packet.baseAddress else { throw .invalidPayload }
        return try decode(
            bytes.assumingMemoryBound(to: UInt8.self), packet.count, samples, samples.count / channels, fec: 0)
    }

    /// Packet loss concealment: continues the last sound, fading out.
    ///
    /// - Parameter samples: filled completely; its length per channel is that of the lost packet, a multiple of 2.5 ms.
    package func conceal(into samples: UnsafeMutableBufferPointer<Int16>) throws(CodecError) {
        _ = try decode(nil, 0, samples, samples.count / channels, fec: 0)
    }

    /// Rebuilds the packet that was lost just before `packet` from the copy inside `packet`, or conceals where there is none.
    ///
    /// - Parameter samples: filled completely; its length per channel is that of the lost packet, a multiple of 2.5 ms.
    package func recover(
        from packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError) {
        guard !packet.isEmpty, let bytes = packet.baseAddress else { throw .invalidPayload }
        _ = try decode(
            bytes.assumingMemoryBound(to: UInt8.self), packet.count, samples, samples.count / channels, fec: 1)
    }

    /// Forgets all history, as before the first packet.
    package func reset() { _ = copus_decoder_reset(decoder) }

    private func decode(
        _ bytes: UnsafePointer<UInt8>?, _ length: Int, _ samples: UnsafeMutableBufferPointer<Int16>, _ frameCount: Int,
        fec: Int32
    ) throws(CodecError) -> Int {
        guard let output = samples.baseAddress, frameCount > 0 else { throw .invalidArgument }
        let count = opus_decode(
            decoder, bytes, Int32(clamping: length), output, Int32(clamping: frameCount), fec)
        switch count {
        case 0...: return Int(count)
        case OPUS_INVALID_PACKET: throw .invalidPayload
        case OPUS_BAD_ARG, OPUS_BUFFER_TOO_SMALL: throw .invalidArgument
        default: throw .library(count)
        }
    }
}
