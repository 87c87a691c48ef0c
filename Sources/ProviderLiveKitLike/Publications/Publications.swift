import CallBridge
import LiveKitProtocol
import MediaCore

/// What we publish, what we want to, and what the server does not let us. A value.
struct Publications {
    /// What follows from the progress of a track.
    enum Consequence {
        case none
        /// An offer is to tell the server; who waits for it.
        case offer(OfferExchange.Completion?)
        /// A track of the old session is dealt with: the next one follows.
        case renewNext
        /// The new session can't have what the old one had.
        case renewalFailed
    }

    private(set) var published: [Publication] = []
    private var withdrawn = WithdrawnPublications()
    var requests: PublicationRequests
    /// The bridge's ids of what is still to be published again in a new session.
    private var renewals: [String] = []

    /// - Parameter limit: seconds for the server's word on a track.
    init(isEncrypted: Bool, limit: Double) {
        requests = PublicationRequests(isEncrypted: isEncrypted, limit: limit)
    }

    // MARK: The application's wishes

    mutating func publish(
        _ media: LocalTrack, source: Track.Source, for command: CommandID, isUp: Bool, _ turn: inout SignallingTurn
    ) {
        guard !published.contains(where: { $0.media.id == media.id }), !requests.contains(media.id) else {
            return turn.fail(
                command, CallError(.caller, .invalidArgument, "the track \(media.id) is published already"))
        }
        withdrawn.remove(media: media)
        requests.add(PendingPublication(media: media, source: source, origin: .command(command)), isUp: isUp, &turn)
    }

    /// Takes a track back; true where an offer has to tell the server.
    mutating func unpublish(_ trackID: String, _ turn: inout SignallingTurn) throws(CallError) -> Bool {
        guard let index = published.firstIndex(where: { $0.track.id == trackID }) else {
            guard withdrawn.remove(trackID: trackID) else { throw unknown(trackID) }
            return false
        }
        return stopSending(published.remove(at: index), &turn)
    }

    mutating func setMuted(_ muted: Bool, _ trackID: String, _ turn: inout SignallingTurn) throws(CallError) {
        guard let publication = published.first(where: { $0.track.id == trackID }) else {
            guard let media = withdrawn.media(of: trackID) else { throw unknown(trackID) }
            // It is told when the track is published again.
            return turn.perform(.mute(media, muted))
        }
        turn.perform(.mute(publication.media, muted))
        turn.send {
            $0.mute = .with {
                $0.sid = publication.sid; $0.muted = muted
            }
        }
    }

    private func unknown(_ trackID: String) -> CallError {
        CallError(.caller, .invalidArgument, "no track \(trackID) is published by us")
    }

    private func stopSending(_ publication: Publication, _ turn: inout SignallingTurn) -> Bool {
        if publication.isSent { turn.media(.removeTrack(id: publication.media.id)) }
        return publication.isSent
    }

    // MARK: Progress

    /// The server has taken a track: the media connection sends it.
    mutating func accepted(_ cid: String, _ info: Livekit_TrackInfo, _ turn: inout SignallingTurn) -> Consequence {
        guard let request = requests.accepted(cid) else { return .none }
        let media = request.media
        switch request.origin {
        case .command:
            published.append(
                Publication(
                    track: Track(info), media: media, source: request.source, info: info,
                    layers: SimulcastLayer.layers(of: media)))
        case .again(var publication):
            publication.info = info
            publication.isSent = false
            publication.track.isMuted = media.isMuted
            published.append(publication)
            turn.report(.localTrackPublished(publication.track))
        case .renewal(let trackID):
            guard let place = published.firstIndex(where: { $0.track.id == trackID }) else {
                _ = requests.added(cid)
                return .renewNext
            }
            published[place].info = info
        }
        turn.media(.addTrack(media))
        return .none
    }

    /// The media connection sends a track from the next offer on.
    mutating func added(_ cid: String, _ turn: inout SignallingTurn) -> Consequence {
        guard let origin = requests.added(cid)?.origin else { return .none }
        let place = published.firstIndex { $0.media.id == cid }
        if let place { published[place].isSent = true } else { turn.media(.removeTrack(id: cid)) }
        switch origin {
        case .command(let command):
            // Taken back meanwhile: nothing is left to tell the server, and nothing is known of the track here.
            guard let place else {
                turn.fail(command, CallError(.caller, .invalidArgument, "the track \(cid) was taken back meanwhile"))
                return .none
            }
            return .offer(.command(command, .published(published[place].track)))
        case .again: return place == nil ? .none : .offer(nil)
        case .renewal: return place == nil ? .renewNext : .offer(.renewal)
        }
    }

