import RTCWire

/// How many of the packets that a subscriber is sent it misses, from what it asks for again: known a round trip after they are
/// lost, where reports take a second. A value.
package struct MissingShare: Sendable {
    /// Highest sequence number that was asked for, by stream.
    private var highest: [UInt32: UInt16] = [:]
    private var missing = 0
    private var sentBefore: Int?
    /// The share of the window before.
    private var before = 0.0

    /// Less is repeated, and pictures go on.
    private static let much = 0.25
    /// Fewer packets say little.
    private static let least = 10

    package init() {}

    /// A subscriber asks for packets again. Only those above all before count: of the others it has asked already.
    ///
    /// - Returns: how many count.
    @discardableResult
    package mutating func note(_ sequences: [UInt16], of ssrc: UInt32) -> Int {
        let counted = missing
        for sequence in sequences {
            guard let known = highest[ssrc] else {
                highest[ssrc] = sequence
                missing += 1
                continue
            }
            guard Int16(bitPattern: sequence &- known) > 0 else { continue }
            highest[ssrc] = sequence
            missing += 1
        }
        return missing - counted
    }

    /// Ends a window; to be called some times a second.
    ///
    /// - Parameter sent: packets of all streams, since the beginning.
    /// - Returns: the larger share of this window and the one before, 0...1; 0 where either is below a quarter, for one burst of
    ///   losses isn't two.
    package mutating func take(sent: Int) -> Double {
        let count = sentBefore.map { sent - $0 } ?? 0
        let share = count >= Self.least ? min(Double(missing) / Double(count), 1) : 0
        // Numbers come round: those of long ago would pass for later ones. Streams that have ended go, too.
        if missing == 0, before == 0 { highest.removeAll(keepingCapacity: true) }
        defer { (sentBefore, missing, before) = (sent, 0, share) }
        return min(share, before) > Self.much ? max(share, before) : 0
    }
}
