/// Which packet indices were seen, RFC 3711 section 3.3.2: a ring of 64-bit words, so that moving on clears whole words
/// and never shifts.
///
/// Indices further behind the highest than `reach` count as seen.
struct ReplayWindow {
    /// A power of two.
    private static let wordCount = 16
    /// Indices behind the highest that are told apart: what a 2.5 Mbit/s video sends in over three seconds.
    static let reach: UInt64 = 960

    /// The highest index seen, or nil before the first.
    private(set) var highest: UInt64?
    private var words = InlineArray<16, UInt64>(repeating: 0)

    init() {}

    /// A window in which everything up to `highest` has been seen; nil for one in which nothing has.
    init(behind highest: UInt64?) {
        self.highest = highest
        if highest != nil { words = InlineArray(repeating: .max) }
    }

    /// Whether an index is new and not too old.
    @inline(__always)
    func isFresh(_ index: UInt64) -> Bool {
        guard let highest else { return true }
        if index > highest { return true }
        if highest - index >= ReplayWindow.reach { return false }
        return words[ReplayWindow.slot(index >> 6)] & (1 << (index & 63)) == 0
    }

    /// Notes an index for which `isFresh` held.
    @inline(__always)
    mutating func insert(_ index: UInt64) {
        if let highest {
            if index > highest {
                advance(from: highest >> 6, to: index >> 6)
                self.highest = index
            }
        } else {
            highest = index
        }
        words[ReplayWindow.slot(index >> 6)] |= 1 << (index & 63)
    }

    private mutating func advance(from: UInt64, to: UInt64) {
        let steps = min(to - from, UInt64(ReplayWindow.wordCount))
        var step: UInt64 = 1
        while step <= steps {
            words[ReplayWindow.slot(from &+ step)] = 0
            step += 1
        }
    }

    private static func slot(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word) & (wordCount - 1) }
}

extension ReplayWindow {
    /// The 48-bit index of an RTP packet, from its sequence number and the highest index seen: RFC 3711 section 3.3.1
    /// and appendix A. Nil where the roll-over counter is used up.
    ///
    /// A stream starts with roll-over counter 0, and stays there where the RFC's guess would fall below 0.
    @inline(__always)
    func estimatedIndex(of sequenceNumber: UInt16) -> UInt64? {
        guard let highest else { return UInt64(sequenceNumber) }
        let local = UInt16(truncatingIfNeeded: highest)
        var rollOver = highest >> 16
        if local < 0x8000 {
            if Int(sequenceNumber) - Int(local) > 0x8000, rollOver > 0 { rollOver -= 1 }
        } else if Int(local) - 0x8000 > Int(sequenceNumber) {
            rollOver += 1
        }
        guard rollOver <= UInt64(UInt32.max) else { return nil }
        return rollOver << 16 | UInt64(sequenceNumber)
    }
}
