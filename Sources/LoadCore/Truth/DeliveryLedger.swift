/// What came of one publisher's frames at one subscriber, by the numbers that they carry: what was left out, what came twice.
///
/// A subscription begins with the first frame that comes, and again wherever a server changes layers, because each stream of
/// a simulcast counts for itself. A value; counting allocates nothing.
package struct DeliveryLedger: Sendable, Equatable {
    /// Sums; those of two moments can be subtracted.
    package struct Counts: Sendable, Equatable {
        /// Frames of this publisher that there were, from the first one received to the latest.
        package var expected = 0
        /// Different ones of those that came.
        package var received = 0
        package var duplicates = 0
        package var packets = 0
        package var bytes = 0
        /// Times that another layer came.
        package var layerSwitches = 0
        /// Frames without a stamp, and those of somebody else.
        package var unstamped = 0
        package var misdelivered = 0

        package init() {}

        /// Those that did not come.
        package var missing: Int { expected - received }
    }

    /// How far back late frames are told from duplicates.
    private static let window: UInt32 = 128

    private let publisher: UInt32
    private let run: UInt32
    package private(set) var counts = Counts()
    /// The stream that comes; nil before the first frame.
    package private(set) var layer: UInt8?
    package private(set) var highest: UInt32 = 0
    /// Bit n: `highest - n` has come.
    private var seen: UInt128 = 0

    package init(run: UInt32, publisher: UInt32) {
        self.run = run
        self.publisher = publisher
    }

    /// A frame without a stamp came.
    package mutating func noteUnstamped(packets: Int, bytes: Int) {
        counts.unstamped += 1
        note(packets, bytes)
    }

    /// A frame came; false where it says nothing of this publisher's time: it is another one's, or came before.
    @discardableResult
    package mutating func note(_ stamp: MediaStamp, packets: Int, bytes: Int) -> Bool {
        note(packets, bytes)
        guard stamp.publisher == publisher, stamp.run == run else {
            counts.misdelivered += 1
            return false
        }
        guard layer == stamp.layer else {
            begin(stamp)
            return true
        }
        return stamp.number > highest ? advance(to: stamp.number) : fill(stamp.number)
    }

    private mutating func note(_ packets: Int, _ bytes: Int) {
        counts.packets += packets
        counts.bytes += bytes
    }

    private mutating func begin(_ stamp: MediaStamp) {
        if layer != nil { counts.layerSwitches += 1 }
        (layer, highest, seen) = (stamp.layer, stamp.number, 1)
        counts.expected += 1
        counts.received += 1
    }

    private mutating func advance(to number: UInt32) -> Bool {
        let step = number - highest
        counts.expected += Int(step)
        counts.received += 1
        seen = step < Self.window ? seen << UInt128(step) | 1 : 1
        highest = number
        return true
    }

    /// What comes late counts as received after all.
    private mutating func fill(_ number: UInt32) -> Bool {
        let back = highest - number
        guard back < Self.window, seen & (1 << UInt128(back)) == 0 else {
            counts.duplicates += 1
            return false
        }
        seen |= 1 << UInt128(back)
        // What came before the subscription's first frame was not expected.
        if counts.missing > 0 { counts.received += 1 }
        return true
    }

    /// What it comes to where the publisher's last frame of each stream is known: those after the latest that came are
    /// missing, too.
    ///
    /// - Parameters:
    ///   - last: numbers of the last frames by stream.
    ///   - grace: frames that may still have been on their way.
    package func settled(last: [UInt8: UInt32], grace: Int = 0) -> Counts {
        guard let layer, let end = last[layer], end > highest else { return counts }
        var result = counts
        let rest = Int(end - highest)
        if rest > grace { result.expected += rest }
        return result
    }
}
