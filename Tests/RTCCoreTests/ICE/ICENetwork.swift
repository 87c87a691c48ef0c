import RTCWire

@testable import RTCCore

/// One agent with its sockets on the simulated network.
final class ICENode {
    var agent: ICEAgent
    let outbox = Outbox()
    /// The open sockets; a datagram leaves from the latest one of its destination's family.
    var bases: [TransportAddress]
    /// What a NAT in front of it makes of a base; only a destination that was sent to may answer.
    var mappings: [TransportAddress: TransportAddress] = [:]
    fileprivate(set) var contacted: Set<TransportAddress> = []
    private(set) var states: [ICEState] = []
    private(set) var selections = 0
    fileprivate(set) var sent = 0

    init(_ configuration: ICEConfiguration, bases: [TransportAddress]) {
        agent = ICEAgent(configuration: configuration)
        self.bases = bases
    }

    var state: ICEState { agent.state }
    var pair: ICESelectedPair? { agent.selectedPair }
    var remote: TransportAddress? { agent.selectedPair?.remote }
    var statistics: ICEStatistics { agent.statistics }

    func note(_ changes: ICEChanges) {
        if changes.contains(.state) { states.append(agent.state) }
        if changes.contains(.selection) { selections += 1 }
    }
}

/// Two agents and a seeded bad network between them, in virtual time.
final class ICENetwork {
    private struct Flight {
        var arrival: Instant
        var order: Int
        var bytes: [UInt8]
        var source: TransportAddress
        var destination: TransportAddress
    }

    let a: ICENode
    let b: ICENode
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    var loss = 0.0
    var delay = Interval.milliseconds(10)
    /// Added to the delay, evenly from 0 to this: with more than the spacing of datagrams, they are reordered.
    var jitter = Interval.zero
    var isDown = false
    /// A firewall lets connections pass and nothing else.
    var blocksUDP = false
    /// The openers' addresses of TCP connections, by what they have connected to.
    private(set) var connections: [TransportAddress: TransportAddress] = [:]
    /// How many connections were opened.
    private(set) var connectionsOpened = 0
    /// Addresses where nobody answers.
    var unreachable: Set<TransportAddress> = []
    private(set) var steps = 0
    private var random: ICERandom
    private var flights: [Flight] = []
    private var order = 0

    init(_ a: ICENode, _ b: ICENode, seed: UInt64 = 1) {
        self.a = a
        self.b = b
        random = ICERandom(seed: seed)
    }

    // MARK: Signalling

    func addHostCandidates(_ node: ICENode) {
        for base in node.bases { node.agent.addLocalCandidate(base, now: now) }
    }

    /// Tells `node` the candidates of the other side.
    func signalCandidates(to node: ICENode) {
        let other = node === a ? b : a
        for candidate in other.agent.localCandidates {
            node.agent.addRemoteCandidate(candidate.sdp(ufrag: other.agent.localCredentials.ufrag), now: now)
        }
    }

    func signalCredentials(to node: ICENode, isLite: Bool = false) {
        let other = node === a ? b : a
        let credentials = other.agent.localCredentials
        node.note(node.agent.setRemoteCredentials(credentials, remoteIsLite: isLite, now: now))
    }

    func signalAll() {
        for node in [a, b] {
            addHostCandidates(node)
        }
        for node in [a, b] {
            signalCredentials(to: node)
            signalCandidates(to: node)
        }
    }

    // MARK: TCP

    /// `a` opens connections, `b` takes them.
    func addTCPCandidates() {
        a.agent.addTCPCandidate(.active, .testA, now: now)
        b.agent.addTCPCandidate(.passive, .testListener, now: now)
    }

    /// All connections break, and both ends are told.
    func cutConnections() {
        let broken = connections
        connections.removeAll()
        flights.removeAll { $0.destination.transport == .tcp }
        for (passive, opener) in broken {
            b.note(b.agent.connectionEnded(base: passive, remote: opener, now: now))
            a.note(a.agent.connectionEnded(base: .testOpener, remote: passive, now: now))
        }
    }

    /// A stream loses nothing and keeps the order.
    private func sendOverTCP(_ bytes: [UInt8], from node: ICENode, to destination: TransportAddress) {
        var source: TransportAddress?
        if node === a, !unreachable.contains(destination), destination == .testListener {
            if connections[destination] == nil {
                connectionsOpened += 1
                connections[destination] = TransportAddress.testOpener.with(
                    .tcp, port: UInt16(40_000 + connectionsOpened))
            }
            source = connections[destination]
        } else {
            source = connections.first { $0.value == destination }?.key
        }
        guard let source, !isDown else { return }
        order += 1
        flights.append(
            Flight(arrival: now + delay, order: order, bytes: bytes, source: source, destination: destination))
    }

    // MARK: Time

