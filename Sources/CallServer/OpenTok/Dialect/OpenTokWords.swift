import OpenTokSignalling
import RTCCore
import RoomModel

/// The room's words in the dialect's, and the other way round.
extension RaptorConnection {
    /// Somebody of another dialect: identity, name and metadata are its connection data.
    init(_ record: RoomParticipant) {
        var permissions: OpenTokPermissions = []
        if record.permissions.canPublish { permissions.insert(.publish) }
        if record.permissions.canSubscribe { permissions.insert(.subscribe) }
        if record.permissions.canPublishData { permissions.insert(.signal) }
        let profile = ConnectionProfile(identity: record.identity, name: record.name, metadata: record.metadata)
        self.init(
            id: record.id, creationTime: max(0, record.joinedAt), data: profile.data, permissions: permissions)
    }
}

extension RaptorStream {
    /// A track of somebody who speaks another dialect: a stream with one channel.
    init(_ track: PublishedTrack) {
        var properties = RaptorChannelProperties(isActive: !track.isMuted)
        if track.kind == .video {
            properties.width = track.media.layers.last.map { min(max(0, $0.width), 16_384) }
            properties.height = track.media.layers.last.map { min(max(0, $0.height), 16_384) }
            properties.source = track.source == .screenShare ? .screen : .camera
        }
        let kind = RaptorChannel.Kind(track.kind)
        self.init(
            id: track.id, name: track.name.prefix(bytes: 256),
            channels: [RaptorChannel(id: "\(kind.rawValue)1", kind: kind, properties)])
    }

    /// Where a medium of it comes from.
    func source(of kind: StreamKind) -> TrackSource {
        let isScreen = channels.contains { $0.kind == .video && $0.properties.source == .screen }
        return switch kind {
        case .audio: isScreen ? .screenShareAudio : .microphone
        case .video: isScreen ? .screenShare : .camera
        }
    }
}

extension RaptorChannel.Kind {
    init(_ kind: StreamKind) { self = kind == .video ? .video : .audio }
}

extension StreamKind {
    init(_ kind: RaptorChannel.Kind) { self = kind == .video ? .video : .audio }
}

extension OpenTokSession {
    /// The sizes of a stream's layers, the smallest first; each has half the width and height of the next.
    func layers(of stream: String, count: Int) -> [FrameSize] {
        guard let size = videoSize(of: stream), (1...3).contains(count) else { return [] }
        return (0..<count).reversed().map { FrameSize(width: size.width >> $0, height: size.height >> $0) }
    }
}

extension RaptorReason {
    init(_ reason: DepartureReason) {
        self =
            switch reason {
            case .left, .unavailable, .rejected, .moved: .clientDisconnected
            case .replaced, .removed, .roomEnded: .forceDisconnected
            case .agentFailed, .serverStopped, .signallingLost, .mediaLost, .neverConnected, .outOfStep:
                .networkDisconnected
            }
    }

    init(_ reason: UnpublishReason) { self = reason == .ended ? .clientDisconnected : .forceUnpublished }
}

extension DepartureReason {
    init(_ reason: RaptorReason) {
        self =
            switch reason {
            case .clientDisconnected: .left
            case .forceDisconnected: .removed
            case .networkDisconnected, .forceUnpublished, .mediaStopped: .signallingLost
            }
    }
}

extension String {
    /// As much of it as has so many bytes.
    func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var result = self
        while result.utf8.count > limit { result.removeLast() }
        return result
    }
}
