import LiveKitProtocol
import Logging
import NIOCore
import RTCCore
import SFUCore

/// A participant of a LiveKit room: one signalling connection, one or two media connections.
///
/// What it does is split by topic over the extensions.
// Lives on its room's event loop; other threads hold the reference and hop.
final class LiveKitParticipant: @unchecked Sendable {
    let sid: String
    let identity: String
    let ticket: LiveKitTicket
    let logger: Logger
    let seat: RoomDirectory.Seat
    let joinedAt = WallClock.milliseconds
    unowned let room: LiveKitRoom
    /// What the client sends comes in here; with a single connection, what it receives leaves here too.
    let publisher: MediaConnection
    let subscriber: MediaConnection
    private(set) var session: LiveKitSession?
    /// Announced, and not yet sent.
    var pendingTracks: [LiveKitTrack] = []
    var negotiation = NegotiationProgress()
    private var timers: [any CancellableTask] = []
    private var departure: Scheduled<Void>?

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
        guard let publisher = MediaConnection(role: .answering, loop: room.loop, cname: sid, logger: logger) else {
            return nil
        }
        self.publisher = publisher
        if ticket.isSingleConnection {
            subscriber = publisher
        } else {
            guard let subscriber = MediaConnection(role: .offering, loop: room.loop, cname: sid, logger: logger) else {
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

    func send(_ response: Livekit_SignalResponse) { session?.send(response) }

    // MARK: Coming

    /// Sends the messages that a join is answered with, and starts the clocks.
    func begin() {
        send(.with { $0.join = room.joinResponse(for: self) })
        sendRefreshToken()
        room.tellPermissions(to: self)
        // So that what is published already has its lines in the first answer or offer.
        room.settleSubscriptions()
        if !isSingleConnection { beginSubscriberConnection() }
        for request in ticket.addTracks { addTrack(request) }
        if let offer = ticket.publisherOffer { handleOffer(offer) }
        let timing = room.timing
        every(timing.tokenRefresh) { $0.sendRefreshToken() }
        after(timing.join) { participant in
            guard !participant.isActive else { return }
            participant.room.remove(participant.sid, reason: .joinFailure)
        }
    }

    private func sendRefreshToken() {
        var claims = ticket.claims
        let now = Double(WallClock.milliseconds / 1000)
        let remaining = (claims.expires ?? now) - now
        guard let secret = room.configuration.keys[claims.issuer] else { return }
        claims.notBefore = now
        claims.expires = now + max(600, remaining.rounded())
        send(.with { $0.refreshToken = AccessToken.mint(claims, secret: secret) })
    }

    // MARK: Going

    /// Lets go of everything; `leave` is what the client is told.
    func close(_ leave: Livekit_LeaveRequest?) {
        if let leave { send(.with { $0.leave = leave }) }
        for timer in timers { timer.cancel() }
        timers = []
        departure?.cancel()
        negotiation.timer?.cancel()
        session?.participant = nil
        session?.close()
        session = nil
        publisher.close()
        subscriber.close()
        seat.giveBack()
    }

    /// The client has closed its signalling connection, or lost it: it stays while its media path holds.
    func signalLost(_ lost: LiveKitSession) {
        guard session === lost else { return }
        session = nil
        guard isActive, subscriber.isConnected else { return room.remove(sid, reason: .signalClose) }
        logger.info("signalling connection lost, media still connected")
    }

    /// Ends this connection for what the client has done; nobody else is touched.
    func fail(_ reason: String) {
        session?.close(because: reason)
        room.remove(sid, reason: .stateMismatch, tell: false)
    }

    private func scheduleDeparture() {
        guard departure == nil else { return }
        let delay = TimeAmount.milliseconds(Int64(room.timing.departure))
        departure = eventLoop.scheduleTask(in: delay) { [weak self] in
            guard let self else { return }
            departure = nil
            guard !subscriber.isConnected || !publisherIsHealthy else { return }
            room.remove(sid, reason: session == nil ? .signalClose : .connectionTimeout)
        }
    }

    private var publisherIsHealthy: Bool {
        isSingleConnection || publisher.flow.peer.state != .failed && publisher.flow.peer.state != .closed
    }

    // MARK: Clocks

    func after(_ milliseconds: Int, _ body: @escaping @Sendable (LiveKitParticipant) -> Void) {
        let task = eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { [weak self] in
            if let self { body(self) }
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

extension LiveKitParticipant: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState) {
        switch state {
        case .connected where connection === subscriber:
            room.activate(self)
        case .closed where session == nil:
            room.remove(sid, reason: .signalClose)
        case .failed, .closed:
            scheduleDeparture()
        case .connected, .new, .connecting, .disconnected: break
        }
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
