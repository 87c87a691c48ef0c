import Foundation
import LiveKitProtocol
import NIOCore
import RTCWire
import RoomModel
import SFUCore

/// News about participants who publish nothing, collected for a while.
struct PendingUpdates {
    var infos: [Livekit_ParticipantInfo] = []
    var timer: Scheduled<Void>?
}

extension LiveKitRoom {
    /// Changes a participant and tells everybody.
    func update(_ sid: String, atOnce: Bool = false, now: Instant, _ change: (inout RoomParticipant) -> Void) {
        guard let participant = participants[sid], let record = model.update(sid, change) else { return }
        announce(info(of: record, participant), of: record, atOnce: atOnce || record.isPublisher, now: now)
    }

    /// Tells everybody of a participant: at once, or with the next collection; the participant itself always at once.
    func announce(_ info: Livekit_ParticipantInfo, of record: RoomParticipant, atOnce: Bool, now: Instant) {
        participants[record.id]?.send(.with { $0.update.participants = [info] })
        guard !record.permissions.isHidden else { return }
        updates.infos.removeAll { $0.sid == info.sid }
        // Who has gone is not here any more, and is said at once.
        if atOnce, participants[record.id]?.announcements.take(now: now) ?? true {
            broadcast([info])
        } else {
            updates.infos.append(info)
            scheduleUpdates()
        }
    }

    private func scheduleUpdates() {
        guard updates.timer == nil else { return }
        let delay = TimeAmount.milliseconds(Int64(timing.participantUpdates))
        updates.timer = eventLoop.scheduleTask(in: delay) { [weak self] in
            guard let self else { return }
            updates.timer = nil
            timed("participant updates") { room, _ in room.broadcast(room.updates.infos) }
            updates.infos = []
        }
    }

    private func broadcast(_ infos: [Livekit_ParticipantInfo]) {
        guard !infos.isEmpty else { return }
        let message = Livekit_SignalResponse.with { $0.update.participants = infos }
        // Written once: there may be much of it, and many who get it.
        let binary = message.wireBytes
        for participant in participants.values {
            guard infos.contains(where: { $0.sid == participant.sid }) else {
                participant.send(message, binary: binary)
                continue
            }
            let others = infos.filter { $0.sid != participant.sid }
            if !others.isEmpty { participant.send(.with { $0.update.participants = others }) }
        }
    }

    // MARK: Messages

    /// A participant as the messages have it.
    func info(of record: RoomParticipant, _ participant: LiveKitParticipant) -> Livekit_ParticipantInfo {
        .with {
            $0.sid = record.id
            $0.identity = record.identity
            $0.state = record.state.wire
            $0.tracks = record.tracks.compactMap { tracks[$0.id]?.info }
            $0.metadata = record.metadata
            $0.joinedAt = participant.joinedAt / 1000
            $0.joinedAtMs = participant.joinedAt
            $0.name = record.name
            $0.version = record.version
            $0.permission = record.permissions.wire
            $0.isPublisher = record.isPublisher
            $0.kind = LiveKitRoom.kinds[participant.ticket.claims.kind ?? ""] ?? .standard
            $0.attributes = record.attributes
            $0.clientProtocol = participant.ticket.client.clientProtocol
            $0.capabilities = participant.ticket.client.capabilities
        }
    }

    /// The room as the messages have it.
    var info: Livekit_Room {
        .with {
            $0.sid = sid
            $0.name = name
            $0.emptyTimeout = UInt32(clamping: settings.emptyTimeout)
            $0.departureTimeout = UInt32(clamping: settings.departureTimeout)
            $0.maxParticipants = UInt32(clamping: settings.maxParticipants)
            $0.creationTime = createdAt / 1000
            $0.creationTimeMs = createdAt
            $0.enabledCodecs = LiveKitCodecs.ofRoom
            $0.metadata = settings.metadata
            $0.numParticipants = UInt32(
                clamping: participants.values.count { participant in
                    !participant.isDependent && model.participant(participant.sid)?.permissions.isHidden == false
                })
            $0.activeRecording = participants.values.contains(where: \.isRecorder)
            $0.numPublishers = UInt32(
                clamping: model.participants.count { $0.isPublisher && !$0.permissions.isHidden })
        }
    }

    /// What a join is answered with.
    func joinResponse(for participant: LiveKitParticipant) -> Livekit_JoinResponse {
        .with {
            $0.room = info
            if let record = model.participant(participant.sid) { $0.participant = info(of: record, participant) }
            $0.otherParticipants = model.participants.compactMap { record in
                guard record.id != participant.sid, !record.permissions.isHidden, let other = participants[record.id]
                else {
                    return nil
                }
                return info(of: record, other)
            }
            $0.serverVersion = LiveKitRoom.version
            $0.subscriberPrimary = participant.isSubscriberPrimary
            $0.pingInterval = 5
            $0.pingTimeout = 15
            $0.serverInfo = LiveKitRoom.serverInfo
            $0.iceServers = configuration.iceServers.map(\.wire)
            $0.sifTrailer = Data(injectionTrailer.utf8)
            $0.enabledPublishCodecs = LiveKitCodecs.forPublishing
            $0.fastPublish = participant.ticket.grant.mayPublish
        }
    }

    static let serverInfo = Livekit_ServerInfo.with {
        $0.edition = .standard
        $0.version = version
        $0.protocol = protocolNumber
        $0.nodeID = node
        $0.agentProtocol = 1
    }

    /// The LiveKit release whose behaviour is followed; clients compare it.
    private static let version = "1.13.5"
    /// 18 would make clients open their data channels without telling us.
    private static let protocolNumber: Int32 = 17
    private static let node = SessionID.node()
    private static let kinds: [String: Livekit_ParticipantInfo.Kind] = [
        "standard": .standard, "ingress": .ingress, "egress": .egress, "sip": .sip, "agent": .agent,
        "connector": .connector, "bridge": .bridge,
    ]
}

extension RoomParticipant.State {
    fileprivate var wire: Livekit_ParticipantInfo.State {
        switch self {
        case .joining: .joining
        case .joined: .joined
        case .active: .active
        case .disconnected: .disconnected
        }
    }
}

extension Permissions {
    fileprivate var wire: Livekit_ParticipantPermission {
        .with {
            $0.canSubscribe = canSubscribe
            $0.canPublish = canPublish
            $0.canPublishData = canPublishData
            $0.canPublishSources = sources.map(\.wire).sorted { $0.rawValue < $1.rawValue }
            $0.hidden = isHidden
            $0.recorder = isRecorder
            $0.agent = isAgent
            $0.canUpdateMetadata = canUpdateMetadata
            $0.canSubscribeMetrics = canSubscribeMetrics
            $0.canManageAgentSession = canManageAgentSession
        }
    }
}
