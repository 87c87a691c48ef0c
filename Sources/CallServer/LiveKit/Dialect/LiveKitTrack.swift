import LiveKitProtocol
import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// A track that a client has announced, and later sends, as LiveKit's words have it. Once it is published, whether it is
/// muted is the room's to say.
struct LiveKitTrack {
    let sid: String
    let cid: String
    let publisher: String
    var info: Livekit_TrackInfo

    init(_ request: Livekit_AddTrackRequest, publisher: String) {
        let sid = SessionID.track(type: request.type, source: request.source)
        self.sid = sid
        self.publisher = publisher
        cid = request.cid
        info = Livekit_TrackInfo(request, sid: sid)
    }

    var kind: StreamKind { info.type == .video ? .video : .audio }

    /// What our description asks the publisher for, beyond the codec's defaults.
    var parameters: String {
        guard kind == .audio else { return "" }
        var parts: [String] = []
        if info.audioFeatures.contains(.tfStereo) { parts += ["stereo=1", "maxaveragebitrate=510000"] }
        if !info.audioFeatures.contains(.tfNoDtx) { parts.append("usedtx=1") }
        return parts.joined(separator: ";")
    }

    /// The codecs that our answer allows on the track's line, in order; nil for all of them.
    ///
    /// Video is held to the announced codec. Audio may come with redundancy unless the publisher wants none, or encrypts:
    /// copies that nobody here can read could not be stripped for those who don't know them.
    func codecNames(offered: [RemoteCodec]) -> [String]? {
        let announced = info.codecs[0].mimeType.split(separator: "/").last.map { $0.lowercased() } ?? ""
        let names = offered.map { $0.name.lowercased() }
        if kind == .video { return names.contains(announced) ? [announced] : nil }
        var allowed = ["opus", "pcmu", "pcma", "telephone-event"]
        if !info.disableRed, info.encryption == .none, names.contains("opus") { allowed.insert("red", at: 0) }
        if announced != "", announced != "red", let index = allowed.firstIndex(of: announced) {
            allowed.insert(allowed.remove(at: index), at: allowed.first == "red" && announced == "opus" ? 1 : 0)
        }
        return allowed
    }

    /// The track in the room's words.
    ///
    /// - Parameter codec: as `a=rtpmap` has it.
    func published(codec: String) -> PublishedTrack {
        PublishedTrack(
            id: sid, kind: kind, source: TrackSource(info.source), name: info.name, isMuted: info.muted,
            media: TrackMedia(
                codec: codec, layers: info.layers.map { FrameSize(width: Int($0.width), height: Int($0.height)) },
                group: info.stream, isEncrypted: info.encryption != .none))
    }

    /// Fills in what the negotiation has shown.
    mutating func bind(to line: MediaLine, format: TrackFormat) {
        let mime = (kind == .video ? "video/" : "audio/") + format.name
        info.mid = line.mid
        info.mimeType = mime
        info.codecs[0].mimeType = mime
        info.codecs[0].mid = line.mid
        if kind == .video { fillLayers(line) }
    }

    /// LiveKit's rids name the layers of a simulcast; a lone layer has its SSRC from the description.
    private mutating func fillLayers(_ line: MediaLine) {
        let rids = line.remote?.rids.map(\.id) ?? []
        for index in info.layers.indices {
            info.layers[index].spatialLayer = Int32(index)
            if !rids.isEmpty {
                info.layers[index].rid = ["q", "h", "f"][min(index, 2)]
            } else if index == 0, let ssrc = line.remote?.sources.first?.ssrc {
                info.layers[index].ssrc = ssrc
            }
        }
        for index in info.codecs[0].layers.indices {
            guard let known = info.layers.first(where: { $0.quality == info.codecs[0].layers[index].quality }) else {
                continue
            }
            info.codecs[0].layers[index].spatialLayer = known.spatialLayer
            info.codecs[0].layers[index].rid = known.rid
            info.codecs[0].layers[index].ssrc = known.ssrc
        }
    }
}

extension Livekit_UpdateTrackSettings {
    /// What a subscriber wants of that track.
    func preference(of track: PublishedTrack) -> TrackPreference {
        TrackPreference(
            isPaused: disabled, layerLimit: layerLimit(of: track), frameRateLimit: fps > 0 ? Int(fps) : nil,
            priority: priority > 0 ? Int(priority) : nil)
    }

    /// The largest layer that is of use, as a rank from 0.
    private func layerLimit(of track: PublishedTrack) -> Int {
        if width > 0 || height > 0 {
            return track.media.layer(covering: FrameSize(width: Int(width), height: Int(height)))
        }
        switch quality {
        case .low: return 0
        case .medium: return 1
        default: return 2
        }
    }
}
