import RTCWire

/// The pairs of one ICE generation, RFC 8445 section 6.1.2: one data stream, one component.
struct Checklist {
    private(set) var pairs: [CandidatePair] = []
    private var lastID: UInt32 = 0

    subscript(index: Int) -> CandidatePair {
        get { pairs[index] }
        _modify { yield &pairs[index] }
    }

    var indices: Range<Int> { pairs.indices }

    func index(id: UInt32) -> Int? { pairs.firstIndex { $0.id == id } }

    func index(base: TransportAddress, remote: TransportAddress) -> Int? {
        pairs.firstIndex { $0.remote.address == remote && $0.local.base == base }
    }

    func index(transaction: STUNTransactionID) -> Int? {
        pairs.firstIndex { $0.check?.transactionID == transaction }
    }

    /// The open pairs: what the retransmission timeout scales with (section 14.3).
    var openCount: Int { pairs.reduce(0) { $0 + ($1.isOpen ? 1 : 0) } }

    /// Adds a pair in its first state: one of a foundation waits, the others are frozen behind it until one has
    /// succeeded (section 6.1.2.6, for later candidates RFC 8838 section 12).
    mutating func insert(_ local: LocalCandidate, _ remote: RemoteCandidate, role: ICERole) -> Int {
        lastID &+= 1
        var pair = CandidatePair(
            id: lastID, local: local, remote: remote, priority: Checklist.priority(local, remote, role),
            state: .waiting)
        let kin = pairs.filter { $0.sharesFoundation(with: pair) }
        if !kin.isEmpty, !kin.contains(where: \.isValid) { pair.state = .frozen }
        pairs.append(pair)
        return pairs.count - 1
    }

    mutating func remove(at index: Int) { pairs.remove(at: index) }

    mutating func removeAll(where condition: (CandidatePair) -> Bool) { pairs.removeAll(where: condition) }

    mutating func removeAll() { pairs.removeAll() }

    /// The next ordinary check (section 6.1.4.2): the best waiting pair, else the best frozen one whose foundation
    /// nobody is checking.
    ///
    /// - Parameter overTCP: whether pairs of TCP candidates may be checked already.
    func nextOrdinary(overTCP: Bool = true) -> Int? {
        best { if case .waiting = $0.state { overTCP || $0.local.tcpType == nil } else { false } }
            ?? best { pair in
                guard case .frozen = pair.state, overTCP || pair.local.tcpType == nil else { return false }
                return !pairs.contains { $0.check != nil && $0.sharesFoundation(with: pair) }
            }
    }

    /// The pair of highest priority that meets `condition`.
    func best(where condition: (CandidatePair) -> Bool) -> Int? {
        var found: Int?
        for index in pairs.indices where condition(pairs[index]) {
            if let other = found, pairs[other].priority >= pairs[index].priority { continue }
            found = index
        }
        return found
    }

    /// Lets the pairs of a foundation that has just succeeded wait for their turn (section 7.2.5.3.3).
    mutating func unfreeze(like index: Int) {
        for other in pairs.indices where pairs[other].sharesFoundation(with: pairs[index]) {
            if case .frozen = pairs[other].state { pairs[other].state = .waiting }
        }
    }

    /// Computes the priorities anew after a change of role.
    mutating func reprioritize(role: ICERole) {
        for index in pairs.indices { reprioritize(index, role: role) }
    }

    mutating func reprioritize(_ index: Int, role: ICERole) {
        pairs[index].priority = Checklist.priority(pairs[index].local, pairs[index].remote, role)
    }

    private static func priority(_ local: LocalCandidate, _ remote: RemoteCandidate, _ role: ICERole) -> UInt64 {
        CandidatePriority.pair(local: local.priority, remote: remote.priority, role: role)
    }
}
