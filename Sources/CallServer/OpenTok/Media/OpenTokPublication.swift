import LiveKitProtocol
import NIOCore
import OpenTokSignalling
import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// The connection that a published stream comes on; its media are tracks of the room.
// Lives on its room's event loop.
final class OpenTokPublication: @unchecked Sendable {
    let stream: String
    let connection: MediaConnection
    private(set) weak var member: OpenTokMember?
    private unowned let openTok: OpenTokRoom
    private var toldCandidates = ""
    /// Ends the stream, while its media is lost.
    private var end: Scheduled<Void>?

    /// Nil where the loop's port has as many peers as it takes.
    init?(_ stream: String, of member: OpenTokMember, in openTok: OpenTokRoom) {
        let room = openTok.room
        guard
            let connection = MediaConnection(
                role: .answering, loop: room.loop, media: room.media, cname: member.id, logger: room.logger)
        else { return nil }
        self.stream = stream
        self.member = member
        self.openTok = openTok
        self.connection = connection
        connection.owner = self
    }

    private var room: Room { openTok.room }

    func close() {
        end?.cancel()
        connection.close()
    }

    // MARK: Descriptions

    /// False for a step that is none of a publisher's.
    func take(_ step: RaptorNegotiation, now: Instant) throws(NegotiationFailure) -> Bool {
        switch step {
        case .offer(let sdp): try takeOffer(sdp, now)
        // The client is found by what it sends: see `MediaConnection`.
        case .candidate: break
        case .generateOffer, .answer, .provisionalAnswer: return false
        }
        return true
    }

    private func takeOffer(_ sdp: String, _ now: Instant) throws(NegotiationFailure) {
        try connection.takeOffer(sdp)
        for line in newLines where line.kind == .audio {
            connection.negotiator.setCodecs(line.index, ["opus", "pcmu", "pcma", "telephone-event"])
        }
        let answer = try connection.createAnswer(now: now)
        let peer = RaptorPeer.stream(stream)
        openTok.say(.answer(sdp: answer), to: peer)
        connection.tellCandidates(&toldCandidates) { openTok.say(.candidate($0), to: peer) }
        for track in room.endedTracks(on: connection) { room.perform(.unpublish(track, .ended), now: now) }
        renewChanged(now)
        for line in newLines { begin(line, now) }
    }

    /// Lines that the client sends on and that feed nothing yet: one of each kind.
    private var newLines: [MediaLine] {
        let fed = [StreamKind.audio, .video].filter { openTok.dialect.track(.init(stream: stream, kind: $0)) != nil }
        var kinds = Set(fed)
        return connection.negotiator.lines.filter {
            guard $0.isRTP, $0.state == .active, $0.remote?.direction.sends == true,
                connection.ingress[line: $0.index] == nil, let kind = $0.streamKind
            else { return false }
            return kinds.insert(kind).inserted
        }
    }

    private func begin(_ line: MediaLine, _ now: Instant) {
        guard let member, let (track, format) = track(of: line) else { return }
        room.feed(track, from: connection, line: line.index, format, now: now)
        room.perform(.publish(track, by: member.id), now: now)
    }

    /// What a later offer sends in another format begins anew.
    private func renewChanged(_ now: Instant) {
        for (index, producer) in connection.ingress.bound {
            guard let id = room.track(fedBy: producer), let known = room.feeds[id]?.format,
                let (track, format) = track(of: connection.negotiator.lines[index]), !format.isSame(as: known)
            else { continue }
            room.feed(track, from: connection, line: index, format, now: now)
            room.perform(.renew(track), now: now)
        }
    }

    /// The track that a line feeds; nil for one that can't be received.
    private func track(of line: MediaLine) -> (PublishedTrack, TrackFormat)? {
        guard let format = TrackFormat(of: line), line.direction.receives, let kind = line.streamKind else {
            return nil
        }
        let sources = line.remote?.groups.first { $0.semantics == "SIM" }?.ssrcs.count ?? 1
        // Layers within one stream are not said here.
        let isScalable = ["VP9", "AV1"].contains(format.codec.name.uppercased())
        let layers = sources > 1 ? sources : isScalable ? 0 : 1
        let track = openTok.change { dialect in
            dialect.publish(.init(stream: stream, kind: kind), codec: format.name, layerCount: layers) {
                SessionID.track(type: kind == .video ? .video : .audio, source: $0.wire)
            }
        }
        return track.map { ($0, format) }
    }
}

extension OpenTokPublication: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant) {
        switch state {
        case .failed, .closed:
            guard end == nil else { return }
            end = openTok.eventLoop.scheduleTask(in: .seconds(Self.patience)) { [weak self] in self?.giveUp() }
        case .connected:
            end?.cancel()
            end = nil
        default: break
        }
    }

    private func giveUp() {
        room.timed("opentok stream") { _, now in
            openTok.change(now) {
                $0.endStream(stream, .networkDisconnected, at: WallClock.milliseconds, into: &$1)
            }
        }
    }

    /// How long a publisher whose media has failed has to bring it back, by another offer: seconds.
    private static let patience: Int64 = 30

    func connectionFreedLine(_ connection: MediaConnection) {}
}

extension MediaConnection {
    /// Says our candidates, once for each ICE generation.
    ///
    /// - Parameter told: the generation that was told last.
    func tellCandidates(_ told: inout String, _ tell: (RaptorCandidate) -> Void) {
        let ufrag = flow.peer.localCredentials.ufrag
        guard told != ufrag, let line = negotiator.lines.first(where: { !$0.isStopped }) else { return }
        told = ufrag
        for candidate in candidates {
            tell(RaptorCandidate(candidate: candidate.encoded, sdpMid: line.mid, sdpMLineIndex: line.index))
        }
    }
}
