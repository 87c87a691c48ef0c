/// What the table-of-contents byte of an Opus packet says, RFC 6716 section 3.1; RTP carries the packet unchanged
/// (RFC 7587).
///
/// ```
///   0 1 2 3 4 5 6 7
///  +-+-+-+-+-+-+-+-+
///  | config  |s| c |     c = 3: the next byte is |v|p|  M  |, M frames
///  +-+-+-+-+-+-+-+-+
/// ```
public struct OpusPayload: Hashable, Sendable {
    /// Which of its coders made the frames (RFC 6716 section 3.1).
    public enum Mode: UInt8, Hashable, Sendable { case silk, hybrid, celt }

    /// The longest packet in samples at 48 kHz: 120 ms.
    package static let maximumSamples = 5760

    package let mode: Mode
    /// 1 or 2, as coded: a decoder gives what its user asked for.
    package let channels: Int
    /// Frames in the packet, 1...48.
    package let frameCount: Int
    /// Length of one frame in samples at 48 kHz: 120...2880.
    package let frameSamples: Int
    /// At most two bytes: an encoder with DTX says nothing (libopus, "1 byte or less per frame").
    package let isDTX: Bool

    /// Length of the packet in samples at 48 kHz, which is also its RTP duration.
    package var samples: Int { frameCount * frameSamples }

    /// Reads the beginning of an RTP payload.
    ///
    /// - Throws: `truncated` (an empty payload, as in padding-only packets), `invalidValue` (no frames, or above 120 ms).
    package init(parsing payload: RawSpan) throws(WireError) {
        guard payload.byteCount >= 1 else { throw .truncated }
        let toc = payload.byte(0)
        switch toc & 3 {
        case 0: frameCount = 1
        case 1, 2: frameCount = 2
        default:
            guard payload.byteCount >= 2 else { throw .truncated }
            frameCount = Int(payload.byte(1) & 0x3f)
        }
        let config = toc >> 3
        mode = config < 12 ? .silk : config < 16 ? .hybrid : .celt
        frameSamples = OpusPayload.frameSamples(config)
        channels = toc & 0x04 == 0 ? 1 : 2
        isDTX = payload.byteCount <= 2
        guard frameCount > 0, samples <= OpusPayload.maximumSamples else { throw .invalidValue }
    }

    /// RFC 6716 table 2.
    private static func frameSamples(_ config: UInt8) -> Int {
        switch config {
        case 0..<12: config & 3 == 3 ? 2880 : 480 << Int(config & 3)
        case 12..<16: config & 1 == 0 ? 480 : 960
        default: 120 << Int(config & 3)
        }
    }
}
