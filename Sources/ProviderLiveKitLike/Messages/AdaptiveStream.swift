import CallBridge
import LiveKitProtocol

/// What the server is told to send of a remote track: the application's wish, narrowed by where the track is shown.
enum AdaptiveStream {
    /// - Parameter layout: nil where the application does not say where it is shown.
    static func settings(
        for track: Livekit_TrackInfo, wanted: TrackSettings, layout: VideoLayout?
    ) -> Livekit_UpdateTrackSettings {
        var message = Livekit_UpdateTrackSettings()
        message.trackSids = [track.sid]
        message.disabled = wanted.isDisabled || layout == .hidden
        guard track.type == .video else { return message }
        message.fps = UInt32(clamping: wanted.framesPerSecond ?? 0)
        if let size = size(for: track, wanted: wanted, layout: layout) {
            message.width = UInt32(clamping: size.width)
            message.height = UInt32(clamping: size.height)
        } else {
            message.quality = (wanted.quality ?? .high).wire
        }
        return message
    }

    /// The smaller of view and wish; nil where the wish is a layer and the view not smaller than it.
    private static func size(
        for track: Livekit_TrackInfo, wanted: TrackSettings, layout: VideoLayout?
    ) -> VideoViewSize? {
        guard case .visible(let view)? = layout else { return wanted.size }
        if let size = wanted.size { return view.isSmaller(than: size) ? view : size }
        guard let quality = wanted.quality else { return view }
        guard let layer = track.layer(quality.wire) else { return nil }
        return view.isSmaller(than: layer) ? view : nil
    }
}

extension TrackSettings.Quality {
    var wire: Livekit_VideoQuality {
        switch self {
        case .low: .low
        case .medium: .medium
        case .high: .high
        }
    }
}

extension Livekit_TrackInfo {
    /// The size of one of its layers, as announced.
    fileprivate func layer(_ quality: Livekit_VideoQuality) -> VideoViewSize? {
        let all = codecs.first.map(\.layers).flatMap { $0.isEmpty ? nil : $0 } ?? layers
        guard let layer = all.first(where: { $0.quality == quality }), layer.width > 0, layer.height > 0 else {
            return nil
        }
        return VideoViewSize(width: Int(clamping: layer.width), height: Int(clamping: layer.height))
    }
}
