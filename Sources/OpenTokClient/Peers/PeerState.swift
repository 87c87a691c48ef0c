import OpenTokSignalling
import RTCWire

/// How one media connection is negotiated, and whether it stands. A value: what it brings about is given back.
struct PeerState: Sendable {
    enum Standing: Hashable, Sendable {
        case new, connected
        /// It was connected, and is not any more.
        case lost
    }

    /// More than any client gathers.
    static let largestCandidateCount = 64

    /// It has been made; a subscriber's is made with the first offer.
    private(set) var isOpen = false
    private(set) var isOffering = false
    /// Another offer is due when this one has been answered.
    private var needsOffer = false
    /// The other side's candidates pass; before its description they wait.
    private var isDescribed = false
    private var early: [RaptorCandidate] = []
    /// Our candidates pass; before our description they wait.
    private var isIntroduced = false
    private var ours: [RaptorCandidate] = []
    var standing = Standing.new
    /// In a row.
    var failures = 0

    // MARK: A publisher's: we offer

    /// What the connection does for an offer to be made.
    mutating func open(sending stream: String, _ servers: [RaptorICEServer]) -> [PeerAction] {
        isOpen = true
        isOffering = true
        return [.openPublisher(stream: stream, servers), .createOffer(restartingICE: false)]
    }

    mutating func offerAgain(restartingICE: Bool) -> [PeerAction] {
        guard isOpen else { return [] }
        guard !isOffering else {
            needsOffer = true
            return []
        }
        isOffering = true
        return [.createOffer(restartingICE: restartingICE)]
    }

    mutating func take(answer: String) -> [PeerAction] {
        guard isOffering else { return [] }
        isOffering = false
        var actions: [PeerAction] = [.setAnswer(answer)] + admit()
        if needsOffer {
            needsOffer = false
            actions += offerAgain(restartingICE: true)
        }
        return actions
    }

    // MARK: A subscriber's: the other side offers

    mutating func take(offer: String, _ servers: [RaptorICEServer]) -> [PeerAction] {
        let first: [PeerAction] = isOpen ? [] : [.openSubscriber(servers)]
        isOpen = true
        return first + [.answer(offer: offer)] + admit()
    }

    // MARK: Both

    /// Our description is made: what goes to the other side.
    mutating func introduce(_ description: RaptorNegotiation) -> [RaptorNegotiation] {
        isIntroduced = true
        defer { ours = [] }
        return [description] + ours.map { .candidate($0) }
    }

    mutating func found(_ candidate: RaptorCandidate) -> [RaptorNegotiation] {
        // That there are no more says nothing that the other side needs.
        guard !candidate.candidate.isEmpty else { return [] }
        if isIntroduced { return [.candidate(candidate)] }
        if ours.count < Self.largestCandidateCount { ours.append(candidate) }
        return []
    }

    mutating func take(candidate: RaptorCandidate) -> [PeerAction] {
        if isDescribed { return [.addCandidate(candidate)] }
        if early.count < Self.largestCandidateCount { early.append(candidate) }
        return []
    }

    private mutating func admit() -> [PeerAction] {
        isDescribed = true
        defer { early = [] }
        return early.map { .addCandidate($0) }
    }
}

/// The media connections of a session, and whether losing some of them concerns us.
struct Peers: Sendable {
    private(set) var states: [RaptorPeer: PeerState] = [:]

    subscript(peer: RaptorPeer) -> PeerState? {
        get { states[peer] }
        set { states[peer] = newValue }
    }

    /// Those of a stream of ours.
    func publishing(_ stream: String) -> [RaptorPeer] {
        states.keys.filter { peer in
            switch peer {
            case .stream(let id), .subscriber(let id, _): id == stream
            }
        }.sorted()
    }

    /// Takes one out, and closes it.
    mutating func close(_ peer: RaptorPeer, _ turn: inout ClientTurn) {
        guard let state = states.removeValue(forKey: peer), state.isOpen else { return }
        turn.peer(.close, peer)
    }

    mutating func closeAll(_ turn: inout ClientTurn) { for peer in states.keys.sorted() { close(peer, &turn) } }

    /// Media does not come through to us, or not from us. All go to the router in a routed session, where one loss is ours;
    /// in a relayed one the other side of one connection may be the one that has lost its network.
    func areLost(isRelayed: Bool) -> Bool {
        let standings = states.values.lazy.map(\.standing).filter { $0 != .new }
        guard isRelayed else { return standings.contains(.lost) }
        return standings.contains(.lost) && !standings.contains(.connected)
    }
}

extension RaptorPeer: Comparable {
    private var order: (String, String) {
        switch self {
        case .stream(let id): (id, "")
        case .subscriber(let stream, let id): (stream, id)
        }
    }

    package static func < (a: RaptorPeer, b: RaptorPeer) -> Bool { a.order < b.order }

    /// The stream that it carries.
    package var stream: String { order.0 }
}
