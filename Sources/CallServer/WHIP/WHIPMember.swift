import LiveKitProtocol
import Logging
import NIOCore
import RTCCore
import RTCWire
import RoomModel
import WHIPSignalling

/// A participant who has come by HTTP alone, with one media connection and no signalling: it publishes, or watches.
// Lives on its room's event loop.
final class WHIPMember: @unchecked Sendable {
    let id: String
    let ticket: WHIPTicket
    let connection: MediaConnection
    var session: WHIPSession
    /// Of one that watches.
    private(set) var lines: ViewerLines?
    private unowned let whip: WHIPRoom
    private let seat: RoomDirectory.Seat
    /// Requests that may come to the session.
    var requests = TokenBucket(rate: 10, burst: 100)
    private let logger: Logger
    /// Ends the session of one whose media does not stand.
    private var departure: Scheduled<Void>?

    /// Nil where the loop's port has as many peers as it takes.
    init?(_ ticket: WHIPTicket, _ session: WHIPSession, in whip: WHIPRoom, seat: RoomDirectory.Seat) {
        let id = SessionID.participant()
        var logger = whip.room.logger
        logger[metadataKey: "participant"] = "\(id)"
        logger[metadataKey: "identity"] = "\(ticket.identity)"
        let room = whip.room
        guard
            let connection = MediaConnection(
                role: .answering, loop: room.loop, media: room.media, cname: id, logger: logger)
        else { return nil }
        self.id = id
        self.ticket = ticket
        self.session = session
        self.whip = whip
        self.seat = seat
        self.logger = logger
        self.connection = connection
        connection.owner = self
    }

    var room: Room { whip.room }
    private var isActive: Bool { room.machine.participant(id)?.state == .active }

    // MARK: Descriptions

    /// Answers an offer with all our candidates: nothing of ours could be trickled.
    func answer(_ offer: String, now: Instant) throws(NegotiationFailure) -> String {
        try connection.takeOffer(offer)
        guard connection.negotiator.lines.contains(where: { $0.isRTP && $0.state == .active && !$0.codecs.isEmpty })
        else {
            throw NegotiationFailure(
                description: "no codec is known here; offer Opus, and VP8, VP9, H.264, AV1 or H.265")
        }
        if ticket.role == .publisher { connection.chooseCodecs() }
        if ticket.role == .viewer, lines == nil {
            lines = ViewerLines(connection, cname: id, subject: ticket.subject)
        }
        connection.negotiator.localCandidates = connection.candidates
        connection.negotiator.localCandidatesComplete = true
        return try connection.createAnswer(now: now)
    }

    // MARK: Coming and going

    /// It has entered the room.
    func begin(now: Instant) {
        logger.info("\(ticket.role.rawValue) session begins")
        if ticket.role == .publisher { publish(now) }
        follow(now)
        end(after: room.timing.join, .neverConnected)
    }

    private func end(after milliseconds: Int, _ reason: DepartureReason) {
        departure?.cancel()
        departure = room.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { [weak self] in
            guard let self, !connection.isConnected else { return }
            room.timed("end of a whip session") { $0.remove(id, reason, now: $1) }
        }
    }

    func close() {
        departure?.cancel()
        connection.close()
        seat.giveBack()
    }

    // MARK: What is watched

    /// Brings what a viewer gets in line with who is there.
    func follow(_ now: Instant) {
        guard let lines else { return }
        let change = lines.plan.update(room.machine.roster.participants)
        if !change.dropped.isEmpty { room.perform(.choose(subscriber: id, tracks: change.dropped, false), now: now) }
        if !change.wanted.isEmpty { room.perform(.choose(subscriber: id, tracks: change.wanted, true), now: now) }
    }

    private func begin(_ subscription: Subscription, _ now: Instant) {
        guard let lines, !lines.begin(subscription.track, in: room, now: now) else { return }
        logger.notice("a viewer takes no codec of a track", metadata: ["track": "\(subscription.track)"])
        room.perform(.refuse(subscriber: id, track: subscription.track), now: now)
    }
}

extension WHIPMember: RoomMember {
    var connections: [MediaConnection] { [connection] }
    var receivers: [MediaConnection] { lines == nil ? [] : [connection] }
    /// Nobody could tell the viewer why its video stands still; its sound matters more.
    func pausePolicy(on connection: MediaConnection) -> PausePolicy { .afterWarning }

    func tell(_ event: RoomEvent, now: Instant) {
        switch event {
        case .subscriptionBegan(let subscription), .subscriptionRenewed(let subscription): begin(subscription, now)
        case .subscriptionEnded(let subscription): lines?.end(subscription.track, now: now)
        default: break
        }
    }

    func tell(_ pauses: [TrackPause], on connection: MediaConnection, now: Instant) {}
    func receive(_ message: RoomMessage, now: Instant) {}

    func dismiss(_ reason: DepartureReason, tells: Bool) {
        logger.info("\(ticket.role.rawValue) session ends", metadata: ["reason": "\(reason.rawValue)"])
        whip.forget(self)
        close()
    }
}

extension WHIPMember: MediaConnectionOwner {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant) {
        switch state {
        case .connected:
            departure?.cancel()
            seat.activate()
            if !isActive { room.perform(.activate(id), now: now) }
        // RFC 9725 section 4.2: the end of the media is the end of the session; an ICE restart may come before.
        case .failed where connection.mayRecover: end(after: room.timing.departure, .mediaLost)
        case .failed: room.remove(id, .mediaLost, now: now)
        case .closed: room.remove(id, .left, now: now)
        case .new, .connecting, .disconnected: break
        }
    }

    func connectionFreedLine(_ connection: MediaConnection) {}
}
