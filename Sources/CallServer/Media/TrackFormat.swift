import RTCCore
import RTCWire
import SFUCore

/// What a published track's packets are: the codec, and beside it the payload types that audio may come in.
struct TrackFormat {
    /// As agreed with the publisher.
    var codec: NegotiatedCodec
    /// The codec's packets come with copies of earlier ones (RFC 2198).
    var redundancy: NegotiatedCodec?
    /// Tones of a telephone's keys, on the codec's clock.
    var events: NegotiatedCodec?
    private let isAudio: Bool
    /// Encrypted end to end: nothing may be added or taken off.
    var isEncrypted = false

    /// The first codec of a line that the publisher sends on; nil where nothing was agreed on.
    init?(of line: MediaLine) {
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
    var name: String { (redundancy ?? codec).name }

    /// Packets of one are packets of the other, under the same numbers.
    func isSame(as other: TrackFormat) -> Bool {
        codec.name == other.codec.name && codec.clockRate == other.codec.clockRate && payloads == other.payloads
            && (codec.name != "VP9"
                || codec.remoteParameters["profile-id"] == other.codec.remoteParameters["profile-id"])
    }

    func mediaCodec(_ kind: StreamKind) -> MediaCodec { MediaCodec(name: codec.name, kind: kind) }

    var payloads: ProducerPayloads {
        ProducerPayloads(
            primary: isAudio ? codec.payloadType : nil, redundancy: redundancy?.payloadType,
            events: events?.payloadType)
    }
}
