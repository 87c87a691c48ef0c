/// Draws that need not be secret: from a seed, so that a run can be repeated, or from the system.
package struct PeerRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64?

    package init(seed: UInt64?) { state = seed }

    package mutating func next() -> UInt64 {
        guard let old = state else {
            let system = SecureRandom()
            return system.next()
        }
        let moved = old &+ 0x9e37_79b9_7f4a_7c15
        state = moved
        var z = moved
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
