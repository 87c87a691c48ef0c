import NIOCore
import RTCCore
import RTCWire

/// Groups the datagrams of a batch by destination, in the order of each destination's first datagram, so that runs of
/// equal size can leave the machine as one segmented send (UDP GSO). The order towards one destination is kept.
struct DatagramBatch {
    /// By the position in the range, which begins at `base`.
    private var next: [Int32] = []
    private var base = 0
    private var tails: [Int32] = []
    private var slots: [Int32] = []
    private(set) var heads: [Int32] = []

    /// The kernel takes at most 64 segments and one IP packet's worth of bytes per send.
    static let maximumSegments = 64
    static let maximumBytes = 60_000

    /// Groups those of `range`; the other ones are not looked at.
    mutating func group(_ datagrams: [Outbox.Datagram], in range: Range<Int>) {
        heads.removeAll(keepingCapacity: true)
        tails.removeAll(keepingCapacity: true)
        next.removeAll(keepingCapacity: true)
        base = range.lowerBound
        next.append(contentsOf: repeatElement(-1, count: range.count))
        var size = 16
        while size < range.count * 2 { size *= 2 }
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(-1, count: size))
        for index in range {
            let group = groupIndex(of: datagrams[index], in: datagrams, mask: size - 1)
            if group == heads.count {
                heads.append(Int32(index))
                tails.append(Int32(index))
            } else {
                next[Int(tails[group]) - base] = Int32(index)
                tails[group] = Int32(index)
            }
        }
    }

    /// Those of one group go the same way: from one address of ours to one of theirs.
    private mutating func groupIndex(
        of datagram: Outbox.Datagram, in datagrams: [Outbox.Datagram], mask: Int
    ) -> Int {
        var slot = AddressTable.hash(datagram.destination) & mask
        while slots[slot] >= 0 {
            let group = Int(slots[slot])
            let head = datagrams[Int(heads[group])]
            if head.destination == datagram.destination, head.path == datagram.path { return group }
            slot = (slot + 1) & mask
        }
        slots[slot] = Int32(heads.count)
        return heads.count
    }

    /// The length of the run that begins at `first`: datagrams of one size, the last of which may be shorter.
    func run(from first: Int32, in datagrams: [Outbox.Datagram]) -> (count: Int, bytes: Int, following: Int32) {
        let size = datagrams[Int(first)].length
        var count = 1
        var bytes = size
        var cursor = following(first)
        while cursor >= 0, count < DatagramBatch.maximumSegments {
            let length = datagrams[Int(cursor)].length
            if length > size || bytes + length > DatagramBatch.maximumBytes { break }
            count += 1
            bytes += length
            cursor = following(cursor)
            if length < size { break }
        }
        return (count, bytes, cursor)
    }

    /// The next one of its group, -1 behind the last.
    func following(_ index: Int32) -> Int32 { next[Int(index) - base] }
}
