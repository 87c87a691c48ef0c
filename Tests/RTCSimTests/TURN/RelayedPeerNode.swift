import RTCCore
import RTCSim
import RTCWire

/// A peer whose only candidate is a relayed one: peer and TURN client behind one address.
final class RelayedPeerNode: SimulatedNode {
    let address: TransportAddress
    var peer: Peer
    var client: TURNClient
    private(set) var messages: [[UInt8]] = []
    private(set) var states: [PeerState] = []
    var onAllocated: ((LocalCandidate) -> Void)?

    init(at address: TransportAddress, peer: consuming Peer, client: consuming TURNClient) {
        self.address = address
        self.peer = peer
        self.client = client
    }

    var nextDeadline: Instant? {
        let soonest = min(
            peer.nextDeadline?.instant ?? .distantFuture, client.nextDeadline ?? .distantFuture)
        return soonest == .distantFuture ? nil : soonest
    }

    func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        guard source == client.server else { return }
        switch client.receive(UnsafeRawBufferPointer(buffer), now: now, into: outbox) {
        case .handled: break
        case .changed: changed()
        case .data(let sender, let range):
            guard let base = client.relayed else { return }
            peer.receive(
                UnsafeMutableRawBufferPointer(rebasing: buffer[range]), from: sender, localBase: base, now: now,
                into: outbox)
        }
        finish(outbox, now)
    }

    func advance(to now: Instant, into outbox: Outbox) {
        if client.advance(to: now, into: outbox) { changed() }
        peer.advance(to: now, into: outbox)
        finish(outbox, now)
    }

    private func changed() {
        guard client.state == .allocated, let relayed = client.relayed else { return }
        let added = peer.addServerCandidate(
            .relay, relayed, base: relayed, related: client.mapped, server: client.server, path: 1)
        if let added { onAllocated?(added) }
    }

    /// Frames what goes through the relay, and takes the events.
    func finish(_ outbox: Outbox, _ now: Instant) {
        for index in 0..<outbox.datagrams.count where outbox.datagrams[index].path == 1 {
            client.relay(index, of: outbox, now: now)
        }
        outbox.removeDropped()
        for event in outbox.events {
            if case .dataMessage(_, let bytes, _) = event { messages.append(bytes) }
            if case .applicationData(let bytes) = event { messages.append(bytes) }
            if case .stateChanged(let state) = event { states.append(state) }
        }
        outbox.events.removeAll(keepingCapacity: true)
    }
}
