/// Which of the latest 2,048 packets of a stream have come.
///
/// SRTP's replay window knows datagrams; this one knows media packets, which may come a second time over RTX.
struct ReceiveWindow {
    /// Where a packet stands relative to those before it.
    enum Placement: Equatable {
        /// Newer than all before; `missing` packets lie between it and the newest so far.
        case newest(missing: Int64)
        /// Older than the newest, and new.
        case late
        case duplicate
        /// Older than the window remembers.
        case tooOld
    }

    static let size: Int64 = 2048
    private(set) var newest: Int64?
    private var bits = InlineArray<32, UInt64>(repeating: 0)

    /// Places a packet and remembers it.
    mutating func insert(_ sequence: Int64) -> Placement {
        guard let newest else {
            self.newest = sequence
            set(sequence)
            return .newest(missing: 0)
        }
        if sequence > newest {
            clear(after: newest, through: sequence)
            self.newest = sequence
            set(sequence)
            return .newest(missing: sequence - newest - 1)
        }
        guard newest - sequence < ReceiveWindow.size else { return .tooOld }
        guard !contains(sequence) else { return .duplicate }
        set(sequence)
        return .late
    }

    private func contains(_ sequence: Int64) -> Bool {
        let (word, bit) = position(sequence)
        return bits[word] & bit != 0
    }

    private mutating func set(_ sequence: Int64) {
        let (word, bit) = position(sequence)
        bits[word] |= bit
    }

    private mutating func clear(after old: Int64, through new: Int64) {
        if new - old >= ReceiveWindow.size {
            bits = InlineArray(repeating: 0)
            return
        }
        var sequence = old + 1
        while sequence <= new {
            let (word, bit) = position(sequence)
            if bit == 1, sequence + 63 <= new {
                bits[word] = 0
                sequence += 64
            } else {
                bits[word] &= ~bit
                sequence += 1
            }
        }
    }

    private func position(_ sequence: Int64) -> (word: Int, bit: UInt64) {
        let index = Int(sequence & (ReceiveWindow.size - 1))
        return (index >> 6, 1 << UInt64(index & 63))
    }
}
