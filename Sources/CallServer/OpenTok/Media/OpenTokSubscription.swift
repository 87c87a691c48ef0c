import OpenTokSignalling
import RTCCore
import RTCWire
import RoomModel

/// One subscriber of a stream: the connection that carries it, and what is wanted of it.
// Lives on its room's event loop.
final class OpenTokSubscription {
    let id: String
    let stream: String
    let connection: MediaConnection
    private(set) weak var member: OpenTokMember?
    private unowned let openTok: OpenTokRoom
    private var wishes: [StreamKind: RaptorSubscriberPreferences] = [:]
    /// As it was set last, by track.
    private var applied: [String: VideoWish] = [:]
    /// Something has changed that the next offer is to say.
    private var needsOffer = false
    private var toldCandidates = ""

    /// Nil where the loop's port has as many peers as it takes.
    init?(_ id: String, to stream: String, of member: OpenTokMember, in openTok: OpenTokRoom) {
        let room = openTok.room
        guard
            let connection = MediaConnection(
                role: .offering, loop: room.loop, media: room.media, cname: member.id, logger: room.logger)
        else { return nil }
        self.id = id
        self.stream = stream
        self.member = member
        self.openTok = openTok
        self.connection = connection
        connection.owner = self
    }

    var peer: RaptorPeer { .subscriber(stream: stream, id: id) }

    func close() { connection.close() }

    // MARK: Tracks

    func add(_ track: PublishedTrack, now: Instant) {
        guard connection.send(track: track.id) == nil,
            let outgoing = openTok.room.outgoingTrack(track.id, stream: "stream")
        else { return }
        connection.add(outgoing)
        applied[track.id] = nil
        apply(outgoing, now)
        changed()
    }

    func remove(_ track: String) {
        applied[track] = nil
        if connection.removeSend(track: track, fills: false) { changed() }
    }

    private func changed() {
        needsOffer = true
        openTok.media.noteChange(of: peer)
    }

    // MARK: Descriptions

    /// False for a step that is none of a subscriber's.
    func take(_ step: RaptorNegotiation, now: Instant) throws(NegotiationFailure) -> Bool {
        switch step {
        case .answer(let sdp):
            try connection.takeAnswer(sdp, now: now)
            offerChanges()
        // The client can't be heard on the way it was told of: another one.
        case .generateOffer: restart()
        case .candidate: break
        case .offer, .provisionalAnswer: return false
        }
        return true
    }

    func offerChanges() { if needsOffer { offer() } }

    private func offer(replacing: Bool = false) {
        needsOffer = false
        do throws(NegotiationFailure) {
            guard let sdp = try connection.createOffer(replacing: replacing) else {
                needsOffer = true
                return
            }
            openTok.say(.offer(sdp: sdp), to: peer)
            connection.tellCandidates(&toldCandidates) { openTok.say(.candidate($0), to: peer) }
        } catch {
            openTok.logger.notice("opentok offer failed", metadata: ["reason": "\(error)"])
        }
    }

    private func restart() {
        guard connection.mayRecover, !connection.negotiator.lines.isEmpty else { return }
        connection.restartICE()
        offer(replacing: true)
    }

    // MARK: What is wanted

    func prefer(_ kind: StreamKind, _ preferences: RaptorSubscriberPreferences, now: Instant) {
        var wish = wishes[kind] ?? RaptorSubscriberPreferences()
        wish.isActive = preferences.isActive ?? wish.isActive
        wish.restrictsFrameRate = preferences.restrictsFrameRate ?? wish.restrictsFrameRate
        wish.preferredWidth = preferences.preferredWidth ?? wish.preferredWidth
        wish.preferredHeight = preferences.preferredHeight ?? wish.preferredHeight
        wish.preferredFrameRate = preferences.preferredFrameRate ?? wish.preferredFrameRate
        wishes[kind] = wish
        for send in connection.sends where send.kind == kind { apply(send, now) }
    }

    /// Layers come and go, and with them the one that is large enough.
    func refresh(_ now: Instant) { for send in connection.sends where send.kind == .video { apply(send, now) } }

    private func apply(_ send: OutgoingTrack, _ now: Instant) {
        let size = openTok.session.videoSize(of: stream)
        let top = send.liveLayers(now).map { $0.rank + $0.spatialLayers - 1 }.max()
        let wish = VideoWish(wishes[send.kind] ?? RaptorSubscriberPreferences(), size: size, topLayer: top)
        guard applied[send.trackID] != wish else { return }
        applied[send.trackID] = wish
        send.set(paused: wish.isPaused, layerLimit: wish.layer, frameRateLimit: wish.frameRate, now: now)
        tellRoom(of: send.trackID, now)
    }

    /// The room knows what a client wants of a track, by all its subscribers together.
    private func tellRoom(of track: String, _ now: Instant) {
        guard let member else { return }
        let wishes = member.subscriptions.compactMap { $0.applied[track] }.filter { !$0.isPaused }
        let preference = TrackPreference(
            isPaused: wishes.isEmpty, layerLimit: wishes.map(\.layer).max() ?? TrackPreference.largestLayer)
        openTok.room.perform(.prefer(subscriber: member.id, [track: preference]), now: now)
    }
}

extension OpenTokSubscription: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant) {
        guard state == .failed else { return }
        restart()
        openTok.drain(now)
    }

    func connectionFreedLine(_ connection: MediaConnection) {
        offer()
        openTok.drain(connection.flow.now)
    }
}

/// What a subscriber's preferences come to.
struct VideoWish: Hashable {
    var isPaused: Bool
    /// The largest layer, from 0.
    var layer: Int
    /// Pictures a second; nil for all.
    var frameRate: Int?

    /// - Parameters:
    ///   - size: of the whole picture; nil where it is not known.
    ///   - topLayer: the largest that the publisher sends; each smaller one has half its width and height.
    init(_ preferences: RaptorSubscriberPreferences, size: (width: Int, height: Int)?, topLayer: Int?) {
        isPaused = preferences.isActive == false
        let rate = preferences.preferredFrameRate.map { max(1, Int($0.rounded(.up))) }
        frameRate = preferences.restrictsFrameRate == true ? 1 : rate.flatMap { $0 < 1000 ? $0 : nil }
        layer = Self.unlimited
        let (width, height) = (preferences.preferredWidth ?? 0, preferences.preferredHeight ?? 0)
        guard let size, let topLayer, (1...4).contains(topLayer), width > 0 || height > 0 else { return }
        let covering = (0...topLayer).first { rank in
            size.width >> (topLayer - rank) >= width && size.height >> (topLayer - rank) >= height
        }
        layer = covering ?? Self.unlimited
    }

    private static let unlimited = 2
}
