import RTCCore
import RTCTransport
import RTCWire

/// How one side of a connection is found and trusted; what signalling would carry.
struct RemoteTransport: Sendable {
    var credentials: ICECredentials
    var fingerprint: DTLSFingerprint
    var candidate: ICECandidate
}

/// A real peer on a socket of its own, polled by the thread that owns it: the far side of what is measured.
final class PlainPeer {
    private(set) var peer: Peer
    /// Media packets that arrived and were opened.
    private(set) var packets = 0
    private let socket: PlainSocket
    private let outbox = Outbox()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)

    init(_ configuration: PeerConfiguration) throws {
        socket = try PlainSocket()
        peer = Peer(configuration: configuration, now: MonotonicClock.now())
        peer.setClock(ntpOffset: MonotonicClock.ntpOffset())
        peer.addLocalCandidate(socket.address)
    }

    deinit { buffer.deallocate() }

    var transport: RemoteTransport { RemoteTransport(peer: peer) }
    var isConnected: Bool { peer.isConnected }

    func connect(to remote: RemoteTransport, as role: DTLSRole) {
        perform { peer, outbox, now in remote.introduce(to: &peer, as: role, now: now, into: outbox) }
    }

    /// Lets the peer do something and sends what comes of it.
    func perform(_ body: (inout Peer, Outbox, Instant) -> Void) {
        body(&peer, outbox, MonotonicClock.now())
        flush()
    }

    /// Takes in what has come, does what is due.
    func poll() {
        let now = MonotonicClock.now()
        while let (length, port) = socket.receive(into: buffer) {
            let datagram = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            peer.receive(datagram, from: TransportAddress(ipv4: 0x7f00_0001, port: port), now: now, into: outbox)
            // However many have come, what they leave takes no more memory.
            if outbox.events.count >= 16 { flush() }
        }
        if let deadline = peer.nextDeadline, deadline.instant <= now { peer.advance(to: now, into: outbox) }
        flush()
    }

    private func flush() {
        for datagram in outbox.datagrams { socket.send(outbox.bytes(of: datagram), port: datagram.destination.port) }
        for case .rtp in outbox.events { packets += 1 }
        outbox.removeAll()
    }
}

extension RemoteTransport {
    /// A peer's own side. It has one candidate.
    init(peer: borrowing Peer) {
        credentials = peer.localCredentials
        fingerprint = peer.localFingerprint
        candidate = peer.localCandidates[0].sdp(ufrag: peer.localCredentials.ufrag)
    }

    func introduce(to peer: inout Peer, as role: DTLSRole, now: Instant, into outbox: Outbox) {
        peer.setRemote(credentials: credentials, fingerprint: fingerprint, dtlsRole: role, now: now, into: outbox)
        peer.addRemoteCandidate(candidate, now: now, into: outbox)
    }
}
