import MediaCore

/// Writes a call's journal from the events of a `Call`: the call as this client sees it.
///
/// A client sees of the others that they are there, not how their media connects: somebody is connected for it when the
/// provider announces them. What happened before it came it can't know: the call begins with its own joining.
public struct CallFollower: Sendable {
    private let scribe: CallScribe
    private let identity: String
    private let followsOthers: Bool

    /// - Parameters:
    ///   - identity: who we are.
    ///   - followsOthers: false where each of the others writes into the same journal.
    public init(_ scribe: CallScribe, identity: String, followsOthers: Bool = true) {
        self.scribe = scribe
        self.identity = identity
        self.followsOthers = followsOthers
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
        scribe.write {
            $0.initiate(at: $1, into: &$2)
            $0.join(identity, at: $1, into: &$2)
        }
    }

    /// Takes note of an event.
    public func note(_ event: CallEvent) {
        switch event {
        case .mediaConnected: scribe.write { $0.connect(identity, at: $1, into: &$2) }
        case .stateChanged(.reconnecting): note(.reconnecting)
        case .reconnected(let gap, _): note(.reconnected, gap: Int64(gap.rounded()))
        case .providerChanged(let change): note(.providerChanged, detail: change.reason)
        case .participantJoined(let participant) where followsOthers: joined(participant.identity)
        case .participantLeft(let participant, let reason) where followsOthers:
            scribe.write { $0.leave(participant.identity, reason, at: $1, into: &$2) }
        case .trackPublished(_, let participant), .trackUnpublished(_, let participant),
            .trackMuted(_, let participant), .trackUnmuted(_, let participant):
            if followsOthers { publish(participant.publishedMedia, by: participant.identity) }
        case .ended(let reason, _) where followsOthers:
            scribe.write {
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

    /// We leave a call that goes on.
    public func leave(_ reason: ParticipantLeftReason = .hangUp) {
        scribe.write { $0.leave(identity, reason, at: $1, into: &$2) }
    }

    /// The call is over for everybody.
    public func end(_ reason: CallEndReason) { scribe.write { $0.end(reason, at: $1, into: &$2) } }

    private func joined(_ person: String) {
        scribe.write {
            $0.join(person, at: $1, into: &$2)
            $0.connect(person, at: $1, into: &$2)
        }
    }

    private func publish(_ media: PublishedMedia, by person: String) {
        scribe.write { $0.publish(media, by: person, at: $1, into: &$2) }
    }

    private func note(_ type: JournalEventType, gap: Int64? = nil, detail: String? = nil) {
        scribe.write { $0.note(type, person: identity, gapMilliseconds: gap, detail: detail, at: $1, into: &$2) }
    }
}
