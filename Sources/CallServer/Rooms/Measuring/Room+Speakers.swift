import RTCWire
import RoomModel

extension Room {
    /// Every 400 ms: how loud everybody is.
    func updateSpeakers(now: Instant) {
        var levels: [TrackLevel] = []
        for participant in machine.roster.participants {
            for track in participant.tracks where track.kind == .audio {
                guard let feed = feeds[track.id] else { continue }
                let level = media.loudness(of: feed.producer, now: now)
                levels.append(TrackLevel(publisher: participant.id, level: level))
            }
        }
        perform(.hear(levels), now: now)
    }
}
