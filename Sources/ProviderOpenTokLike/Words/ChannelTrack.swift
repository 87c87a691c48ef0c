import CallBridge
import MediaCore
import OpenTokSignalling

/// A channel of a stream is a track of the bridge: its id is `STREAM/CHANNEL`, for no id of the dialect has a slash.
struct ChannelTrack: Hashable {
    var stream: String
    var channel: String

    init(stream: String, channel: String) {
        self.stream = stream
        self.channel = channel
    }

    /// nil for what is no such id.
    init?(trackID: String) {
        let parts = trackID.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.init(stream: String(parts[0]), channel: String(parts[1]))
    }

    var trackID: String { "\(stream)/\(channel)" }
}

extension Track {
    init(_ channel: RaptorChannel, of stream: RaptorStream) {
        let properties = channel.properties
        self.init(
            id: ChannelTrack(stream: stream.id, channel: channel.id).trackID,
            kind: channel.kind == .audio ? .audio : .video, name: stream.name, source: Source(channel, of: stream),
            isMuted: properties.isActive == false, width: properties.width ?? 0, height: properties.height ?? 0)
    }
}

extension Track.Source {
    /// Sound comes from where the picture of its stream comes from, unless it says so itself.
    init(_ channel: RaptorChannel, of stream: RaptorStream) {
        let picture = stream.channels.first { $0.kind == .video }?.properties.source
        switch (channel.kind, channel.properties.source ?? picture ?? .camera) {
        case (.audio, .screen): self = .screenShareAudio
        case (.audio, _): self = .microphone
        case (.video, .camera): self = .camera
        case (.video, .screen): self = .screenShare
        case (.video, .custom): self = .unknown
        }
    }
}

/// A track that is published, and what it shows.
typealias LocalMediaItem = (track: LocalTrack, source: Track.Source)

extension RaptorStream {
    /// A stream that carries tracks of ours, one of a kind; it is called like the first that has a name.
    init(_ group: [LocalMediaItem], id: String) {
        self.init(
            id: id, name: group.lazy.map(\.track.name).first { !$0.isEmpty } ?? "",
            channels: group.map { RaptorChannel($0.track, source: $0.source) })
    }
}

extension RaptorChannel {
    init(_ track: LocalTrack, source: Track.Source) {
        var properties = RaptorChannelProperties(isActive: !track.isMuted)
        properties.source = OpenTokVideoType(source)
        switch track.media {
        case .audio, .encodedAudio: break
        case .video(let video, _):
            (properties.width, properties.height) = (video.width, video.height)
            properties.frameRate = video.frameRate
        case .encodedVideo(let video):
            (properties.width, properties.height) = (video.width, video.height)
            properties.frameRate = video.frameRate
        }
        let kind = track.kind == .audio ? Kind.audio : .video
        self.init(id: "\(kind.rawValue)1", kind: kind, properties)
    }
}

extension OpenTokVideoType {
    init(_ source: Track.Source) {
        switch source {
        case .screenShare, .screenShareAudio: self = .screen
        case .unknown: self = .custom
        case .camera, .microphone: self = .camera
        }
    }
}

extension RaptorSubscriberPreferences {
    /// - Parameter size: of the picture, as announced; for settings that name a layer.
    init(_ settings: TrackSettings, size: (width: Int, height: Int)) {
        self.init(isActive: !settings.isDisabled)
        // What is not said stays as it was: 1,000 is no limit.
        preferredFrameRate = Double(max(1, min(settings.framesPerSecond ?? 1000, 1000)))
        if let view = settings.size {
            (preferredWidth, preferredHeight) = (min(view.width, 16_384), min(view.height, 16_384))
            return
        }
        // Layers are each half as wide and high as the next larger one.
        let divisor =
            switch settings.quality {
            case .low: 4
            case .medium: 2
            case .high, nil: 1
            }
        // Of a picture whose size is not known no share can be said: 0 is no wish.
        (preferredWidth, preferredHeight) = (size.width / divisor, size.height / divisor)
    }
}
