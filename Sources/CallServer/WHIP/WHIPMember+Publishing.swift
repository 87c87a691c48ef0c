import LiveKitProtocol
import RTCCore
import RTCWire
import RoomModel
import SFUCore

extension WHIPMember {
    /// Makes tracks of the lines that the client sends on, as far as the token lets it.
    func publish(_ now: Instant) {
        guard let permissions = room.machine.participant(id)?.permissions else { return }
        var taken: Set<TrackSource> = []
        for line in connection.negotiator.lines {
            guard line.isRTP, line.state == .active, line.direction.receives, let kind = line.streamKind,
                let format = TrackFormat(of: line), let source = permissions.source(of: kind, besides: taken)
            else { continue }
            taken.insert(source)
            let track = PublishedTrack(
                id: SessionID.track(type: kind == .video ? .video : .audio, source: source.wire), kind: kind,
                source: source, name: "", isMuted: false, media: TrackMedia(codec: format.name, group: "whip"))
            room.feed(track, from: connection, line: line.index, format, now: now)
            room.perform(.publish(track, by: id), now: now)
        }
    }
}

extension Permissions {
    /// What a line without a name is taken for: the first of its kind is a camera or microphone, the next one a screen.
    func source(of kind: StreamKind, besides taken: Set<TrackSource>) -> TrackSource? {
        let candidates: [TrackSource] =
            kind == .video ? [.camera, .screenShare] : [.microphone, .screenShareAudio]
        return candidates.first { mayPublish($0) && !taken.contains($0) }
            ?? (mayPublish(.unknown) ? .unknown : nil)
    }
}

extension MediaConnection {
    /// Holds every line of an open offer to one codec: the client sends what stands first, and nobody could tell us if it
    /// went over to another one.
    func chooseCodecs() {
        for line in negotiator.lines where line.isRTP && line.state == .active {
            if line.kind == .audio {
                negotiator.setCodecs(line.index, ["opus", "pcmu", "pcma", "telephone-event"])
            } else if let first = line.codecs.first {
                negotiator.setCodecs(line.index, [first.name])
            }
        }
    }
}