    /// The media connection can't send a track.
    mutating func notAdded(_ cid: String, _ why: String, _ turn: inout SignallingTurn) -> Consequence {
        guard let origin = requests.added(cid)?.origin else { return .none }
        if case .renewal = origin { return .renewalFailed }
        published.removeAll { $0.media.id == cid }
        switch origin {
        case .command(let command):
            turn.fail(command, CallError(.environment, .mediaUnavailable, why))
            return .none
        case .again(let publication):
            turn.log(.warning, "a track is not published again", reason: why)
            turn.report(.localTrackUnpublished(trackID: publication.track.id))
            return .none
        case .renewal: return .none
        }
    }

    /// The server does not take a track.
    mutating func refused(
        _ cid: String, _ why: String, allowed: Livekit_ParticipantPermission?, _ turn: inout SignallingTurn
    ) -> Consequence {
        guard let request = requests.refused(cid) else { return .none }
        let error = CallError(.provider, .providerRefused, "\(why); does the token allow to publish it?")
        switch request.origin {
        case .command(let command):
            turn.fail(command, error)
            return .none
        case .again:
            turn.log(.warning, "a track is not published again", reason: error.message)
            return .none
        case .renewal(let trackID):
            turn.log(.warning, "a track is not published again", reason: error.message)
            if let place = published.firstIndex(where: { $0.track.id == trackID }) {
                withdrawn.add(published.remove(at: place), allowed: allowed)
                turn.report(.localTrackUnpublished(trackID: trackID))
            }
            return .renewNext
        }
    }
}

/// What the server does with our tracks.
extension Publications {
    mutating func serverMuted(_ mute: Livekit_MuteTrackRequest, _ turn: inout SignallingTurn) {
        guard let publication = published.first(where: { $0.sid == mute.sid }) else { return }
        turn.perform(.mute(publication.media, mute.muted))
        turn.send { $0.mute = mute }
        turn.report(.localTrackMuted(mute.muted, trackID: publication.track.id))
    }

    /// The server has ended a track; true where an offer has to tell it that it is gone.
    mutating func withdraw(
        sid: String, allowed: Livekit_ParticipantPermission?, _ turn: inout SignallingTurn
    ) -> Bool {
        guard let index = published.firstIndex(where: { $0.sid == sid }) else { return false }
        let publication = published.remove(at: index)
        withdrawn.add(publication, allowed: allowed)
        turn.report(.localTrackUnpublished(trackID: publication.track.id))
        return stopSending(publication, &turn)
    }

    /// What we may publish has changed, or is known anew.
    mutating func allow(_ permission: Livekit_ParticipantPermission, isUp: Bool, _ turn: inout SignallingTurn) {
        for publication in withdrawn.allow(permission) {
            let cid = publication.media.id
            guard !published.contains(where: { $0.media.id == cid }), !requests.contains(cid) else { continue }
            requests.add(
                PendingPublication(media: publication.media, source: publication.source, origin: .again(publication)),
                isUp: isUp, &turn)
        }
    }

    func firstSubscriber(sid: String, _ turn: inout SignallingTurn) {
        guard let publication = published.first(where: { $0.sid == sid }) else { return }
        turn.report(.localTrackSubscribed(trackID: publication.track.id))
    }

    /// The server tells which layers of a track of ours somebody looks at.
    func applyWantedLayers(_ update: Livekit_SubscribedQualityUpdate, _ turn: inout SignallingTurn) {
        guard let publication = published.first(where: { $0.sid == update.trackSid }), publication.isSent,
            let rids = Dynacast.wanted(update, of: publication.layers, codec: "vp8")
        else { return }
        turn.media(.setActiveLayers(rids, id: publication.media.id))
    }
}

/// After a full reconnect everything is published again, one after another, under the ids that the bridge knows.
extension Publications {
    /// The session that was asked is gone, and with it the media connections.
    mutating func sessionReplaced(_ turn: inout SignallingTurn) {
        renewals = []
        for index in published.indices { published[index].isSent = false }
        for entry in requests.sessionReplaced() {
            // The server had taken it: it is published again like the others.
            guard case .command(let command) = entry.origin else { continue }
            guard let publication = published.first(where: { $0.media.id == entry.media.id }) else {
                turn.fail(
                    command,
                    CallError(.caller, .invalidArgument, "the track \(entry.media.id) was taken back meanwhile"))
                continue
            }
            turn.settle(command, .published(publication.track))
        }
    }

    mutating func beginRenewal() { renewals = published.map(\.track.id) }

    /// Asks for the next track; false where none is left.
    mutating func renewNext(_ turn: inout SignallingTurn) -> Bool {
        while !renewals.isEmpty {
            let id = renewals.removeFirst()
            guard let publication = published.first(where: { $0.track.id == id }) else { continue }
            requests.add(
                PendingPublication(
                    media: publication.media, source: publication.source, origin: .renewal(trackID: id)),
                isUp: true, &turn)
            return true
        }
        return false
    }

    /// What a resumed session's server is told.
    var wire: [Livekit_TrackPublishedResponse] {
        published.map { publication in
            .with {
                $0.cid = publication.media.id
                $0.track = publication.info
            }
        }
    }
}
