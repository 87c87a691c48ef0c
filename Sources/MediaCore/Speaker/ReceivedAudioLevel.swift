import RTCWire

/// How loud one received stream is: as its packets say, and measured where they say nothing.
///
/// Negotiating the audio level extension (RFC 6464) promises nothing: some servers agree to it and forward bare packets.
/// So the packets themselves decide, from one to the next.
struct ReceivedAudioLevel {
    /// Loudest since it was last taken, -dBov; nil where nothing came.
    private var loudest: UInt8?
    /// The latest packet said no level: what is decoded is measured.
    private(set) var isMeasured = false

    /// A packet of sound came; `level` is what its header says, -dBov.
    mutating func note(packet level: AudioLevel?) {
        isMeasured = level == nil
        if let level { add(level.level) }
    }

    /// Sound was played; measured only where packets say no level.
    mutating func note(played samples: UnsafeBufferPointer<Int16>) {
        if isMeasured { add(PCMLevel.level(samples)) }
    }

    /// The loudest level since the last call, 0 (loudest) to 127 (silence).
    mutating func take() -> UInt8? {
        defer { loudest = nil }
        return loudest
    }

    private mutating func add(_ level: UInt8) { loudest = min(loudest ?? 127, level) }
}
