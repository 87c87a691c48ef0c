import LiveKitProtocol
import Logging
import NIOCore
import RTCTransport
import RTCWire
import RoomModel
import SFUCore

/// A room of the LiveKit dialect: participants, their tracks, and what they are told of one another.
// Everything that changes is touched on `eventLoop` only; other threads hold the reference and hop.
final class LiveKitRoom: @unchecked Sendable {
    let name: String
    let sid = SessionID.room()
    let loop: ServerLoop
    let media: RoomMedia
    let directory: RoomDirectory
    let createdAt = WallClock.milliseconds
    /// What frames end with that the server itself puts into tracks that are encrypted end to end.
    let injectionTrailer = SessionID.trailer()
    var logger: Logger
    var model = RoomModel()
    var tracks: [String: LiveKitTrack] = [:]
    var participants: [String: LiveKitParticipant] = [:]
    var updates = PendingUpdates()
    private var hadParticipants = false
    var roomUpdate: Scheduled<Void>?
    var detector = SpeakerDetector()
    var dynacast = RoomDynacast()
    var streams = RoomStreams()
    var quality = RoomQuality()
    private var streamTimer: RepeatedTask?
    /// Where the participants' data packets stand.
    var data = RoomData()
    private var speakerTimer: RepeatedTask?
    private var closing: Scheduled<Void>?
    /// What a request or a token has asked of this room.
    var settings: RoomSettings
    private(set) var isClosed = false
    /// Bytes of what newcomers are told.
    var description: RoomDescription
    /// Calls of the room API that await a participant's answer.
    var serverCalls = ServerCalls()

    /// Made on any thread; `open` follows on the room's loop.
    init(name: String, loop: ServerLoop, directory: RoomDirectory, settings: RoomSettings) {
        self.name = name
        self.loop = loop
        media = RoomMedia(eventLoop: loop.eventLoop)
        self.directory = directory
        self.settings = settings
        description = RoomDescription(limit: directory.configuration.limits.roomDescription)
        logger = directory.configuration.logger
        logger[metadataKey: "room"] = "\(name)"
    }

    var eventLoop: any EventLoop { loop.eventLoop }
    var configuration: CallServerConfiguration { directory.configuration }
    var timing: LiveKitTiming { directory.timing }
    var participantCount: Int { participants.count }

