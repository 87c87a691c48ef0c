/// The sources of the latest packets, side by side: most peers have few, and a table takes several lines of the cache and
/// a hash for each packet.
struct RecentSources {
    private var entries = InlineArray<4, (ssrc: UInt32, index: Int32, isRTX: Bool)>(repeating: (0, -1, false))
    private var next = 0

    func find(_ ssrc: UInt32) -> ReceiveStreams.Binding? {
        for place in entries.indices where entries[place].ssrc == ssrc && entries[place].index >= 0 {
            return ReceiveStreams.Binding(index: Int(entries[place].index), isRTX: entries[place].isRTX)
        }
        return nil
    }

    /// Takes one in, in the place of the one that came first.
    mutating func add(_ ssrc: UInt32, _ binding: ReceiveStreams.Binding) {
        entries[next] = (ssrc, Int32(truncatingIfNeeded: binding.index), binding.isRTX)
        next = (next + 1) % entries.count
    }
}
