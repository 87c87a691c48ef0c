import RTCCore
import RTCWire

/// A `Peer` as a node of a simulation.
package final class PeerNode: SimulatedNode {
    package let address: TransportAddress
    package var peer: Peer
    /// Everything the peer said but for media packets, in order.
    package private(set) var events: [PeerEvent] = []
    /// Sees every media packet; the buffer is valid during the call.
    package var onPacket: ((_ packet: ReceivedRTP, _ buffer: UnsafeRawBufferPointer) -> Void)?
    /// Sees every other event.
    package var onEvent: ((PeerEvent) -> Void)?

    package init(address: TransportAddress, peer: consuming Peer) {
        self.address = address
        self.peer = peer
    }

    package func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        peer.receive(buffer, from: source, now: now, into: outbox)
        take(outbox, UnsafeRawBufferPointer(buffer))
    }

    package func advance(to now: Instant, into outbox: Outbox) {
        peer.advance(to: now, into: outbox)
        take(outbox, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    package var nextDeadline: Instant? { peer.nextDeadline?.instant }

    /// Hands out what the outbox has to say. Called by whoever drives the peer directly, too.
    package func take(_ outbox: Outbox, _ buffer: UnsafeRawBufferPointer) {
        for event in outbox.events {
            if case .rtp(let packet) = event {
                onPacket?(packet, buffer)
            } else {
                events.append(event)
                onEvent?(event)
            }
        }
        outbox.events.removeAll(keepingCapacity: true)
    }
}
