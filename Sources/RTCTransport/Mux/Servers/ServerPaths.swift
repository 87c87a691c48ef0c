import RTCCore
import RTCWire

/// The STUN and TURN servers of a socket that serves one peer: what they tell of us becomes local candidates, and
/// datagrams from relayed ones pass through here.
// Every member is touched on the mux's event loop only.
final class ServerPaths {
    unowned let mux: UDPMux
    let flow: PeerFlow
    /// False where nobody may learn our own addresses.
    var allowsDirect: Bool
    private(set) var relays: [RelayPath] = []
    /// The socket is closed; a stream that comes to stand only now is of no use.
    private(set) var isClosed = false
    private var probes: [ServerReflexiveProbe] = []
    /// What went through allocations that others have taken the place of.
    private var earlier: RelayTraffic

    /// Those that failed included: they keep their numbers.
    private static let maximumRelays = Int(LocalBases.firstPath) - 1
    /// More than any deployment names.
    private static let maximumProbes = 8

    init(mux: UDPMux, flow: PeerFlow, allowsDirect: Bool, earlier: RelayTraffic) {
        self.mux = mux
        self.flow = flow
        self.allowsDirect = allowsDirect
        self.earlier = earlier
    }

    /// Begins to ask those servers that are not asked yet.
    func add(_ servers: [ICEServerAddress], now: Instant, into outbox: Outbox) {
        for server in servers {
            switch server.url.kind {
            case .stun: addProbe(server, now, outbox)
            case .turn: addRelay(server, now, outbox)
            }
        }
    }

    private func addProbe(_ server: ICEServerAddress, _ now: Instant, _ outbox: Outbox) {
        guard allowsDirect, server.url.transport == .udp, probes.count < ServerPaths.maximumProbes,
            !probes.contains(where: { $0.server == server.address })
        else { return }
        var probe = ServerReflexiveProbe(server: server.address, now: now)
        _ = probe.advance(to: now, into: outbox)
        probes.append(probe)
    }

    private func addRelay(_ server: ICEServerAddress, _ now: Instant, _ outbox: Outbox) {
        let isKnown = relays.contains { $0.server.key == server.key && (!$0.hasEnded || $0.revival.due != nil) }
        guard !isKnown, relays.count < ServerPaths.maximumRelays else { return }
        let relay = RelayPath(path: UInt8(truncatingIfNeeded: relays.count + 1), server: server)
        relays.append(relay)
        start(relay, now, outbox)
    }

    private func start(_ relay: RelayPath, _ now: Instant, _ outbox: Outbox) {
        if relay.isStream { RelayStream.open(relay, in: self) } else { relay.client.start(now: now, into: outbox) }
    }

    // MARK: Time

    var nextDeadline: Instant {
        var soonest = Instant.distantFuture
        for relay in relays {
            soonest = min(soonest, relay.client.nextDeadline ?? .distantFuture, relay.revival.due ?? .distantFuture)
        }
        for probe in probes { soonest = min(soonest, probe.nextDeadline ?? .distantFuture) }
        return soonest
    }

    func advance(to now: Instant, into outbox: Outbox) {
        for index in probes.indices { _ = probes[index].advance(to: now, into: outbox) }
        for relay in relays {
            if relay.client.advance(to: now, into: outbox) { changed(relay, now, outbox) }
            guard relay.fallsSilent() else { continue }
            if let base = relay.base { flow.peer.suspect(base: base, now: now, into: outbox) }
            flow.handler?.relaySilent(relay.server, on: flow)
        }
        for index in relays.indices where relays[index].revival.due.map({ $0 <= now }) ?? false {
            earlier.add(relays[index].client.statistics)
            relays[index] = relays[index].successor()
            start(relays[index], now, outbox)
        }
    }

    // MARK: Receiving

    /// Whether datagrams from there are a server's and no peer's.
    func isServer(_ source: TransportAddress) -> Bool {
        for relay in relays where !relay.isStream && relay.client.server == source { return true }
        for probe in probes where probe.server == source { return true }
        return false
    }

    /// Takes a server's datagram; gives what a peer has sent through it.
    func receive(
        _ bytes: UnsafeRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) -> Arrival? {
        for index in probes.indices where probes[index].server == source && probes[index].receive(bytes) {
            if case .answered(let mapped) = probes[index].state { learn(mapped, from: source) }
            return nil
        }
        for relay in relays where !relay.isStream && relay.client.server == source {
            if let arrival = receive(bytes, over: relay, now: now, into: outbox) { return arrival }
        }
        return nil
    }

    /// A peer's datagram.
    struct Arrival {
        var source: TransportAddress
        var base: TransportAddress
        var range: Range<Int>
    }

