import AccessPolicy
import Logging
import RTCCore
import RTCTransport
import RTCWire
import TransportSecurity

/// Asks STUN and TURN servers for candidates of a session, and knows when there will be no relay.
// Touched on the session's event loop only.
final class CandidateGathering: @unchecked Sendable {
    /// Which candidates may be used.
    private(set) var policy: ICETransportPolicy
    private let trust: TLSTrust
    /// The other side learns a relay's address from our checks, and finds no way past it.
    private let isBehindRelay: Bool
    private let logger: Logger
    /// Which TURN servers were asked, and what has become of it.
    private var watch = RelayWatch()
    /// Those that were named, for another socket has to ask them again.
    private var servers: [SessionICEServer] = []

    init(_ configuration: MediaSessionConfiguration, logger: Logger) {
        policy = configuration.iceTransportPolicy
        trust = configuration.trust ?? configuration.trustedRoots.map { TLSTrust(rootsFile: $0) } ?? .environment
        isBehindRelay = configuration.remoteAddressMap != nil
        self.logger = logger
    }

    /// URLs of the TURN servers that were asked and have not failed.
    var awaited: [String] { watch.awaited }

    /// Looks the servers' names up and asks them; what they tell is announced as it comes.
    func gather(_ list: [SessionICEServer], for session: SocketSession) {
        guard !isBehindRelay else { return }
        for server in list {
            if servers.count < RelayWatch.maximumServers, !servers.contains(server) { servers.append(server) }
            for text in server.urls {
                if let fault = server.fault(of: text) ?? refusal(text) {
                    logger.warning("ICE server not used: \(fault)")
                } else if let url = ICEServerURL(text) {
                    lookUp(url, text, of: server, for: session)
                }
            }
        }
    }

    /// The socket is another one, and what servers have told of the one before is void.
    func gatherAnew(for session: SocketSession) {
        watch.forgetAnswers()
        gather(servers, for: session)
    }

    /// Why the policy has a server not asked; nil where it is.
    private func refusal(_ url: String) -> String? {
        do throws(URLRefusal) { try trust.check(url) } catch { return error.description }
        return nil
    }

    private func lookUp(_ url: ICEServerURL, _ text: String, of server: SessionICEServer, for session: SocketSession) {
        let (loop, bases, trust) = (session.eventLoop, session.mux.bases, trust)
        if url.kind == .turn { watch.beginLookup() }
        Task { [weak self, weak session] in
            let address = await HostLookup.address(of: url.host, port: url.port, from: bases)
            loop.execute { [weak self, weak session] in
                guard let self, let session else { return }
                guard let address else { return lookupFailed(url, text, for: session) }
                ask(
                    ICEServerAddress(
                        url: url, address: address, username: server.username, password: server.credential, trust: trust
                    ), for: session)
            }
        }
    }

    private func lookupFailed(_ url: ICEServerURL, _ text: String, for session: SocketSession) {
        let families = [(true, "IPv4"), (false, "IPv6")].filter { isIPv4, _ in
            session.mux.bases.addresses.contains { $0.isIPv4 == isIPv4 }
        }
        let family = families.map(\.1).joined(separator: " or ")
        let why = "\(text): \(url.host) has no \(family) address; check the name"
        logger.warning("ICE server not used: \(why)")
        guard url.kind == .turn else { return }
        watch.lookupFailed(why)
        judge(session)
    }

    private func ask(_ server: ICEServerAddress, for session: SocketSession) {
        if server.url.kind == .turn, !watch.found(server.key, url: server.description) { return judge(session) }
        guard let flow = session.flow else { return }
        session.mux.gather([server], for: flow, allowsDirect: policy == .all)
    }

    func relayFailed(_ server: ICEServerAddress, _ error: any Error, for session: SocketSession) {
        let why = "\(server.description): \(error)"
        logger.warning("no relay from \(why)")
        watch.failed(server.key, why)
        judge(session)
    }

    /// No further servers are to be expected for now.
    func serversAreNamed(for session: SocketSession) {
        watch.isComplete = true
        judge(session)
    }

    private func judge(_ session: SocketSession) {
        guard policy == .relay, !isBehindRelay, let why = watch.verdict() else { return }
        session.emit(.noRelay(why))
    }

    /// From now on only relayed candidates count.
    func restrictToRelay(_ session: SocketSession) {
        guard policy == .all else { return }
        policy = .relay
        session.mux.forbidDirect()
        session.flow?.perform { peer, outbox, now in
            for base in session.mux.directBases { peer.removeLocalCandidates(base: base, now: now, into: outbox) }
        }
    }
}
