import LiveKitProtocol
import RTCWire
import RoomModel
import SFUCore

extension LiveKitRoom {
    /// Every 400 ms: what has changed about who speaks, to those who hear it.
    func updateSpeakers(now: Instant) {
        let levels = tracks.values.compactMap { track in
            track.kind == .audio ? track.producer.map { (track.publisher, media.loudness(of: $0, now: now)) } : nil
        }
        let changes = detector.update(levels)
        guard !changes.isEmpty else { return }
        let listeners = Dictionary(
            uniqueKeysWithValues: changes.map { ($0.participant, model.subscribers(of: $0.participant)) })
        for participant in participants.values {
            let heard = changes.filter {
                $0.participant == participant.sid || listeners[$0.participant]?.contains(participant.sid) == true
            }
            tell(heard, to: participant)
        }
    }

    /// A new subscriber learns the present level; later messages are differences.
    func tellLevel(of publisher: String, to participant: LiveKitParticipant) {
        let level = detector.level(of: publisher)
        if level > 0 { tell([.init(participant: publisher, level: level)], to: participant) }
    }

    func tellSilence(of publisher: String, to participant: LiveKitParticipant) {
        guard detector.level(of: publisher) > 0, !model.subscribers(of: publisher).contains(participant.sid) else {
            return
        }
        tell([.init(participant: publisher, level: 0)], to: participant)
    }

    private func tell(_ speakers: [SpeakerDetector.Speaker], to participant: LiveKitParticipant) {
        guard !speakers.isEmpty else { return }
        participant.send(
            .with {
                $0.speakersChanged = .with {
                    $0.speakers = speakers.map { speaker in
                        .with {
                            $0.sid = speaker.participant
                            $0.level = speaker.level
                            $0.active = speaker.isActive
                        }
                    }
                }
            })
    }
}
