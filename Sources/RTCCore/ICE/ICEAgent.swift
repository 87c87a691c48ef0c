import RTCWire

/// A full ICE agent, RFC 8445 with trickle (RFC 8838) and consent (RFC 7675), for one component that carries everything
/// (BUNDLE and rtcp-mux). It owns no socket and reads no clock.
///
/// Candidates and credentials may come in any order. Calls that are given no outbox note their work, and `nextDeadline`
/// then asks for `advance` at once. Nothing is answered and no address is believed before MESSAGE-INTEGRITY holds.
package struct ICEAgent: ~Copyable {
    package let tieBreaker: UInt64
    package internal(set) var role: ICERole
    package internal(set) var state: ICEState = .new
    /// When to call `advance`, nil while nothing can happen without a datagram or another call.
    package internal(set) var nextDeadline: ICEDeadline?
    package internal(set) var statistics = ICEStatistics()
    /// The candidates to signal and to check from.
    package internal(set) var localCandidates: [LocalCandidate] = []
    /// What the other side has signalled or shown for the present generation.
    package internal(set) var remoteCandidates: [RemoteCandidate] = []
    /// The other side is ICE-lite: it answers and never asks.
    package internal(set) var remoteIsLite = false

    let timing: ICETiming
    let limits: ICELimits
    var random: ICERandom
    /// What checks are made for.
    var generation: ICEGeneration
    /// The generation of the selected pair, while a restart looks for another one.
    var retained: ICEGeneration?
    var checklist = Checklist()
    var selection: ICESelection?
    /// Signalled for credentials that have not come yet.
    var deferredCandidates: [ICECandidate] = []
    var remoteCandidatesEnded = false
    /// Earliest moment of the next ordinary check (Ta).
    var nextOrdinaryCheckAt = Instant.zero
    /// The controlling side nominates the best valid pair then, at the latest.
    var settlesAt: Instant?
    /// The selected pair is suspect, and the others are being checked again.
    var isSeekingAlternative = false
    /// When media came from the other side last.
    var lastMedia: Instant?
    /// The present generation had a pair and has lost its consent.
    var isExhausted = false
    /// The latest time that the agent has been told.
    var now = Instant.zero
    var changes: ICEChanges = []
    private let lent = AddressOnly()

    package init(configuration: ICEConfiguration) {
        var random = ICERandom(seed: configuration.seed)
        tieBreaker = configuration.tieBreaker ?? random.next()
        role = configuration.role
        timing = configuration.timing
        limits = configuration.limits
        generation = ICEGeneration(
            number: 1, local: configuration.credentials ?? ICECredentials(using: &random))
        self.random = random
    }

    /// Our credentials of the present generation.
    package var localCredentials: ICECredentials { generation.local }
    /// The other side's credentials of the present generation.
    package var remoteCredentials: ICECredentials? { generation.remote }

    /// Where data is to be sent; stays through a restart until another pair is chosen, nil once consent is lost.
    package var selectedPair: ICESelectedPair? {
        guard let selection else { return nil }
        // An active candidate has another port for each connection.
        let isStream = selection.mapped.transport == .tcp
        let known = localCandidates.first {
            $0.base == selection.local.base
                && ($0.address == selection.mapped || isStream && $0.address.sharesHost(with: selection.mapped))
        }
        return ICESelectedPair(
            local: selection.mapped, base: selection.local.base, remote: selection.remote.address,
            localType: selection.local.type == .relay ? .relay : known?.type ?? .peerReflexive,
            path: selection.local.path, remoteType: selection.remote.type,
            roundTripTime: selection.roundTripTime)
    }

    /// Of `selectedPair`, which takes a search.
    var selectedRoundTripTime: Interval? { selection?.roundTripTime }

    /// Whether checks wait in a queue on the way that data takes.
    var isSelectionQueued: Bool { selection.map { $0.leastRoundTrip.isQueued($0.roundTripTime) } ?? false }

    /// Whether an authenticated check has come from `remote` to `base`, or gone there and back: whether other
    /// datagrams from there may be listened to.
    package func trusts(_ remote: TransportAddress, base: TransportAddress) -> Bool {
        if let selection, selection.remote.address == remote, selection.local.base == base { return true }
        guard let index = checklist.index(base: base, remote: remote) else { return false }
        return checklist[index].isValid || checklist[index].requestedAt != nil
    }

    /// The same for an address that may be reached from any of our sockets.
    package func trusts(_ remote: TransportAddress) -> Bool {
        if let selection, selection.remote.address == remote { return true }
        return checklist.pairs.contains { $0.remote.address == remote && ($0.isValid || $0.requestedAt != nil) }
    }

    /// Whether a check of that transaction is under way.
    package func awaitsResponse(to transaction: STUNTransactionID) -> Bool {
        checklist.index(transaction: transaction) != nil
    }

    /// The round-trip time of the selected pair's latest answered check.
    package var roundTripTime: Interval? { selection?.roundTripTime }

    /// Does what is due at `now` and gives what has changed.
    package mutating func advance(to now: Instant, into outbox: DatagramOutbox) -> ICEChanges {
        begin(now)
        if isActive {
            expire()
            sendTriggeredChecks(into: outbox)
            retransmitChecks(into: outbox)
            sendOrdinaryCheck(into: outbox)
            sendConsentCheck(into: outbox)
            followMovedPeer()
            chooseNomination(into: outbox)
        }
        return finish()
    }

    /// Ends the agent: nothing is sent or taken any more.
    package mutating func close() {
        state = .closed
        changes.insert(.state)
        checklist.removeAll()
        if selection != nil { changes.insert(.selection) }
        selection = nil
        retained = nil
        deferredCandidates.removeAll()
        nextDeadline = nil
    }
}

// MARK: The frame of every call

extension ICEAgent {
    var isActive: Bool { state != .failed && state != .closed }

    /// Whether the present generation has chosen its pair.
    var hasChosen: Bool { selection?.generation == generation.number }

    mutating func begin(_ now: Instant) { self.now = max(now, self.now) }

    /// Brings state and deadline up to date; what has changed is told by the next call that can.
    mutating func update() {
        updateState()
        updateDeadline()
    }

    /// Brings state and deadline up to date and hands over what has changed.
    mutating func finish() -> ICEChanges {
        updateState()
        let result = changes
        changes = []
        updateDeadline()
        return result
    }

    func credentials(of number: UInt32) -> ICEGeneration? {
        if generation.number == number { return generation }
        return retained?.number == number ? retained : nil
    }
}
