import RTCWire

// What an authenticated request brings about, RFC 8445 section 7.3.

extension ICEAgent {
    /// - Parameter ufrag: the sender's, while the remote credentials that would name it are unknown.
    mutating func handle(
        _ request: STUNMessage, from source: TransportAddress, at local: LocalCandidate, _ credentials: ICEGeneration,
        ufrag: String?, into outbox: DatagramOutbox
    ) {
        if request.unknownRequiredCount > 0 {
            return sendError(
                420, "Unknown Attribute", request, to: source, path: local.path, credentials, into: outbox)
        }
        guard let priority = request.priority else {
            return sendError(400, "Bad Request", request, to: source, path: local.path, credentials, into: outbox)
        }
        if resolveRoleConflict(request) == .refuse {
            return sendError(487, "Role Conflict", request, to: source, path: local.path, credentials, into: outbox)
        }
        sendSuccess(request, to: source, path: local.path, credentials, into: outbox)
        guard credentials.number == generation.number else { return }
        guard let remote = learnRemote(source, priority: priority, ufrag: ufrag), let index = pair(local, remote) else {
            return
        }
        noteRequest(index, nominates: request.useCandidate)
    }

    private enum RoleConflictResolution {
        case proceed
        case refuse
    }

    /// Both sides claim one role: the larger tie-breaker controls (section 7.3.1.1).
    private mutating func resolveRoleConflict(_ request: STUNMessage) -> RoleConflictResolution {
        let theirs = role == .controlling ? request.iceControlling : request.iceControlled
        guard let theirs else { return .proceed }
        statistics.roleConflicts += 1
        let weControl = remoteIsLite || tieBreaker >= theirs
        guard weControl != (role == .controlling) else { return .refuse }
        setRole(role.opposite)
        return .proceed
    }

    /// The pair works in one direction at least: it is checked at once in the other (section 7.3.1.4).
    private mutating func noteRequest(_ index: Int, nominates: Bool) {
        let pacing = timing.pacing
        let isFirst = checklist[index].requestedAt == nil
        checklist[index].requestedAt = now
        switch checklist[index].state {
        case .frozen, .waiting, .failed: checklist[index].isTriggered = true
        case .inProgress: checklist[index].updateCheck { $0.hasten(least: pacing) }
        case .succeeded: break
        }
        // A peer that turns up elsewhere may have left the selected address.
        if isFirst, hasChosen, let selection, selection.pair != checklist[index].id {
            let patience = max(timing.movedAfter, selection.roundTripTime * 2)
            self.selection?.consent.turnedUpElsewhere(now: now, patience: patience)
        }
        guard role == .controlled else { return }
        if nominates { nominatedByPeer(index) } else { askedOverNominated(index) }
    }
}