    func receive(
        _ bytes: UnsafeRawBufferPointer, over relay: RelayPath, now: Instant, into outbox: Outbox
    ) -> Arrival? {
        switch relay.client.receive(bytes, now: now, into: outbox) {
        case .handled: return nil
        case .changed:
            changed(relay, now, outbox)
            return nil
        case .data(let source, let range):
            return relay.base.map { Arrival(source: source, base: $0, range: range) }
        }
    }

    // MARK: Candidates

    private func learn(_ mapped: TransportAddress, from server: TransportAddress) {
        // Where nothing stands between, the host candidate says it already.
        guard allowsDirect, let base = mux.bases.base(reaching: server), mapped != base else { return }
        let added = flow.peer.addServerCandidate(.serverReflexive, mapped, base: base, related: base, server: server)
        if added != nil { flow.handler?.localCandidatesChanged(on: flow) }
    }

    /// An allocation came to stand, or is over.
    func changed(_ relay: RelayPath, _ now: Instant, _ outbox: Outbox) {
        switch relay.client.state {
        case .allocated:
            guard let relayed = relay.client.relayed else { return }
            relay.base = relayed
            relay.revival.allocated(now: now)
            if let mapped = relay.client.mapped, !relay.isStream { learn(mapped, from: relay.server.address) }
            let added = flow.peer.addServerCandidate(
                .relay, relayed, base: relayed, related: allowsDirect ? relay.client.mapped : nil,
                server: relay.server.address, path: relay.path, rank: relay.rank)
            if added != nil { flow.handler?.localCandidatesChanged(on: flow) }
        case .failed(let failure):
            if let base = relay.base { flow.peer.removeLocalCandidates(base: base, now: now, into: outbox) }
            relay.base = nil
            relay.stream?.close()
            failed(relay, failure, isFinal: failure != .lost, now)
        case .idle, .allocating, .closed: break
        }
    }

    /// There is no relay, or no longer.
    ///
    /// - Parameter isFinal: another attempt would come to the same.
    func failed(_ relay: RelayPath, _ error: any Error, isFinal: Bool, _ now: Instant) {
        if !isFinal, relay.revival.lost(now: now) { return }
        flow.handler?.relayFailed(relay.server, error, on: flow)
    }

    // MARK: Sending

    /// Prepares what stands in the outbox for its way: frames what goes through a relay, and writes what goes over streams.
    func prepare(_ outbox: Outbox, now: Instant) {
        var isDropping = false
        for index in 0..<outbox.datagrams.count {
            let path = outbox.datagrams[index].path
            guard path != 0, path & RelayPath.streamBit == 0, Int(path) <= relays.count else { continue }
            relays[Int(path) - 1].client.relay(index, of: outbox, now: now)
            isDropping = isDropping || outbox.datagrams[index].length == 0
        }
        for index in 0..<outbox.datagrams.count {
            let datagram = outbox.datagrams[index]
            guard datagram.path & RelayPath.streamBit != 0, datagram.length > 0 else { continue }
            isDropping = true
            let number = Int(datagram.path & ~RelayPath.streamBit)
            // What a slow stream has no room for is lost, as on a network.
            if number <= relays.count { relays[number - 1].stream?.add(outbox.bytes(of: datagram)) }
            outbox.drop(index)
        }
        guard isDropping else { return }
        outbox.removeDropped()
        for relay in relays { relay.stream?.flush() }
    }

    /// The candidates that stand for relays.
    var relayBases: [TransportAddress] { relays.compactMap(\.base) }

    /// What went and came through relays, in datagrams and bytes of payload.
    var traffic: RelayTraffic {
        relays.reduce(into: earlier) { sum, relay in sum.add(relay.client.statistics) }
    }

    func close(now: Instant, into outbox: Outbox) {
        isClosed = true
        for relay in relays { relay.client.close(now: now, into: outbox) }
        prepare(outbox, now: now)
        for relay in relays { relay.stream?.close() }
    }
}

/// Payload that passed through relays.
package struct RelayTraffic: Sendable, Hashable {
    package var bytesSent = 0
    package var bytesReceived = 0
    package var datagramsSent = 0
    /// Of those sent, how many went by channel.
    package var datagramsByChannel = 0

    mutating func add(_ counted: TURNStatistics) {
        bytesSent += Int(clamping: counted.sent.bytes)
        bytesReceived += Int(clamping: counted.received.bytes)
        datagramsSent += Int(clamping: counted.sent.datagrams)
        datagramsByChannel += Int(clamping: counted.sentByChannel)
    }
}
