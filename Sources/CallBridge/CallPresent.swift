import MediaCore

/// What a call is at one moment: what a reader who comes then must be told first.
struct CallPresent: Sendable {
    var state = CallState.connecting
    /// The providers that were given up before this one.
    let providerChanges: [ProviderChange]
    var roster: Roster
    var activeSpeaker: Participant?
    /// Why the call ended.
    var ending: (reason: CallEndReason, detail: String)?

    var hasEnded: Bool { ending != nil }

    /// The present as events. The changes of provider come first, as they came before every state of the call.
    var events: [CallEvent] {
        let beginning = providerChanges.map(CallEvent.providerChanged) + [.stateChanged(state)]
        if let ending { return beginning + [.ended(ending.reason, detail: ending.detail)] }
        let people = roster.all.filter { !$0.isLocal }.flatMap(events)
        return beginning + people + (activeSpeaker.map { [.activeSpeakerChanged($0)] } ?? [])
    }

    private func events(of participant: Participant) -> [CallEvent] {
        [.participantJoined(participant)]
            + participant.tracks.flatMap { track in
                [.trackPublished(track, participant)]
                    + (roster.media[track.id].map { [.trackSubscribed($0, track, participant)] } ?? [])
            }
    }
}
