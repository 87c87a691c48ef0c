import RTCWire

/// What a subscriber gets when a stream stops, so that it isn't left with the last it got: a second of silence, or a few
/// black pictures. One packet at a time, each when it is due.
struct Filler {
    enum Content {
        /// A second of Opus silence.
        case silence
        /// Six black key frames of VP8.
        case black
    }

    let content: Content
    private(set) var due: Instant
    private var sent = 0

    init(_ content: Content, now: Instant) {
        self.content = content
        due = now
    }

    var isOver: Bool { sent >= (content == .silence ? Filler.silentPackets : Filler.blackPictures) }

    /// By how much the next packet's timestamp lies behind the one before, in ticks of `clockRate`.
    ///
    /// - Parameter elapsed: since the stream's latest packet. The first of silence repeats that one's timestamp, and the
    ///   second has the present one.
    mutating func takeStep(now: Instant, elapsed: Interval, clockRate: UInt32) -> UInt32 {
        let caughtUp = UInt32(max(0, (min(elapsed.seconds, 3600) * Double(clockRate)).rounded()))
        let regular = clockRate / (content == .silence ? 50 : 30) &+ 1
        let step: UInt32
        switch (content, sent) {
        case (.silence, 0): step = 0
        case (.silence, 1): step = max(1, caughtUp)
        case (.black, 0): step = caughtUp &+ regular
        default: step = regular
        }
        // The first two of silence leave together.
        if content == .black || sent > 0 { due = max(due + spacing, now + spacing / 2) }
        sent += 1
        return step
    }

    private var spacing: Interval { content == .silence ? .milliseconds(20) : .microseconds(33_333) }

    private static let silentPackets = 51
    private static let blackPictures = 6

    /// A frame of 20 ms of nothing at full bandwidth (RFC 6716 section 3.1), as long as a frame of sound.
    static let opusSilence: [UInt8] = [0xf8, 0xff, 0xfe] + [UInt8](repeating: 0, count: 77)

    /// A black key frame of 8x8 pixels.
    static let vp8Black: [UInt8] = [
        0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0x08, 0x00, 0x08, 0x00, 0x00, 0x47, 0x08, 0x85, 0x85, 0x88, 0x85, 0x84,
        0x88, 0x02, 0x02, 0x00, 0x0c, 0x0d, 0x60, 0x00, 0xfe, 0xff, 0xab, 0x50, 0x80,
    ]
}
