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
    /// A TURN server says nothing, and may still come back.
    func relaySilent(_ server: ICEServerAddress, on flow: PeerFlow)
}

extension PeerFlowHandler {
    package func batchEnded(on flow: PeerFlow) {}
    package func localCandidatesChanged(on flow: PeerFlow) {}
    package func relayFailed(_ server: ICEServerAddress, _ error: any Error, on flow: PeerFlow) {}
    package func relaySilent(_ server: ICEServerAddress, on flow: PeerFlow) {}
}

/// One peer connection on one event loop: the sans-IO `Peer` or what stands around it, its owner, and its place in the
/// loop's `UDPMux`.
// Every member is touched on `mux.eventLoop` only, which `perform` asserts; other threads hold the reference and hop.
package final class PeerFlow: @unchecked Sendable {
    package internal(set) var mux: UDPMux
    package var handler: (any PeerFlowHandler)?
    private let driven: Driven
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

    /// A server's flow, which has a packet copied into it for every subscriber, reaches its peer without a detour.
    private enum Driven {
        case bare(BarePeer)
        case endpoint(any PeerEndpoint)
    }

    init(mux: UDPMux, peer: consuming Peer, handler: (any PeerFlowHandler)?) {
        self.mux = mux
        self.handler = handler
        driven = .bare(BarePeer(peer))
    }

    init(mux: UDPMux, endpoint: any PeerEndpoint, handler: (any PeerFlowHandler)?) {
        self.mux = mux
        self.handler = handler
        driven = .endpoint(endpoint)
    }

    package var peer: Peer {
        _read {
            switch driven {
            case .bare(let bare): yield bare.peer
            case .endpoint(let endpoint): yield endpoint.peer
            }
        }
        _modify {
            switch driven {
            case .bare(let bare): yield &bare.peer
            case .endpoint(let endpoint): yield &endpoint.peer
            }
        }
    }

    package var eventLoop: any EventLoop { mux.eventLoop }

    /// Runs `body` with the peer and the loop's outbox, hands its events out and sends what it queued.
    package func perform(_ body: (inout Peer, Outbox, Instant) -> Void) {
        mux.perform(self) { outbox, now in body(&peer, outbox, now) }
    }

    /// The same for who owns the endpoint and reaches the peer through it.
    package func act(_ body: (Outbox, Instant) -> Void) { mux.perform(self, body) }

    /// Says goodbye to the other side and leaves the mux. Must be called on the event loop.
    package func close() {
        guard !isClosed else { return }
        perform { peer, outbox, now in peer.close(now: now, into: outbox) }
        isClosed = true
        mux.remove(self)
        handler = nil
    }

    // MARK: The mux's side

    func receive(_ datagram: UnsafeMutableRawBufferPointer, _ arrival: DatagramArrival, into outbox: Outbox) {
        received.datagrams += 1
        received.bytes += datagram.count
        switch driven {
        case .bare(let bare):
            bare.peer.receive(
                datagram, from: arrival.source, localBase: arrival.base, now: arrival.now, arrival: arrival.time,
                into: outbox)
        case .endpoint(let endpoint): endpoint.receive(datagram, arrival, into: outbox)
        }
    }

    func advance(to now: Instant, into outbox: Outbox) {
        switch driven {
        case .bare(let bare): bare.peer.advance(to: now, into: outbox)
        case .endpoint(let endpoint): endpoint.advance(to: now, into: outbox)
        }
    }

    var nextDeadline: Instant? {
        switch driven {
        case .bare(let bare): bare.peer.nextDeadline?.instant
        case .endpoint(let endpoint): endpoint.nextDeadline
        }
    }
}
