import LiveKitProtocol
import RoomModel
import SFUCore

// LiveKit's words for what is the same in all dialects.

extension Livekit_DisconnectReason {
    init(_ reason: DepartureReason) {
        switch reason {
        case .left: self = .clientInitiated
        case .unavailable: self = .userUnavailable
        case .rejected: self = .userRejected
        case .agentFailed: self = .agentError
        case .replaced: self = .duplicateIdentity
        case .removed: self = .participantRemoved
        case .roomEnded: self = .roomDeleted
        case .serverStopped: self = .serverShutdown
        case .moved: self = .migration
        case .signallingLost: self = .signalClose
        case .mediaLost: self = .connectionTimeout
        case .neverConnected: self = .joinFailure
        case .outOfStep: self = .stateMismatch
        }
    }
}

extension DepartureReason {
    /// Why a client says that it leaves.
    init(leaving reason: Livekit_DisconnectReason) {
        switch reason {
        case .userUnavailable: self = .unavailable
        case .userRejected: self = .rejected
        case .agentError: self = .agentFailed
        default: self = .left
        }
    }
}

extension Livekit_RoomEndReason {
    init(_ reason: RoomEndReason) {
        switch reason {
        case .idle: self = .roomEndIdleTimeout
        case .deleted: self = .roomEndApiDelete
        case .serverStopped: self = .roomEndServerShutdown
        }
    }
}

extension RoomParticipant.State {
    var wire: Livekit_ParticipantInfo.State {
        switch self {
        case .joining: .joining
        case .joined: .joined
        case .active: .active
        case .disconnected: .disconnected
        }
    }
}

extension Permissions {
    init(_ permission: Livekit_ParticipantPermission) {
        self.init()
        canPublish = permission.canPublish
        canSubscribe = permission.canSubscribe
        canPublishData = permission.canPublishData
        canUpdateMetadata = permission.canUpdateMetadata
        isHidden = permission.hidden
        isRecorder = permission.recorder
        isAgent = permission.agent
        canSubscribeMetrics = permission.canSubscribeMetrics
        canManageAgentSession = permission.canManageAgentSession
        sources = Set(permission.canPublishSources.map(TrackSource.init))
    }

    var wire: Livekit_ParticipantPermission {
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

extension TrackSource {
    init(_ source: Livekit_TrackSource) {
        switch source {
        case .camera: self = .camera
        case .microphone: self = .microphone
        case .screenShare: self = .screenShare
        case .screenShareAudio: self = .screenShareAudio
        default: self = .unknown
        }
    }

    init?(grantName: String) {
        switch grantName {
        case "camera": self = .camera
        case "microphone": self = .microphone
        case "screen_share": self = .screenShare
        case "screen_share_audio": self = .screenShareAudio
        default: return nil
        }
    }

    var wire: Livekit_TrackSource {
        switch self {
        case .unknown: .unknown
        case .camera: .camera
        case .microphone: .microphone
        case .screenShare: .screenShare
        case .screenShareAudio: .screenShareAudio
        }
    }
}

extension Livekit_ConnectionQuality {
    /// Clients up to protocol 10 know no lost connection.
    init(_ grade: ConnectionGrade, protocol number: Int32) {
        switch grade {
        case .excellent: self = .excellent
        case .good: self = .good
        case .poor: self = .poor
        case .lost: self = number > 10 ? .lost : .poor
        }
    }
}
