import CallBridge
import LiveKitProtocol
import MediaCore

extension Participant {
    init(_ info: Livekit_ParticipantInfo, isLocal: Bool) {
        self.init(
            id: info.sid, identity: info.identity, name: info.name, metadata: info.metadata,
            attributes: info.attributes,
            isLocal: isLocal, tracks: info.tracks.map { Track($0) })
    }
}

extension Track {
    init(_ info: Livekit_TrackInfo) {
        self.init(
            id: info.sid, kind: info.type == .audio ? .audio : .video, name: info.name, source: Source(info.source),
            isMuted: info.muted, width: Int(info.width), height: Int(info.height), codec: Self.codec(info))
    }

    /// The name behind the kind: `VP8` of `video/VP8`.
    private static func codec(_ info: Livekit_TrackInfo) -> String {
        let mime = info.mimeType.isEmpty ? info.codecs.first?.mimeType ?? "" : info.mimeType
        return mime.split(separator: "/", maxSplits: 1).last.map(String.init) ?? ""
    }
}

extension Track.Source {
    init(_ source: Livekit_TrackSource) {
        self =
            switch source {
            case .camera: .camera
            case .microphone: .microphone
            case .screenShare: .screenShare
            case .screenShareAudio: .screenShareAudio
            default: .unknown
            }
    }

    var wire: Livekit_TrackSource {
        switch self {
        case .camera: .camera
        case .microphone: .microphone
        case .screenShare: .screenShare
        case .screenShareAudio: .screenShareAudio
        case .unknown: .unknown
        }
    }
}

extension Livekit_AddTrackRequest {
    init(_ track: LocalTrack, source: Track.Source, isEncrypted: Bool) {
        self.init()
        cid = track.id
        name = track.name
        type = track.kind == .audio ? .audio : .video
        self.source = source.wire
        muted = track.isMuted
        if isEncrypted { encryption = .gcm }
        switch track.media {
        case .audio(_, let encoding):
            disableDtx = !encoding.dtx
            // A frame's encryption can't be shared by its copies.
            disableRed = !encoding.wantsRedundancy || isEncrypted
        case .encodedAudio:
            disableDtx = true
            disableRed = true
        case .video(let video, _): describe(track, video.width, video.height)
        case .encodedVideo(let video): describe(track, video.width, video.height)
        }
    }

    private mutating func describe(_ track: LocalTrack, _ width: Int, _ height: Int) {
        self.width = UInt32(clamping: width)
        self.height = UInt32(clamping: height)
        layers = SimulcastLayer.layers(of: track).map(\.wire)
        simulcastCodecs = [
            .with {
                $0.codec = (track.media.videoCodec ?? .vp8).rawValue
                $0.cid = cid
                $0.layers = layers
            }
        ]
    }
}

extension ParticipantQuality.Level {
    init(_ quality: Livekit_ConnectionQuality) {
        self =
            switch quality {
            case .poor: .poor
            case .good: .good
            case .excellent: .excellent
            case .lost: .lost
            // A judgement of a newer server: it must be somewhere in between.
            case .UNRECOGNIZED: .good
            }
    }
}

extension ParticipantPermissions {
    init(_ permission: Livekit_ParticipantPermission) {
        self.init(
            canSubscribe: permission.canSubscribe, canPublish: permission.canPublish,
            canPublishData: permission.canPublishData,
            publishableSources: Set(permission.canPublishSources.map { Track.Source($0) }),
            canUpdateMetadata: permission.canUpdateMetadata, isHidden: permission.hidden)
    }
}

extension RoomInfo {
    init(_ room: Livekit_Room) {
        self.init(
            id: room.sid, name: room.name, metadata: room.metadata,
            participantCount: Int(clamping: room.numParticipants), isRecorded: room.activeRecording)
    }
}
