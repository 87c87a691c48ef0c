import RTCCore
import RTCWire

/// What a published track's packets are: the codec, and beside it the payload types that audio may come in.
package struct TrackFormat {
    /// As agreed with the publisher.
    package var codec: NegotiatedCodec
    /// The codec's packets come with copies of earlier ones (RFC 2198).
    package var redundancy: NegotiatedCodec?
    /// Tones of a telephone's keys, on the codec's clock.
    package var events: NegotiatedCodec?
    private let isAudio: Bool
    /// Encrypted end to end: nothing may be added or taken off.
    package var isEncrypted = false

    /// The first codec of a line that the publisher sends on; nil where nothing was agreed on.
    package init?(of line: MediaLine) {
        guard let first = line.codecs.first else { return nil }
        codec = first
        if first.name == CodecCapability.red.name {
            guard let inner = line.codec(named: CodecCapability.opus.name, clockRate: first.clockRate) else {
                return nil
            }
            codec = inner
            redundancy = first
        }
        isAudio = line.kind == .audio
        if isAudio { events = line.codec(named: "telephone-event", clockRate: codec.clockRate) }
    }

    /// What goes first in the descriptions: the name that a track's MIME type has.
    package var name: String { (redundancy ?? codec).name }

    /// Packets of one are packets of the other, under the same numbers.
    package func isSame(as other: TrackFormat) -> Bool {
        codec.name == other.codec.name && codec.clockRate == other.codec.clockRate && payloads == other.payloads
            && (codec.name != "VP9"
                || codec.remoteParameters["profile-id"] == other.codec.remoteParameters["profile-id"])
    }

    package func mediaCodec(_ kind: StreamKind) -> MediaCodec { MediaCodec(name: codec.name, kind: kind) }

    package var payloads: ProducerPayloads {
        ProducerPayloads(
            primary: isAudio ? codec.payloadType : nil, redundancy: redundancy?.payloadType,
            events: events?.payloadType)
    }

    // MARK: Subscribers

    /// The payload type for packets with redundancy, where a subscriber takes them and means by the number inside what
    /// the publisher does; else they are stripped.
    package func redundancyPayloadType(on line: MediaLine) -> UInt8? {
        guard let redundancy,
            line.codec(named: codec.name, clockRate: codec.clockRate)?.sendPayloadType == codec.payloadType
        else { return nil }
        return line.codec(named: redundancy.name, clockRate: redundancy.clockRate)?.sendPayloadType
    }

    /// The payload type for tones of a telephone's keys, where a subscriber takes them.
    package func eventPayloadType(on line: MediaLine) -> UInt8? {
        events.flatMap { line.codec(named: $0.name, clockRate: $0.clockRate)?.sendPayloadType }
    }

    /// What is repeated on a stream of its own is made again for it. Where there is no such stream, as with audio and with
    /// clients that know no RTX, what is asked for again must leave with the very bytes that were sealed before: under one
    /// key the same number must never carry others. So the peer keeps those.
    ///
    /// - Parameters:
    ///   - codec: as agreed with the subscriber.
    ///   - hasRTX: a source for repetitions was announced.
    package static func cache(
        _ codec: NegotiatedCodec, _ kind: StreamKind, hasRTX: Bool
    ) -> SendStreamConfiguration.Cache {
        guard !hasRTX || codec.sendRTXPayloadType == nil, codec.feedback.contains(.nack) else { return .external }
        return .own(packets: kind == .audio ? audioPacketsKept : videoPacketsKept)
    }

    private static let audioPacketsKept = 64
    /// About a second of 2 Mbit/s.
    private static let videoPacketsKept = 256
}
