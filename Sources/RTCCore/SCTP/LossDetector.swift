/// Which chunks in flight are missing, by what was sent after them and has been acknowledged (RFC 9260 section 7.2.4).
///
/// A chunk is lost once three SACKs have newly acknowledged something that was sent later. Its count of such SACKs is
/// that of all SACKs whose newest transmission is later than its own, so the third newest of them decides for all chunks
/// together, and chunks are looked at in the order of their transmissions: each of them once.
struct LossDetector {
    struct Transmission {
        var tsn: Int64
        /// Position among all transmissions.
        var order: Int64
    }

    private(set) var transmissions = FIFO<Transmission>()
    private(set) var lastOrder: Int64 = 0
    /// The newest transmissions that a SACK has acknowledged, of the three SACKs with the newest.
    private var newest: (first: Int64, second: Int64, third: Int64) = (0, 0, 0)

    /// Notes that a chunk goes out now; gives its position.
    mutating func sent(_ tsn: Int64) -> Int64 {
        lastOrder += 1
        transmissions.append(Transmission(tsn: tsn, order: lastOrder))
        return lastOrder
    }

    /// A SACK has acknowledged chunks, the one sent last at `order`, and reports gaps.
    mutating func acknowledged(newest order: Int64) {
        if order > newest.first {
            newest = (order, newest.first, newest.second)
        } else if order > newest.second {
            newest = (newest.first, order, newest.second)
        } else {
            newest.third = max(newest.third, order)
        }
    }

    /// Whether three SACKs tell that this transmission is lost.
    func isLost(_ transmission: Transmission) -> Bool { transmission.order < newest.third }

    mutating func removeFirst() { transmissions.removeFirst() }
}
