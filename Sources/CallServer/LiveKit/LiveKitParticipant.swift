import LiveKitProtocol
import Logging
import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import RoomModel
import SFUCore

/// The connections of one LiveKit client: signalling, and one or two of media. Performs what the dialect says of the
/// client's messages, and negotiates what the room's events ask for.
// Lives on its room's event loop; other threads hold the reference and hop.
final class LiveKitParticipant: @unchecked Sendable {
    let id: String
    /// As it was when the client joined.
    private let joined: LiveKitTicket
    let logger: Logger
    let seat: RoomDirectory.Seat
    unowned let liveKit: LiveKitRoom
    /// What the client sends comes in here; with a single connection, what it receives leaves here too.
    let publisher: MediaConnection
    let subscriber: MediaConnection
    /// Nil while the client is away: its media goes on, and what it is to be told waits.
    var session: LiveKitSession?
    private var backlog = SignalBacklog()
    var negotiation = NegotiationProgress()
    /// What a test client has asked us to act out.
    var simulation = Simulation()
    /// What its data may cost.
    var dataAllowance = DataAllowance()
    var clocks = ParticipantClocks()

    /// Nil where the loop's port has as many peers as it takes.
    init?(session: LiveKitSession, in liveKit: LiveKitRoom, seat: RoomDirectory.Seat) {
        let id = SessionID.participant()
        self.id = id
        self.session = session
        self.liveKit = liveKit
        self.seat = seat
        joined = session.ticket
        var logger = session.logger
        logger[metadataKey: "participant"] = "\(id)"
        self.logger = logger
        let (loop, media) = (liveKit.room.loop, liveKit.room.media)
        func connection(_ role: MediaConnection.Role) -> MediaConnection? {
            MediaConnection(role: role, loop: loop, media: media, cname: id, logger: logger)
        }
        guard let publisher = connection(.answering) else { return nil }
        self.publisher = publisher
        if session.ticket.isSingleConnection {
            subscriber = publisher
        } else {
            guard let subscriber = connection(.offering) else {
                publisher.close()
                return nil
            }
            self.subscriber = subscriber
        }
        publisher.owner = self
        subscriber.owner = self
        session.participant = self
    }

    var room: Room { liveKit.room }
    /// What the client has asked for and may do; a resumed session brings newer claims.
    var ticket: LiveKitTicket { liveKit.dialect.tickets[id] ?? joined }
    var identity: String { joined.identity }
    var record: RoomParticipant? { room.machine.participant(id) }
    var isSingleConnection: Bool { publisher === subscriber }
    var eventLoop: any EventLoop { room.eventLoop }
    var isActive: Bool { record?.state == .active }
    /// The connection that must stand for the participant to be active.
    var primary: MediaConnection { ticket.isSubscriberPrimary ? subscriber : publisher }

    // MARK: Sending

    /// Sends what several get and is written once for all of them.
    func send(_ response: Livekit_SignalResponse, binary: [UInt8]) {
        session?.send(response, binary: binary)
        // Its connection may be dead and not know it.
        backlog.keep(response, number: session?.sentMessages, bytes: binary.count)
    }

    func send(_ response: Livekit_SignalResponse) { send(response, binary: response.wireBytes) }

    /// The client has got the first `count` messages of this connection.
    func confirmed(_ count: Int, on session: LiveKitSession) {
        if session === self.session { backlog.confirm(first: count) }
    }

    /// What the client has missed while it was away, or may have missed before.
    func sendBacklog() { for message in backlog.drain() { send(message) } }

    /// The client says itself whether the track is muted.
    func forgetMute(of track: String) { backlog.forgetMute(of: track) }

    // MARK: Coming and going

    /// What the room's own messages leave to be said at a join; starts the clocks.
    func begin(now: Instant) {
        if !isSingleConnection { beginSubscriberConnection(now: now) }
        for request in joined.addTracks { addTrack(request) }
        if let offer = joined.publisherOffer { handleOffer(offer, now: now) }
        clocks.every(room.timing.tokenRefresh, on: eventLoop) { [weak self] in self?.sendRefreshToken() }
        clocks.after(room.timing.join, on: eventLoop) { [weak self] in
            guard let self else { return }
            room.timed("end of a join") { room, now in if !isActive { room.remove(id, .neverConnected, now: now) } }
        }
    }

    /// Lets go of everything.
    func close() {
        clocks.cancel()
        simulation.speaking?.cancel()
        negotiation.cancel()
        detachSession()
        publisher.close()
        subscriber.close()
        seat.giveBack()
    }
}

extension LiveKitParticipant: RoomMember {
    var connections: [MediaConnection] { isSingleConnection ? [publisher] : [publisher, subscriber] }
    var receivers: [MediaConnection] { [subscriber] }
    func pausePolicy(on connection: MediaConnection) -> PausePolicy { ticket.allowsPause ? .atOnce : .never }

    /// Messages are the dialect's; here is what the media has to do.
    func tell(_ event: RoomEvent, now: Instant) {
        switch event {
        case .joined(let record) where record.id == id: sendRefreshToken()
        case .subscriptionBegan(let subscription): subscribe(to: subscription.track)
        case .subscriptionRenewed(let subscription):
            unsubscribe(from: subscription.track, fills: false)
            subscribe(to: subscription.track)
        case .subscriptionEnded(let subscription): unsubscribe(from: subscription.track)
        case .preferred(let subscription, let preference): prefer(preference, of: subscription.track, now: now)
        default: break
        }
    }

    func tell(_ pauses: [TrackPause], on connection: MediaConnection, now: Instant) { send(.streamStates(pauses)) }

    func dismiss(_ reason: DepartureReason, tells: Bool) {
        logger.info("participant leaves", metadata: ["reason": "\(Livekit_DisconnectReason(reason))"])
        if tells, let leave = leaveRequest(reason, .disconnect) { session?.send(.leave(leave)) }
        close()
    }

    // MARK: Subscriptions

    private func subscribe(to track: String) {
        guard subscriber.send(track: track) == nil, let known = room.machine.roster.track(track),
            let outgoing = room.outgoingTrack(track, stream: streamID(of: known.track, by: known.publisher.id))
        else { return }
        subscriber.add(outgoing)
        negotiate()
    }

    /// Browsers play the tracks of one stream in step; clients that know it find the track by its own id then.
    private func streamID(of track: PublishedTrack, by publisher: String) -> String {
        let name = track.media.group.utf8
        // The publisher has chosen the name, and descriptions take only some.
        let isUsable = !name.isEmpty && name.count <= 64 && name.allSatisfy { (0x21...0x7b).contains($0) }
        let sharesStream = room.settings.syncsStreams && ticket.client.protocol > 9 && isUsable
        return "\(publisher)|\(sharesStream ? track.media.group : track.id)"
    }

    /// - Parameter fills: see `MediaConnection.removeSend`.
    private func unsubscribe(from track: String, fills: Bool = true) {
        if subscriber.removeSend(track: track, fills: fills) { negotiate() }
    }

    private func prefer(_ preference: TrackPreference, of track: String, now: Instant) {
        guard let outgoing = subscriber.send(track: track) else { return }
        outgoing.set(
            paused: preference.isPaused, layerLimit: preference.layerLimit,
            frameRateLimit: preference.frameRateLimit, now: now)
        if let priority = preference.priority { outgoing.priority = priority }
    }
}
