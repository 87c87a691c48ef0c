import MediaCore

/// Writes a call's journal from the events of a `Call`: the call as this client sees it.
///
/// A client sees of the others that they are there, not how their media connects: somebody is connected for it when the
/// provider announces them. What happened before it came it can't know: the call begins with its own joining.
public struct CallFollower: Sendable {
    /// Where a call's record is kept.
    private enum Target: Sendable {
        case scribe(CallScribe)
        case exchange(RingHub, callId: String)
    }

    private let target: Target
    private let identity: String
    private let followsOthers: Bool

    /// - Parameters:
    ///   - identity: who we are.
    ///   - followsOthers: false where each of the others writes into the same journal.
    public init(_ scribe: CallScribe, identity: String, followsOthers: Bool = true) {
        target = .scribe(scribe)
        self.identity = identity
        self.followsOthers = followsOthers
    }

    /// A follower of a call that was rung. The exchange knows who comes and goes; it is told what we publish, how our
    /// media is lost and returns, and of a change of provider.
    public init(_ hub: RingHub, callId: String, identity: String) {
        target = .exchange(hub, callId: callId)
        self.identity = identity
        followsOthers = false
    }

    /// The record of the call that a descriptor names, placed by `identity`.
    public static func record(_ descriptor: CallDescriptor, initiator identity: String) -> CallRecord {
        CallRecord(
            id: descriptor.callId, conversationId: descriptor.conversationId,
            serviceProviderCallId: descriptor.serviceProviderCallId,
            serviceProviderType: descriptor.provider.rawValue, initiatorPersonId: identity,
            callType: descriptor.mediaKind == .audio || descriptor.mediaKind == .none ? .audio : .video)
    }

    /// We are in: the call is placed, if nobody has, and we join it.
    public func begin() {
        write {
            $0.initiate(at: $1, into: &$2)
            $0.join(identity, at: $1, into: &$2)
        }
    }

    /// Takes note of an event.
    public func note(_ event: CallEvent) {
        switch event {
        case .mediaConnected: write { $0.connect(identity, at: $1, into: &$2) }
        case .stateChanged(.reconnecting): note(.reconnecting)
        case .reconnected(let gap, _): note(.reconnected, gap: Int64(gap.rounded()))
        case .providerChanged(let change): note(.providerChanged, detail: change.reason)
        case .participantJoined(let participant) where followsOthers: joined(participant.identity)
        case .participantLeft(let participant, let reason) where followsOthers:
            write { $0.leave(participant.identity, reason, at: $1, into: &$2) }
        case .trackPublished(_, let participant), .trackUnpublished(_, let participant),
            .trackMuted(_, let participant), .trackUnmuted(_, let participant):
            if followsOthers { publish(participant.publishedMedia, by: participant.identity) }
        case .ended(let reason, _) where followsOthers:
            write {
                // We left in order: the others have not, but this is the end of what we see.
                $0.leave(identity, reason == .systemShutdown ? .systemAbort : .hangUp, at: $1, into: &$2)
                $0.end(reason, at: $1, into: &$2)
            }
        case .ended: leave()
        default: break
        }
    }

    /// We publish this now.
    public func publish(_ media: PublishedMedia) { publish(media, by: identity) }

    /// We are out of a call that goes on; to be said before `ended` is noted.
    public func exclude(_ why: CallExclusion) { leave(why == .removed ? .removed : .unknown) }

    /// We leave a call that goes on.
    public func leave(_ reason: ParticipantLeftReason = .hangUp) {
        write { $0.leave(identity, reason, at: $1, into: &$2) }
    }

    /// The call is over for everybody.
    public func end(_ reason: CallEndReason) { write { $0.end(reason, at: $1, into: &$2) } }

    private func joined(_ person: String) {
        write {
            $0.join(person, at: $1, into: &$2)
            $0.connect(person, at: $1, into: &$2)
        }
    }

    private func publish(_ media: PublishedMedia, by person: String) {
        amend { $0.publish(media, by: person, at: $1, into: &$2) }
    }

    private func note(_ type: JournalEventType, gap: Int64? = nil, detail: String? = nil) {
        amend { $0.note(type, person: identity, gapMilliseconds: gap, detail: detail, at: $1, into: &$2) }
    }

    private typealias Change = (inout CallLedger, CallTime, inout [JournalEvent]) -> Void

    /// Who comes and goes: the exchange knows it of itself.
    private func write(_ change: Change) {
        if case .scribe(let scribe) = target { scribe.write(change) }
    }

    /// What happens to the media of those who are there.
    private func amend(_ change: Change) {
        switch target {
        case .scribe(let scribe): scribe.write(change)
        case .exchange(let hub, let id):
            hub.event(id) { exchange, now, actions in
                exchange.journal(into: &actions) { change(&$0, now, &$1) }
            }
        }
    }
}
