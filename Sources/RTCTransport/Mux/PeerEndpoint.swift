import RTCCore
import RTCWire

/// What a flow drives: a peer, or a session that has one at its heart. Always on the flow's event loop.
package protocol PeerEndpoint: AnyObject {
    var peer: Peer { get set }
    /// Takes a datagram in, which may be changed and is valid during the call.
    func receive(_ datagram: UnsafeMutableRawBufferPointer, _ arrival: DatagramArrival, into outbox: Outbox)
    /// Does what is due.
    func advance(to now: Instant, into outbox: Outbox)
    /// When `advance` wants to be called; nil for not at all.
    var nextDeadline: Instant? { get }
}

/// A peer, and nothing around it.
final class BarePeer {
    var peer: Peer

    init(_ peer: consuming Peer) { self.peer = peer }
}
