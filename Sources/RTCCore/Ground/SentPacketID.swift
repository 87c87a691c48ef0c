/// A packet of one of our streams, by the numbers of its first sending.
struct SentPacketID: Hashable {
    var ssrc: UInt32
    var sequence: UInt16
}
