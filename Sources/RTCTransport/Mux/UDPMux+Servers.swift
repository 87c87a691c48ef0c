import RTCCore
import RTCWire

/// STUN and TURN servers of a mux that serves one peer.
extension UDPMux {
    /// Asks servers for candidates of `flow`, which must be the only one on its socket. Call on the event loop.
    ///
    /// - Parameter allowsDirect: false where only relayed candidates may come of it.
    package func gather(_ addresses: [ICEServerAddress], for flow: PeerFlow, allowsDirect: Bool) {
        loop.preconditionInEventLoop()
        guard configuration.isExclusive, !flow.isClosed, !isClosed, !addresses.isEmpty else { return }
        let paths =
            servers
            ?? ServerPaths(mux: self, flow: flow, allowsDirect: allowsDirect, earlier: relayTrafficBefore)
        servers = paths
        serversActed { now, outbox in paths.add(addresses, now: now, into: outbox) }
    }

    /// From now on servers are asked for relays only.
    package func forbidDirect() { servers?.allowsDirect = false }

    /// What passed through relays so far.
    package var relayTraffic: RelayTraffic { servers?.traffic ?? relayTrafficBefore }

    /// Runs what a server, or the way to it, has brought about, and sends what follows.
    func serversActed(_ body: (Instant, Outbox) -> Void) {
        inBatch { now, outbox in
            body(now, outbox)
            if let servers { acted(servers.flow) }
        }
    }

    /// A datagram from a server.
    func received(_ bytes: UnsafeMutableRawBufferPointer, from servers: ServerPaths, _ arrival: DatagramArrival) {
        let raw = UnsafeRawBufferPointer(bytes)
        if let relayed = servers.receive(raw, from: arrival.source, now: arrival.now, into: batch.outbox) {
            var arrival = arrival
            arrival.source = relayed.source
            arrival.base = relayed.base
            deliver(UnsafeMutableRawBufferPointer(rebasing: bytes[relayed.range]), to: servers.flow, arrival)
        } else {
            // What it has told may have set the peer in motion.
            acted(servers.flow)
        }
    }

    /// What a peer has sent through a relay and a stream.
    func deliverRelayed(
        _ bytes: UnsafeMutableRawBufferPointer, to flow: PeerFlow, _ relayed: ServerPaths.Arrival, now: Instant
    ) {
        guard bytes.count <= UDPMux.maximumDatagram else {
            statistics.oversized += 1
            return
        }
        deliver(
            bytes, to: flow,
            DatagramArrival(source: relayed.source, base: relayed.base, now: now, time: now))
    }

    func closeServers() {
        guard let paths = servers else { return }
        let now = MonotonicClock.now()
        paths.close(now: now, into: batch.outbox)
        send(now)
        relayTrafficBefore = paths.traffic
        servers = nil
    }
}