    func open() {
        loop.add(self)
        if !describes(metadata: settings.metadata) { settings.metadata = "" }
        logger.info("room opened", metadata: ["sid": "\(sid)"])
        let interval = TimeAmount.nanoseconds(SpeakerDetector.interval.nanoseconds)
        speakerTimer = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] _ in
            self?.timed("speakers") { $0.updateSpeakers(now: $1) }
        }
        let shares = TimeAmount.nanoseconds(RoomStreams.interval.nanoseconds)
        streamTimer = eventLoop.scheduleRepeatedTask(initialDelay: shares, delay: shares) { [weak self] _ in
            self?.timed("streams") { $0.updateStreams(now: $1) }
        }
        observe(.started)
        closeWhenEmpty(afterSeconds: settings.emptyTimeout)
    }

    /// Does what a deadline asks for, with the time at which it begins, and notes how long that took.
    func timed(_ kind: String, _ body: (LiveKitRoom, Instant) -> Void) {
        loop.meter.measure(.timer, kind) { body(self, $0) }
    }

    private func closeWhenEmpty(afterSeconds seconds: Int) {
        closing?.cancel()
        closing = eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { [weak self] in
            guard let self, participants.isEmpty else { return }
            close(.roomEndIdleTimeout)
        }
    }

    private func close(_ reason: Livekit_RoomEndReason) {
        guard !isClosed else { return }
        isClosed = true
        speakerTimer?.cancel()
        streamTimer?.cancel()
        dynacast.timer?.cancel()
        closing?.cancel()
        updates.timer?.cancel()
        roomUpdate?.cancel()
        media.close()
        loop.remove(self)
        directory.remove(self)
        logger.info("room closed", metadata: ["sid": "\(sid)"])
        observe(.finished(reason))
    }

    /// Sends everybody away because the server ends.
    func shutDown(now: Instant) { end(.serverShutdown, .roomEndServerShutdown, now: now) }

    /// Sends everybody away and closes.
    func end(_ reason: Livekit_DisconnectReason, _ end: Livekit_RoomEndReason, now: Instant) {
        for sid in Array(participants.keys) { remove(sid, reason: reason, now: now) }
        close(end)
    }

    /// The times of `settings` have changed.
    func settingsChanged() {
        if participants.isEmpty, !hadParticipants { closeWhenEmpty(afterSeconds: settings.emptyTimeout) }
    }

    // MARK: Coming and going

    /// Lets a client in whose signalling connection stands.
    func enter(_ session: LiveKitSession, now: Instant) {
        guard !isClosed else { return session.begin() }
        if session.ticket.reconnects { return resume(session, now: now) }
        if let earlier = model.participant(identity: session.ticket.identity) {
            remove(earlier.id, reason: .duplicateIdentity, now: now)
        }
        guard let seat = directory.takeSeat(in: name, for: session.ticket.newcomer) else {
            return session.refuse(.joinFailure, .disconnect, because: "the room or the server is full")
        }
        guard let participant = LiveKitParticipant(session: session, room: self, seat: seat) else {
            return session.refuse(.joinFailure, .disconnect, because: "the media port has too many peers")
        }
        let record = RoomParticipant(participant)
        guard describes(record, participant) else {
            session.refuse(.joinFailure, .disconnect, because: "the room is full: there is too much to say of it")
            return participant.close(nil)
        }
        closing?.cancel()
        hadParticipants = true
        participants[participant.sid] = participant
        model.join(record)
        participant.logger.info("participant joins")
        participant.begin(now: now)
        noteRoomChange()
    }

    /// The participant's media is connected.
    func activate(_ participant: LiveKitParticipant, now: Instant) {
        participant.seat.activate()
        guard model.participant(participant.sid).map({ $0.state < .active }) == true else { return }
        participant.logger.info("participant is active")
        update(participant.sid, now: now) { $0.state = .active }
        if let record = model.participant(participant.sid) {
            observe(.participantJoined(info(of: record, participant)))
        }
    }

    /// Sends somebody away, or notes that somebody has gone; with `tell` the client gets the reason.
    func remove(_ sid: String, reason: Livekit_DisconnectReason, tell: Bool = true, now: Instant) {
        let wasActive = model.participant(sid)?.state == .active
        guard let participant = participants.removeValue(forKey: sid), let gone = model.leave(sid) else { return }
        participant.logger.info("participant leaves", metadata: ["reason": "\(reason)"])
        let leave = participant.leaveRequest(reason, .disconnect)
        var info = self.info(of: gone, participant)
        info.disconnectReason = reason
        participant.close(tell ? leave : nil)
        announce(info, of: gone, atOnce: gone.isPublisher, now: now)
        observeDeparture(info, wasActive: wasActive)
        serverCalls.end(of: sid)
        data.remove(sid)
        settleDescription(of: sid)
        for track in gone.tracks { tracks[track.id] = nil }
        settleSubscriptions(now: now)
        detector.remove(sid)
        noteRoomChange()
        if participants.isEmpty { closeWhenEmpty(afterSeconds: settings.departureTimeout) }
    }
}

extension RoomParticipant {
    /// What the token and the join request say.
    init(_ participant: LiveKitParticipant) {
        let ticket = participant.ticket
        var permissions = Permissions()
        permissions.canPublish = ticket.grant.mayPublish
        permissions.canSubscribe = ticket.grant.maySubscribe
        permissions.canPublishData = ticket.grant.mayPublishData
        permissions.canUpdateMetadata = ticket.grant.canUpdateOwnMetadata ?? false
        permissions.isHidden = ticket.grant.hidden ?? false
        permissions.isRecorder = ticket.grant.recorder ?? false
        permissions.isAgent = ticket.grant.agent ?? false
        permissions.canSubscribeMetrics = ticket.grant.canSubscribeMetrics ?? false
        permissions.canManageAgentSession = ticket.grant.canManageAgentSession ?? false
        permissions.sources = Set((ticket.grant.canPublishSources ?? []).compactMap(TrackSource.init(grantName:)))
        self.init(
            id: participant.sid, identity: ticket.identity, name: ticket.claims.name ?? "", metadata: ticket.metadata,
            attributes: ticket.attributes, permissions: permissions, subscribesToAll: ticket.autoSubscribe)
    }
}
