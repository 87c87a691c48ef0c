import RTCWire

/// How the numbers of one stretch of source packets map to what a consumer gets.
struct Numbering {
    /// First source sequence number of the stretch, and what it becomes.
    var source: Int64
    var out: Int64
    var timestampOffset: UInt32
    var pictureIDOffset: UInt16 = 0
    var tl0Offset: UInt8 = 0
    /// Of the frame numbers in dependency descriptors.
    var frameOffset: UInt16 = 0

    func sequence(of source: Int64) -> Int64 { out &+ (source &- self.source) }
}

/// Gives a consumer one continuous row of sequence numbers and timestamps, whatever it is fed from.
///
/// The row is a list of stretches; within one, numbers differ from the source's by a constant. A new stretch begins where
/// the source changes and behind each packet that is left out. Knowing the latest stretches is enough to number packets
/// that come late and to find the original of any number that the consumer asks for again.
struct RTPMunger {
    private struct Stretch {
        /// Nil for packets of our own making.
        var layer: LayerID?
        /// Grows where the source changes; late packets are placed within the present one only.
        var generation: Int
        var numbering: Numbering
    }

    private var stretches: [Stretch] = []
    private var generation = 0
    private var highestSource: Int64 = 0
    private(set) var highest: Int64
    private(set) var current: Numbering
    private(set) var lastTimestamp: UInt32 = 0
    private(set) var hasStarted = false
    /// Numbers that were given out and that no packet has: the source's was lost on its way here, so far.
    private(set) var holes = 0

    /// `firstSequence`: taken below 2^15, so that a lost beginning can't hide a roll-over (RFC 3711 section 3.3.1).
    init(firstSequence: UInt16) {
        highest = Int64(firstSequence & 0x7fff) - 1
        current = Numbering(source: 0, out: 0, timestampOffset: 0)
    }

    /// Begins a stretch of another source with the next number in the row.
    mutating func begin(_ layer: LayerID, at source: Int64, offsets: Numbering) {
        generation += 1
        var numbering = offsets
        numbering.source = source
        numbering.out = highest + 1
        append(Stretch(layer: layer, generation: generation, numbering: numbering))
        highestSource = source - 1
        hasStarted = true
    }

    /// The number of a packet of the present source; nil where it is older than the source's beginning here, or than what
    /// is remembered.
    mutating func place(_ source: Int64, timestamp: UInt32) -> (sequence: Int64, numbering: Numbering)? {
        if source > highestSource {
            holes += Int(source - highestSource - 1)
            highestSource = source
            highest = current.sequence(of: source)
            lastTimestamp = timestamp &+ current.timestampOffset
            return (highest, current)
        }
        for stretch in stretches.reversed() {
            guard stretch.generation == generation else { return nil }
            if stretch.numbering.source <= source {
                holes -= 1
                return (stretch.numbering.sequence(of: source), stretch.numbering)
            }
        }
        return nil
    }

    /// The packet comes after all that were placed or left out.
    func isNewest(_ source: Int64) -> Bool { source > highestSource }

    /// Leaves a packet of the present source out, so that the row has no hole there. False where later packets have
    /// been numbered already.
    ///
    /// - Parameter pictures: how many picture ids are left out with it.
    mutating func skip(_ source: Int64, pictures: UInt16 = 0) -> Bool {
        guard source > highestSource, let last = stretches.last else { return false }
        var next = current
        next.pictureIDOffset &-= pictures
        next.out = current.sequence(of: source)
        next.source = source + 1
        highest = next.out - 1
        holes += Int(source - highestSource - 1)
        highestSource = source
        if last.numbering.source == source {
            stretches[stretches.count - 1].numbering = next
            current = next
        } else {
            append(Stretch(layer: last.layer, generation: generation, numbering: next))
        }
        return true
    }

    /// The number of a packet of our own making; what comes from sources after it needs a new stretch.
    mutating func insert(timestampStep: UInt32) -> (sequence: Int64, timestamp: UInt32) {
        generation += 1
        var numbering = current
        highest += 1
        numbering.out = highest
        append(Stretch(layer: nil, generation: generation, numbering: numbering))
        lastTimestamp &+= timestampStep
        return (highest, lastTimestamp)
    }

    /// Nothing of what was sent can be had again: it was another producer's, whose layers may have the names of the next one's.
    mutating func leaveSource() {
        generation += 1
        for index in stretches.indices { stretches[index].layer = nil }
    }

    /// The latest source, packets of our own making aside.
    var layer: LayerID? { stretches.last { $0.layer != nil }?.layer }

    /// Whether the source has jumped ahead so far that it must have begun anew.
    func isJump(_ source: Int64) -> Bool { source > highestSource + RTPMunger.largestGap }

    /// How far a number lies behind the newest one that was given out; .max before any was.
    func age(of sequence: UInt16) -> UInt16 {
        hasStarted ? UInt16(truncatingIfNeeded: highest) &- sequence : .max
    }

    /// The original of a number that was given out: the source, its packet, and how that one was numbered.
    func original(of sequence: UInt16) -> (layer: LayerID, source: Int64, numbering: Numbering)? {
        let distance = UInt16(truncatingIfNeeded: highest) &- sequence
        guard hasStarted, distance < 0x8000 else { return nil }
        let out = highest - Int64(distance)
        for index in stretches.indices.reversed() where stretches[index].numbering.out <= out {
            let stretch = stretches[index]
            guard let layer = stretch.layer else { return nil }
            return (layer, stretch.numbering.source + (out - stretch.numbering.out), stretch.numbering)
        }
        return nil
    }

    private mutating func append(_ stretch: Stretch) {
        if stretches.count == RTPMunger.remembered { stretches.removeFirst() }
        stretches.append(stretch)
        current = stretch.numbering
    }

    private static let remembered = 128
    private static let largestGap: Int64 = 3000
}
