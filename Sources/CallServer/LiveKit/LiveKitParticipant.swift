import LiveKitProtocol
import Logging
import NIOCore
import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// A participant of a LiveKit room: one signalling connection, one or two media connections.
///
/// What it does is split by topic over the extensions.
// Lives on its room's event loop; other threads hold the reference and hop.
final class LiveKitParticipant: @unchecked Sendable {
    let sid: String
    let identity: String
    /// What the client has asked for and may do; a resumed session brings newer claims.
    var ticket: LiveKitTicket
    let logger: Logger
    let seat: RoomDirectory.Seat
    let joinedAt = WallClock.milliseconds
    unowned let room: LiveKitRoom
    /// What the client sends comes in here; with a single connection, what it receives leaves here too.
    let publisher: MediaConnection
    let subscriber: MediaConnection
    /// Nil while the client is away: its media goes on, and what it is to be told waits.
    var session: LiveKitSession?
    var backlog = SignalBacklog()
    /// Announced, and not yet sent.
    var pendingTracks: [LiveKitTrack] = []
    var negotiation = NegotiationProgress()
    /// How its connection bears what it is sent.
    var streams = SubscriberStreams()
    /// What a test client has asked us to act out.
    var simulation = Simulation()
    /// How often others are told of it at once; what comes faster is collected.
    var announcements = TokenBucket(rate: 5, burst: 20)
    /// What its data may cost, in datagrams to others.
    var dataBudget = TokenBucket(rate: 20_000, burst: 40_000)
    /// Reliable data messages that it was too slow for.
    var droppedData = 0
    private var timers: [any CancellableTask] = []
    var departure: Scheduled<Void>?

    /// Nil where the loop's port has as many peers as it takes.
    init?(session: LiveKitSession, room: LiveKitRoom, seat: RoomDirectory.Seat) {
        let sid = SessionID.participant()
        self.sid = sid
        self.session = session
        self.room = room
        self.seat = seat
        ticket = session.ticket
        identity = session.ticket.identity
        var logger = session.logger
        logger[metadataKey: "participant"] = "\(sid)"
        self.logger = logger
        guard
            let publisher = MediaConnection(
                role: .answering, loop: room.loop, media: room.media, cname: sid, logger: logger)
        else {
            return nil
        }
        self.publisher = publisher
        if ticket.isSingleConnection {
            subscriber = publisher
        } else {
            guard
                let subscriber = MediaConnection(
                    role: .offering, loop: room.loop, media: room.media, cname: sid, logger: logger)
            else {
                publisher.close()
                return nil
            }
            self.subscriber = subscriber
        }
        publisher.owner = self
        subscriber.owner = self
        session.participant = self
    }

    var isSingleConnection: Bool { publisher === subscriber }
    var eventLoop: any EventLoop { room.eventLoop }
    var isActive: Bool { room.model.participant(sid)?.state == .active }

    /// Records the room.
    var isRecorder: Bool {
        ticket.claims.kind == "egress" || room.model.participant(sid)?.permissions.isRecorder == true
    }
    /// Serves or records the others, and doesn't count as one of them.
    var isDependent: Bool {
        isRecorder || ticket.claims.kind == "agent" || room.model.participant(sid)?.permissions.isAgent == true
    }

    /// The connection that must stand for the participant to be active.
    var primary: MediaConnection { isSubscriberPrimary ? subscriber : publisher }
    /// Two connections, of which the one that we offer is set up first.
    var isSubscriberPrimary: Bool {
        !isSingleConnection && ticket.client.protocol > 2 && ticket.grant.maySubscribe
    }

    /// Sends what several get and is written once for all of them.
    func send(_ response: Livekit_SignalResponse, binary: [UInt8]) {
        if let session { session.send(response, binary: binary) } else { backlog.keep(response) }
    }

    func send(_ response: Livekit_SignalResponse) {
        if let session { session.send(response) } else { backlog.keep(response) }
    }

    // MARK: Coming

    /// Sends the messages that a join is answered with, and starts the clocks.
    func begin(now: Instant) {
        send(.with { $0.join = room.joinResponse(for: self) })
        sendRefreshToken()
        room.tellPermissions(to: self)
        // So that what is published already has its lines in the first answer or offer.
        room.settleSubscriptions(now: now)
        if !isSingleConnection { beginSubscriberConnection(now: now) }
        for request in ticket.addTracks { addTrack(request) }
        if let offer = ticket.publisherOffer { handleOffer(offer, now: now) }
        let timing = room.timing
        every(timing.tokenRefresh) { $0.sendRefreshToken() }
        after(timing.join) { participant, now in
            guard !participant.isActive else { return }
            participant.room.remove(participant.sid, reason: .joinFailure, now: now)
        }
    }

    // MARK: Going

    /// Lets go of everything; `leave` is what the client is told.
    func close(_ leave: Livekit_LeaveRequest?) {
        if let leave { session?.send(.with { $0.leave = leave }) }
        for timer in timers { timer.cancel() }
        timers = []
        departure?.cancel()
        simulation.speaking?.cancel()
        negotiation.cancel()
        detachSession()
        publisher.close()
        subscriber.close()
        seat.giveBack()
    }

    // MARK: Clocks

    private func after(_ milliseconds: Int, _ body: @escaping @Sendable (LiveKitParticipant, Instant) -> Void) {
        let task = eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { [weak self] in
            guard let self else { return }
            room.timed("end of a join") { _, now in body(self, now) }
        }
        timers.append(task)
    }

    private func every(_ milliseconds: Int, _ body: @escaping @Sendable (LiveKitParticipant) -> Void) {
        let interval = TimeAmount.milliseconds(Int64(milliseconds))
        let task = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] _ in
            if let self { body(self) }
        }
        timers.append(task)
    }
}

/// Something scheduled that may be called off.
protocol CancellableTask {
    func cancel()
}

extension Scheduled: CancellableTask {}
extension RepeatedTask: CancellableTask {
    func cancel() { cancel(promise: nil) }
}
