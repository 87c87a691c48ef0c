import NIOCore
import RTCCore
import RTCWire

/// TCP beside a mux's UDP port (RFC 6544).
extension UDPMux {
    /// The TCP port on which peers may connect; nil where there is none.
    package var streamPort: UInt16? { streams?.listeningPort }

    /// TCP connections at present.
    package var connectionCount: Int { streams?.count ?? 0 }

    /// Adds what the configuration wants of TCP. On the loop.
    func openStreams(_ socket: StreamSocket?) throws(IOError) {
        guard socket != nil || configuration.opensStreams else { return }
        let port = StreamPort(self, limits: configuration.streams)
        if let socket { try port.listen(socket) }
        streams = port
    }

    /// The TCP candidates of this mux, beside the UDP ones for the same addresses.
    func addTCPCandidates(_ advertised: [TransportAddress], to peer: inout Peer) {
        if let listening = streamPort {
            for address in hostAddresses(advertised) {
                peer.addTCPCandidate(
                    .passive, address.with(.tcp, port: listening),
                    base: hostBase(of: address).with(.tcp, port: listening))
            }
        }
        guard streams != nil, configuration.opensStreams else { return }
        // The kernel chooses where a connection leaves from: one candidate stands for a family.
        for isIPv4 in [false, true] {
            if let address = bases.addresses.first(where: { $0.isIPv4 == isIPv4 }) {
                peer.addTCPCandidate(.active, address)
            }
        }
    }

    /// The base of the active candidate that reaches an address.
    func activeBase(reaching remote: TransportAddress) -> TransportAddress? {
        bases.base(reaching: remote)?.with(.tcp, port: TCPCandidateType.activePort)
    }

    /// The bases of what is reached without a relay.
    package var directBases: [TransportAddress] {
        bases.addresses + bases.addresses.map { $0.with(.tcp, port: streamPort ?? TCPCandidateType.activePort) }
    }

    /// Whether packets from there are some peer's.
    func knows(_ remote: TransportAddress) -> Bool { configuration.isExclusive || router.addresses.find(remote) >= 0 }

    /// Runs `body`, which hands in what has come over a connection, as one batch.
    func receiveOverStream(_ body: (Instant) -> Void) {
        guard batch.now == nil else { return body(MonotonicClock.now()) }
        let now = MonotonicClock.now()
        batch.now = now
        body(now)
        endBatch(now)
    }

    /// When the mux has something to do that is no flow's.
    var otherDeadline: Instant? {
        guard servers != nil || streams != nil else { return nil }
        return min(servers?.nextDeadline ?? .distantFuture, streams?.nextDeadline ?? .distantFuture)
    }

    /// Sets the timer anew, where no batch does it at its end.
    func scheduleAnew() {
        guard batch.now == nil, !isClosed else { return }
        deadlines.schedule(on: loop, otherDeadline, now: MonotonicClock.now())
    }

    /// A connection is gone: its peer looks for another way.
    func streamEnded(_ remote: TransportAddress, base: TransportAddress, now: Instant) {
        guard let flow = router.unbind(remote) else { return }
        inBatch { now, outbox in
            flow.peer.connectionEnded(base: base, remote: remote, now: now, into: outbox)
            acted(flow)
        }
    }
}
