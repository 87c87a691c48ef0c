import RTCWire

/// A local and a remote candidate and the state of the checks between them, RFC 8445 section 6.1.2.
///
/// A socket and a remote address make a pair: of several local candidates on one socket only one stands here, the
/// others would be redundant (section 6.1.2.4).
struct CandidatePair {
    enum State {
        /// Waits until another pair of its foundation has succeeded.
        case frozen
        /// Waits for its turn.
        case waiting
        case inProgress(ConnectivityCheck)
        case succeeded(ValidPair)
        case failed
    }

    /// Stays the same while pairs around it come and go.
    let id: UInt32
    let local: LocalCandidate
    var remote: RemoteCandidate
    var priority: UInt64
    var state: State
    /// A check is due at once, ahead of the pacing (section 6.1.4.1).
    var isTriggered = false
    /// USE-CANDIDATE came before the pair was valid.
    var awaitsNomination = false
    /// When the controlling side last sent USE-CANDIDATE over it.
    var nominatedAt: Instant?
    /// When the last authenticated request came over it.
    var requestedAt: Instant?

    var isValid: Bool {
        if case .succeeded = state { true } else { false }
    }

    /// Whether a check is still to come or under way.
    var isOpen: Bool {
        switch state {
        case .frozen, .waiting, .inProgress: true
        case .succeeded, .failed: false
        }
    }

    var validity: ValidPair? {
        if case .succeeded(let validity) = state { validity } else { nil }
    }

    /// The check that an answer is awaited for.
    var check: ConnectivityCheck? {
        switch state {
        case .inProgress(let check): check
        case .succeeded(let validity): validity.nomination
        case .frozen, .waiting, .failed: nil
        }
    }

    func sharesFoundation(with other: CandidatePair) -> Bool {
        local.foundation == other.local.foundation && remote.foundation == other.remote.foundation
    }

    /// Changes the check under way in place.
    mutating func updateCheck(_ change: (inout ConnectivityCheck) -> Void) {
        switch state {
        case .inProgress(var check):
            change(&check)
            state = .inProgress(check)
        case .succeeded(var validity):
            guard var check = validity.nomination else { return }
            change(&check)
            validity.nomination = check
            state = .succeeded(validity)
        case .frozen, .waiting, .failed: break
        }
    }

    /// Ends the check under way without a verdict: a valid pair stays valid, another one waits again.
    mutating func cancelCheck() {
        switch state {
        case .inProgress: state = .waiting
        case .succeeded(var validity):
            validity.nomination = nil
            state = .succeeded(validity)
        case .frozen, .waiting, .failed: break
        }
    }
}

/// What an answered check has shown.
struct ValidPair {
    /// Our address as the other side saw it (XOR-MAPPED-ADDRESS).
    var mapped: TransportAddress
    var roundTripTime: Interval
    var validatedAt: Instant
    /// The check with USE-CANDIDATE that the controlling side has under way.
    var nomination: ConnectivityCheck?
}
