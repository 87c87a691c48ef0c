/// What a fuzz target does with one input: reads it as its unit and checks what must hold for any input. It traps where
/// something doesn't, which libFuzzer keeps as a crasher and the replaying test shows by name.
///
/// This folder is also a target of the package in Fuzz/; each body there is an executable of its own.
package enum WireFuzzing {
    /// Bodies by the name of their target, for replaying what was found.
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("rtp", rtp), ("rtcp", rtcp), ("stun", stun), ("sdp", sdp), ("vp8", vp8), ("opus", opus), ("payload", payload),
        ("sctp", sctp), ("dtls", dtls), ("framing", framing), ("dns", dns),
    ]

    /// The first `length` bytes of a fresh buffer of `capacity` bytes after `body` has written into it.
    static func written(_ capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8] {
        var memory = [UInt8](repeating: 0, count: capacity)
        let length = memory.withUnsafeMutableBytes { body($0) }
        precondition(length <= capacity, "wrote \(length) bytes into \(capacity)")
        return Array(memory.prefix(length))
    }
}
