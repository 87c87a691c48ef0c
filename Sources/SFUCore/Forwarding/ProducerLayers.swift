import RTCWire

/// The RTP streams of one producer, low to high, and the latest ones that others have taken the place of: subscribers may
/// still ask for packets of those.
struct ProducerLayers: ~Copyable {
    private var slots = Slots<ProducerLayer>(capacity: 1)
    /// Those that are sent, the smallest picture first, by slot.
    private(set) var order: [Int] = []
    /// Oldest first.
    private var retired: [Int] = []
    /// Pictures of all that are sent.
    private var pictures = 0

    subscript(index: Int) -> UnsafeMutablePointer<ProducerLayer> { slots[index] }

    func index(of id: LayerID) -> Int? { slots.index(of: id.slot) }
    func id(at index: Int) -> LayerID { LayerID(slot: slots.id(at: index)) }

    func index(ssrc: UInt32) -> Int? {
        for index in order where slots[index].pointee.ssrc == ssrc { return index }
        return nil
    }

    /// Adds a stream; nil where there are too many.
    ///
    /// - Parameters:
    ///   - isNamed: the description names the source: it takes no other's place.
    ///   - keepsOld: somebody may still ask for packets of one whose place is taken.
    mutating func add(_ layer: consuming ProducerLayer, isNamed: Bool, keepsOld: Bool) -> Int? {
        // The same rid, or a track without rids, from another SSRC: the sender has begun anew.
        if !isNamed, let position = position(rid: layer.rid) { retire(position, keepsOld) }
        guard order.count < ProducerLayers.maximum else { return nil }
        guard let index = slots.index(of: slots.insert(layer)) else { return nil }
        let rank = slots[index].pointee.rank
        var position = order.count
        while position > 0, slots[order[position - 1]].pointee.rank > rank { position -= 1 }
        order.insert(index, at: position)
        return index
    }

    private func position(rid: ShortToken?) -> Int? {
        for position in order.indices where slots[order[position]].pointee.rid == rid { return position }
        return nil
    }

    private mutating func retire(_ position: Int, _ isKept: Bool) {
        let index = order.remove(at: position)
        pictures -= slots[index].pointee.rhythm.pictures
        retired.append(index)
        while retired.count > (isKept ? ProducerLayers.maximum : 0) { _ = slots.remove(at: retired.removeFirst()) }
    }

    private static let maximum = 4

    /// Counts a packet of a layer that is sent, and learns from it.
    mutating func note(_ packet: borrowing SourcePacket, of index: Int) {
        let before = slots[index].pointee.rhythm.pictures
        slots[index].pointee.note(packet, others: pictures - before)
        pictures += slots[index].pointee.rhythm.pictures - before
        if packet.startsKeyFrame, order.count > 1 { sortByPicture() }
    }

    /// Keeps a packet for those who miss it.
    mutating func keep(_ packet: borrowing SourcePacket, of index: Int) { slots[index].pointee.ring?.store(packet) }

    /// Names that count may do so from either end: the pictures' sizes tell, once all of them are known.
    private mutating func sortByPicture() {
        var isSorted = true
        for (position, index) in order.enumerated() {
            let width = slots[index].pointee.contents.pictureWidth
            guard width > 0, !ProducerLayers.hasLiveKitName(slots[index].pointee.rid) else { return }
            if position > 0, slots[order[position - 1]].pointee.contents.pictureWidth > width { isSorted = false }
        }
        guard !isSorted else { return }
        // By insertion: they are four at most.
        for position in order.indices {
            var place = position
            while place > 0,
                slots[order[place - 1]].pointee.contents.pictureWidth
                    > slots[order[place]].pointee.contents.pictureWidth
            {
                order.swapAt(place - 1, place)
                place -= 1
            }
        }
        for (rank, index) in order.enumerated() { slots[index].pointee.rank = rank }
    }

    private static func hasLiveKitName(_ rid: ShortToken?) -> Bool {
        guard let rid, rid.count == 1 else { return false }
        return rid[0] == UInt8(ascii: "q") || rid[0] == UInt8(ascii: "h") || rid[0] == UInt8(ascii: "f")
    }

    /// The layer that a consumer with this limit should get: the largest one that is alive and within the limit, else the
    /// smallest that is alive.
    func best(limit: Int, now: Instant) -> Int? {
        var best: Int?
        for index in order where (slots[index].pointee.rank <= limit || best == nil) && isAlive(index, now) {
            best = index
        }
        return best
    }

    /// The layer is still sent.
    func isAlive(_ index: Int, _ now: Instant) -> Bool {
        let rhythm = slots[index].pointee.rhythm
        return rhythm.isAlive(now, others: pictures - rhythm.pictures, siblings: order.count - 1)
    }
}
