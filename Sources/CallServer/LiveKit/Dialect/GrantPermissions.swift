import LiveKitProtocol
import RoomModel
import SFUCore

extension VideoGrant {
    /// Grants what a participant may do now, which the server may have changed since the token was made.
    mutating func apply(_ permissions: Permissions) {
        canPublish = permissions.canPublish
        canSubscribe = permissions.canSubscribe
        canPublishData = permissions.canPublishData
        canUpdateOwnMetadata = permissions.canUpdateMetadata
        hidden = permissions.isHidden
        recorder = permissions.isRecorder ? true : nil
        agent = permissions.isAgent ? true : nil
        canSubscribeMetrics = permissions.canSubscribeMetrics ? true : nil
        canManageAgentSession = permissions.canManageAgentSession ? true : nil
        canPublishSources = permissions.sources.isEmpty ? nil : permissions.sources.map(\.grantName).sorted()
    }
}

extension TrackSource {
    fileprivate var grantName: String {
        switch self {
        case .unknown: "unknown"
        case .camera: "camera"
        case .microphone: "microphone"
        case .screenShare: "screen_share"
        case .screenShareAudio: "screen_share_audio"
        }
    }
}
