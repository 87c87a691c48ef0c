import NIOCore
import RTCCore
import RTCWire

/// What a flow tells its owner, always on the flow's event loop. Bound to classes, so that a call through it costs no
/// more than a virtual one and allocates nothing: it stands on the packet path.
package protocol PeerFlowHandler: AnyObject {
    /// A media packet. `buffer` holds the decrypted datagram and is valid during the call only.
    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow)
    /// Everything else that the peer reports, in order with the packets.
    func handle(_ event: PeerEvent, on flow: PeerFlow)
    /// The batch of datagrams that was being read is finished.
    func batchEnded(on flow: PeerFlow)
    /// The peer has candidates that it had not: servers have told of them.
    func localCandidatesChanged(on flow: PeerFlow)
    /// A TURN server gives no relay, or no longer.
    func relayFailed(_ server: ICEServerAddress, _ error: any Error, on flow: PeerFlow)
}

extension PeerFlowHandler {
    package func batchEnded(on flow: PeerFlow) {}
    package func localCandidatesChanged(on flow: PeerFlow) {}
    package func relayFailed(_ server: ICEServerAddress, _ error: any Error, on flow: PeerFlow) {}
}

/// One peer connection on one event loop: the sans-IO `Peer`, its owner, and its place in the loop's `UDPMux`.
// Every member is touched on `mux.eventLoop` only, which `perform` asserts; other threads hold the reference and hop.
package final class PeerFlow: @unchecked Sendable {
    package internal(set) var mux: UDPMux
    package var peer: Peer
    package var handler: (any PeerFlowHandler)?
    /// Among the mux's deadlines.
    var heapPosition = -1
    var touched = false
    /// The user name fragments by which datagrams find the flow, oldest first.
    var ufrags: [String] = []
    /// How many addresses are bound to the flow.
    var boundAddresses = 0
    /// Datagrams and bytes of this flow, as counted at the socket.
    package private(set) var received = (datagrams: 0, bytes: 0)
    package private(set) var isClosed = false

    init(mux: UDPMux, peer: consuming Peer, handler: (any PeerFlowHandler)?) {
        self.mux = mux
        self.peer = peer
        self.handler = handler
    }

    package var eventLoop: any EventLoop { mux.eventLoop }

    /// Runs `body` with the peer and the loop's outbox, hands its events out and sends what it queued.
    package func perform(_ body: (inout Peer, Outbox, Instant) -> Void) {
        mux.perform(self) { outbox, now in body(&peer, outbox, now) }
    }

    /// Says goodbye to the other side and leaves the mux. Must be called on the event loop.
    package func close() {
        guard !isClosed else { return }
        perform { peer, outbox, now in peer.close(now: now, into: outbox) }
        isClosed = true
        mux.remove(self)
        handler = nil
    }

    func count(bytes: Int) {
        received.datagrams += 1
        received.bytes += bytes
    }
}
