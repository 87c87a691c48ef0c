/// The nonces of the latest packets: 16 bytes by which a packet that is sent twice is known. A value.
struct RecentNonces {
    /// As many as LiveKit remembers.
    static let capacity = 100

    private var known: Set<[UInt8]> = []
    /// The oldest is overwritten first.
    private var ring: [[UInt8]] = []
    private var oldest = 0

    init() {}

    /// Whether it was here before; from now on it was. Anything that is no nonce is always new.
    mutating func isKnown(_ nonce: [UInt8]) -> Bool {
        guard nonce.count == 16 else { return false }
        guard known.insert(nonce).inserted else { return true }
        if ring.count < Self.capacity {
            ring.append(nonce)
        } else {
            known.remove(ring[oldest])
            ring[oldest] = nonce
            oldest = (oldest + 1) % Self.capacity
        }
        return false
    }
}