    var isConnected: Bool { a.agent.state.hasPath && b.agent.state.hasPath }

    /// Runs until `condition` holds; gives whether it did within `limit`.
    @discardableResult
    func run(for limit: Interval, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        while !condition() {
            flush()
            let times = [flights.map(\.arrival).min(), a.agent.nextDeadline?.instant, b.agent.nextDeadline?.instant]
            guard let next = times.compactMap({ $0 }).min(), next <= end else {
                now = end
                return condition()
            }
            now = max(now, next)
            steps += 1
            deliver()
            for node in [a, b] {
                if let deadline = node.agent.nextDeadline, deadline.instant <= now {
                    node.note(node.agent.advance(to: now, into: node.outbox))
                }
            }
        }
        flush()
        return true
    }

    /// Hands a datagram to a node as if the network had.
    @discardableResult
    func inject(_ bytes: [UInt8], from source: TransportAddress, to node: ICENode, base: TransportAddress? = nil)
        -> ICEChanges
    {
        let changes = bytes.withUnsafeBytes {
            node.agent.receive(
                $0, from: source, localBase: base ?? node.bases[0], now: now, into: node.outbox)
        }
        node.note(changes)
        return changes
    }

    /// Takes what a node has queued out of its outbox.
    func take(_ node: ICENode) -> [(bytes: [UInt8], destination: TransportAddress)] {
        defer { node.outbox.removeAll() }
        return node.outbox.datagrams.map { (Array(node.outbox.bytes(of: $0)), $0.destination) }
    }

    private func flush() {
        for node in [a, b] {
            for (bytes, destination) in take(node) { send(bytes, from: node, to: destination) }
        }
    }

    private func send(_ bytes: [UInt8], from node: ICENode, to destination: TransportAddress) {
        node.sent += 1
        if destination.transport == .tcp { return sendOverTCP(bytes, from: node, to: destination) }
        guard let base = node.bases.last(where: { $0.isIPv4 == destination.isIPv4 }) else { return }
        node.contacted.insert(destination)
        let lost = Double(random.next() >> 11) / Double(1 << 53) < loss
        let extra = jitter.nanoseconds > 0 ? Int64(random.next() % UInt64(jitter.nanoseconds)) : 0
        if lost || isDown || blocksUDP { return }
        order += 1
        flights.append(
            Flight(
                arrival: now + delay + Interval(nanoseconds: extra), order: order, bytes: bytes,
                source: node.mappings[base] ?? base, destination: destination))
    }

    private func deliver() {
        let due = flights.filter { $0.arrival <= now }.sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
        flights.removeAll { $0.arrival <= now }
        for flight in due where !unreachable.contains(flight.destination) {
            guard let (node, base) = owner(of: flight.destination, seenFrom: flight.source) else { continue }
            inject(flight.bytes, from: flight.source, to: node, base: base)
        }
    }

    private func owner(of address: TransportAddress, seenFrom source: TransportAddress) -> (ICENode, TransportAddress)?
    {
        if address.transport == .tcp {
            if connections[address] != nil { return (b, address) }
            return connections.values.contains(address) ? (a, .testOpener) : nil
        }
        for node in [a, b] {
            for base in node.bases {
                if let mapped = node.mappings[base] {
                    if mapped == address, node.contacted.contains(source) { return (node, base) }
                } else if base == address {
                    return (node, base)
                }
            }
        }
        return nil
    }
}

/// Two agents, `a` controlling and `b` controlled, each on one IPv4 socket unless told otherwise.
func makeICENetwork(
    seed: UInt64 = 1, roles: (ICERole, ICERole) = (.controlling, .controlled),
    bases: ([TransportAddress], [TransportAddress]) = ([.testA], [.testB]),
    configure: (inout ICEConfiguration) -> Void = { _ in }
) -> ICENetwork {
    var first = ICEConfiguration(role: roles.0)
    first.seed = seed &* 2
    configure(&first)
    var second = ICEConfiguration(role: roles.1)
    second.seed = seed &* 2 &+ 1
    configure(&second)
    return ICENetwork(ICENode(first, bases: bases.0), ICENode(second, bases: bases.1), seed: seed)
}

extension TransportAddress {
    static let testA = TransportAddress(ipv4: 0x0a00_0001, port: 4000)
    static let testB = TransportAddress(ipv4: 0x0a00_0002, port: 5000)
    static let testA6 = TransportAddress(high: 0x2001_0db8_0000_0000, low: 1, port: 4006)
    static let testB6 = TransportAddress(high: 0x2001_0db8_0000_0000, low: 2, port: 5006)
    /// What `b` listens on, with the number of its UDP port, and the base of what `a` opens.
    static let testListener = testB.over(.tcp)
    static let testOpener = testA.with(.tcp, port: TCPCandidateType.activePort)
}
