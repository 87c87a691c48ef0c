import RTCWire

/// A client of one allocation at a TURN server, RFC 8656. It owns no socket and reads no clock.
///
/// Datagrams for peers are handed in as they stand in an outbox and are framed there, through a channel without a copy
/// and without an allocation. Peers get a permission and a channel by being sent to; what waits for the permission is
/// held back, a few datagrams each.
package struct TURNClient: ~Copyable {
    package enum State: Sendable, Hashable {
        case idle
        case allocating
        case allocated
        /// Final.
        case failed(TURNFailure)
        /// Final.
        case closed
    }

    /// What a datagram from the server was.
    package enum Receipt: Sendable, Hashable {
        /// Nothing for the owner.
        case handled
        /// A peer's datagram; where it stands in the bytes handed in.
        case data(from: TransportAddress, Range<Int>)
        /// `state` is another one.
        case changed
    }

    package internal(set) var state = State.idle
    /// What peers send to.
    package internal(set) var relayed: TransportAddress?
    /// Our address as the server sees it.
    package internal(set) var mapped: TransportAddress?
    package internal(set) var statistics = TURNStatistics()

    /// Where the server is: another one than configured where it has sent us on.
    package internal(set) var server: TransportAddress
    let configuration: TURNConfiguration
    var random: ICERandom
    var credentials: TURNCredentials?
    var transactions: [TURNTransaction] = []
    var permissions: [TURNPermission] = []
    var peers: [TURNPeer] = []
    var lease = TURNLease()
    var staleNonces = 0
    var redirections = 0

    package init(configuration: TURNConfiguration) {
        self.configuration = configuration
        server = configuration.server
        random = ICERandom(seed: configuration.seed)
    }

    /// Asks for an allocation.
    package mutating func start(now: Instant, into outbox: DatagramOutbox) {
        guard state == .idle else { return }
        state = .allocating
        request(.allocate, now, outbox)
    }

    /// Gives the allocation up. Final; a server that does not hear of it notices by itself.
    package mutating func close(now: Instant, into outbox: DatagramOutbox) {
        if state == .allocated { request(.refresh(lifetime: 0), now, outbox) }
        end(.closed)
    }

    mutating func end(_ final: State) {
        state = final
        relayed = nil
        transactions.removeAll()
        permissions.removeAll()
        peers.removeAll()
        lease = TURNLease()
    }

    // MARK: Time

    /// When to call `advance`; nil where nothing is due without a datagram.
    package var nextDeadline: Instant? {
        guard state == .allocating || state == .allocated else { return nil }
        var soonest = min(lease.refreshAt, silenceAsked)
        for transaction in transactions { soonest = min(soonest, transaction.nextAt) }
        for permission in permissions {
            if case .granted(let until) = permission.state { soonest = min(soonest, until) }
        }
        for peer in peers { if case .bound(let until) = peer.channel { soonest = min(soonest, until) } }
        return soonest == .distantFuture ? nil : soonest
    }

    /// Does what is due; true where `state` has become another one.
    package mutating func advance(to now: Instant, into outbox: DatagramOutbox) -> Bool {
        guard state == .allocating || state == .allocated else { return false }
        let before = state
        retransmit(now, outbox)
        guard state == before else { return true }
        if min(lease.refreshAt, silenceAsked) <= now {
            lease.refreshAt = .distantFuture
            request(.refresh(lifetime: lease.seconds), now, outbox)
        }
        renewPeers(now, outbox)
        return false
    }

    /// When a server that has fallen silent is asked whether it still has the allocation: one that was started anew says no
    /// at once. On a stream its end says so.
    private var silenceAsked: Instant {
        let timing = configuration.timing
        guard state == .allocated, !configuration.isReliable, let since = lease.unansweredSince,
            lease.unanswered >= timing.silentDatagrams, !isRenewing
        else { return .distantFuture }
        return since + timing.silence
    }

    private var isRenewing: Bool { transactions.contains { $0.purpose.isRenewal } }

    /// The server says nothing: asked twice while datagrams are sent through it, or four times for an allocation. Other ways
    /// are worth a try.
    package var isSilent: Bool {
        switch state {
        case .allocating: transactions.contains { $0.attempts > 3 }
        case .allocated:
            lease.unansweredSince != nil && transactions.contains { $0.purpose.isRenewal && $0.attempts > 1 }
        case .idle, .failed, .closed: false
        }
    }

    private mutating func retransmit(_ now: Instant, _ outbox: DatagramOutbox) {
        let timing = configuration.timing
        var index = 0
        while index < transactions.count {
            guard transactions[index].nextAt <= now else {
                index += 1
                continue
            }
            let isRenewal = transactions[index].purpose.isRenewal
            let attempts = configuration.isReliable ? 1 : isRenewal ? timing.renewalAttempts : timing.attempts
            guard transactions[index].attempts < attempts else {
                gaveUp(transactions.remove(at: index).purpose)
                guard state == .allocating || state == .allocated else { return }
                continue
            }
            let isLast = transactions[index].attempts + 1 == attempts
            if isRenewal {
                transactions[index].retransmitted(now: now, longest: timing.longestRenewalWait)
            } else {
                transactions[index].retransmitted(now: now, isLast: isLast, lastWait: timing.lastWait)
            }
            statistics.retransmissions += 1
            write(transactions[index], outbox)
            index += 1
        }
    }

    /// A request stayed unanswered.
    private mutating func gaveUp(_ purpose: TURNTransaction.Purpose) {
        switch purpose {
        case .allocate: end(.failed(.noAnswer))
        case .refresh: end(.failed(.lost))
        case .permit(let address): refuse(address)
        case .bind(let index): peers[index].channel = .refused
        }
    }

    /// An address may not send to us, or we may not send to it.
    mutating func refuse(_ address: TransportAddress) {
        for index in permissions.indices where permissions[index].address == address {
            permissions[index].state = .refused
        }
        for index in peers.indices where peers[index].address.withoutPort == address {
            statistics.dropped &+= UInt64(peers[index].held.count)
            peers[index].held.removeAll()
        }
    }

    private mutating func renewPeers(_ now: Instant, _ outbox: DatagramOutbox) {
        // Who is no longer sent to may run out, and begins anew when somebody does send again.
        permissions.removeAll { permission in
            guard case .granted(let until) = permission.state, until <= now else { return false }
            return !peers.contains { $0.isUsed && $0.address.withoutPort == permission.address }
        }
        for index in permissions.indices {
            guard case .granted(let until) = permissions[index].state, until <= now else { continue }
            permissions[index].state = .granted(until: .distantFuture)
            request(.permit(permissions[index].address), now, outbox)
        }
        for index in peers.indices {
            guard case .bound(let until) = peers[index].channel, until <= now else { continue }
            // The number stays the peer's own: until the answer it carries on.
            peers[index].channel = peers[index].isUsed ? .bound(until: .distantFuture) : .none
            if peers[index].isUsed { request(.bind(index), now, outbox) }
            peers[index].isUsed = false
        }
    }
}

extension TURNClient {
    /// The stream to the server has ended, and the allocation with it (RFC 8656 section 3.1). True where `state` changed.
    package mutating func streamEnded() -> Bool {
        guard state == .allocating || state == .allocated else { return false }
        end(.failed(state == .allocated ? .lost : .noAnswer))
        return true
    }
}
