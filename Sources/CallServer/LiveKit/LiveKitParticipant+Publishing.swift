import LiveKitProtocol
import RTCCore
import RTCWire
import RoomModel
import SFUCore

extension LiveKitParticipant {
    /// Finds the announced track of each line that the client newly sends on, and says what its codec is to be like.
    func matchTracks() -> [(line: Int, track: LiveKitTrack)] {
        var matches: [(line: Int, track: LiveKitTrack)] = []
        for line in publisher.negotiator.lines where line.isNewSender(for: publisher.ingress) {
            let taken = Set(matches.map(\.track.sid))
            let free = liveKit.dialect.tracks.announced(by: id).filter {
                !taken.contains($0.sid) && $0.kind == line.streamKind
            }
            let named = free.first { $0.cid == line.remote?.msid?.trackID }
            guard let track = named ?? free.first else { continue }
            publisher.negotiator.setCodecs(line.index, track.codecNames(offered: line.remote?.codecs ?? []))
            if !track.parameters.isEmpty {
                publisher.negotiator.setParameters(
                    line.index, codec: "opus", SDPFormatParameters(parsing: track.parameters))
            }
            matches.append((line.index, track))
        }
        return matches
    }

    /// Makes the matched tracks real: from now on packets of these lines are forwarded.
    func publish(_ matches: [(line: Int, track: LiveKitTrack)], now: Instant) {
        for (index, track) in matches {
            let line = publisher.negotiator.lines[index]
            guard let format = TrackFormat(of: line), line.direction.receives else {
                logger.notice("track cannot be received", metadata: ["track": "\(track.sid)"])
                continue
            }
            var track = track
            track.bind(to: line, format: format)
            track.info.version = .with { $0.unixMicro = WallClock.microseconds }
            liveKit.dialect.tracks.publish(track)
            logger.info("track published", metadata: ["track": "\(track.sid)", "codec": "\(track.info.mimeType)"])
            let published = track.published(codec: format.name)
            room.feed(published, from: publisher, line: index, format, now: now)
            room.perform(.publish(published, by: id), now: now)
        }
    }

    /// Takes up what a later description says of lines that are bound already: clients may offer a line with every codec
    /// first and name the one they use afterwards.
    func rebindChanged(now: Instant) {
        for (index, old) in publisher.ingress.bound {
            let line = publisher.negotiator.lines[index]
            guard let sid = room.track(fedBy: old), var track = liveKit.dialect.tracks[sid],
                let format = TrackFormat(of: line), line.direction.receives, let known = room.feeds[sid]?.format,
                !format.isSame(as: known)
            else { continue }
            track.bind(to: line, format: format)
            liveKit.dialect.tracks.publish(track)
            logger.info("track goes on in another format", metadata: ["track": "\(sid)", "codec": "\(format.name)"])
            var published = track.published(codec: format.name)
            published.isMuted = room.machine.track(sid)?.isMuted ?? published.isMuted
            room.feed(published, from: publisher, line: index, format, now: now)
            room.perform(.renew(published), now: now)
        }
    }

    /// Ends the tracks whose lines the client no longer sends on.
    func unpublishEnded(now: Instant) {
        for track in room.endedTracks(on: publisher) {
            logger.info("track unpublished", metadata: ["track": "\(track)"])
            room.perform(.unpublish(track, .ended), now: now)
        }
    }
}

extension MediaLine {
    /// The client sends here, and nothing is fed by it yet.
    fileprivate func isNewSender(for ingress: Ingress) -> Bool {
        isRTP && state == .active && remote?.direction.sends == true && ingress[line: index] == nil
    }
}
