import LiveKitProtocol
import RTCCore
import SFUCore

/// A track that a client has announced, and later sends.
final class LiveKitTrack {
    let sid: String
    let cid: String
    let publisher: String
    var info: Livekit_TrackInfo
    /// Set once a line of the publisher's connection feeds it.
    var producer: ProducerID?
    /// Known once the line is negotiated.
    private(set) var format: TrackFormat?
    /// The publisher has been told that somebody listens.
    var wasSubscribed = false

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

    /// Fills in what the negotiation has shown.
    func bind(to line: MediaLine, format: TrackFormat) {
        self.format = format
        self.format?.isEncrypted = info.encryption != .none
        let mime = (kind == .video ? "video/" : "audio/") + format.name
        info.mid = line.mid
        info.mimeType = mime
        info.codecs[0].mimeType = mime
        info.codecs[0].mid = line.mid
        if kind == .video { fillLayers(line) }
    }

    /// LiveKit's rids name the layers of a simulcast; a lone layer has its SSRC from the description.
    private func fillLayers(_ line: MediaLine) {
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

    /// The largest layer that a subscriber with these settings needs, as a rank from 0.
    func layerLimit(for settings: Livekit_UpdateTrackSettings) -> Int {
        if settings.width > 0 || settings.height > 0 {
            let covering = info.layers.firstIndex { $0.width >= settings.width && $0.height >= settings.height }
            return min(covering ?? 2, 2)
        }
        switch settings.quality {
        case .low: return 0
        case .medium: return 1
        default: return 2
        }
    }
}
