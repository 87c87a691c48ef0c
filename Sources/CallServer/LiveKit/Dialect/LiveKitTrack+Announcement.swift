import LiveKitProtocol

/// What a client announces of a track, in the form that everybody is told.
extension Livekit_TrackInfo {
    init(_ request: Livekit_AddTrackRequest, sid: String) {
        self.init()
        self.sid = sid
        type = request.type
        name = request.name
        muted = request.muted
        width = request.width
        height = request.height
        source = request.source
        layers = request.layers.byQuality
        disableDtx = request.disableDtx
        disableRed = request.disableRed
        stereo = request.stereo
        encryption = request.encryption
        stream = request.stream.isEmpty ? Self.stream(of: request.source) : request.stream
        audioFeatures = request.announcedFeatures
        packetTrailerFeatures = request.packetTrailerFeatures
        backupCodecPolicy =
            request.type == .audio && request.backupCodecPolicy != .regression ? .simulcast : request.backupCodecPolicy
        codecs = request.announcedCodecs
        simulcast = codecs[0].videoLayerMode != .multipleSpatialLayersPerStream && codecs[0].layers.count > 1
    }

    /// The two of one camera are played in step, and so are those of one screen.
    private static func stream(of source: Livekit_TrackSource) -> String {
        switch source {
        case .camera, .microphone: "camera"
        case .screenShare, .screenShareAudio: "screen"
        default: "unknown"
        }
    }

    /// What a client says later of its sound; the older fields follow.
    mutating func setAudioFeatures(_ features: [Livekit_AudioTrackFeature]) {
        audioFeatures = features.withoutRepetitions
        stereo = audioFeatures.contains(.tfStereo)
        disableDtx = audioFeatures.contains(.tfNoDtx)
    }
}

extension Livekit_AddTrackRequest {
    /// Older clients say two of the features by fields of their own.
    fileprivate var announcedFeatures: [Livekit_AudioTrackFeature] {
        var features = audioFeatures
        if stereo { features.append(.tfStereo) }
        if disableDtx { features.append(.tfNoDtx) }
        return features.withoutRepetitions
    }

    /// Each codec once, the one to be sent first; one without a name where the client leaves the codec to the description.
    fileprivate var announcedCodecs: [Livekit_SimulcastCodecInfo] {
        var found: [Livekit_SimulcastCodecInfo] = []
        for codec in simulcastCodecs {
            let mime = LiveKitCodecs.published(codec.codec, type)
            guard !found.contains(where: { $0.mimeType.lowercased() == mime.lowercased() }) else { continue }
            found.append(
                .with {
                    $0.mimeType = mime
                    $0.cid = codec.cid
                    $0.layers = codec.layers.isEmpty ? layers.byQuality : codec.layers.byQuality
                    $0.videoLayerMode =
                        codec.videoLayerMode == .unused && type == .video
                        ? LiveKitCodecs.layerMode(of: mime) : codec.videoLayerMode
                })
        }
        guard found.isEmpty else { return found }
        return [
            .with {
                $0.cid = cid
                $0.layers = layers.byQuality
                $0.videoLayerMode = .oneSpatialLayerPerStream
            }
        ]
    }
}

extension LiveKitCodecs {
    /// The MIME type of a codec that a client announces, "vp8" or "video/vp8"; for one that nobody here knows, the first
    /// that is taken.
    static func published(_ codec: String, _ type: Livekit_TrackType) -> String {
        let prefix = type == .video ? "video/" : "audio/"
        let mime = codec.lowercased().hasPrefix(prefix) ? codec : prefix + codec
        let taken = forPublishing.map(\.mime)
        guard !taken.contains(where: { $0.lowercased() == mime.lowercased() }) else { return mime }
        return taken.first { $0.hasPrefix(prefix) } ?? mime
    }

    /// Whether layers share one stream, as the scalable codecs have them.
    static func layerMode(of mime: String) -> Livekit_VideoLayer.Mode {
        ["video/vp9", "video/av1"].contains(mime.lowercased())
            ? .multipleSpatialLayersPerStream : .oneSpatialLayerPerStream
    }
}

extension [Livekit_VideoLayer] {
    /// The smallest first.
    fileprivate var byQuality: [Livekit_VideoLayer] { sorted { $0.quality.rawValue < $1.quality.rawValue } }
}

extension Array where Element: Hashable {
    /// Each element where it comes first.
    fileprivate var withoutRepetitions: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
