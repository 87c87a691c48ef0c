import LiveKitProtocol
import MediaCore

/// One size in which a video track is sent, and what LiveKit calls it.
struct SimulcastLayer: Sendable, Hashable {
    var quality: Livekit_VideoQuality
    /// Empty for the only layer of a track.
    var rid: String
    var width: Int
    var height: Int
    /// Bits a second; 0 where not known.
    var bitrate: Int

    /// The layers in which a track is sent, the largest first; none for sound.
    static func layers(of track: LocalTrack) -> [SimulcastLayer] {
        let layers = track.media.layers
        guard layers.isEmpty else {
            return layers.map { SimulcastLayer($0) }.sorted { $0.width * $0.height > $1.width * $1.height }
        }
        switch track.media {
        case .audio, .encodedAudio: return []
        case .video(let video, let encoding):
            return [.only(width: video.width, height: video.height, bitrate: encoding.bitrate)]
        case .encodedVideo(let video): return [.only(width: video.width, height: video.height, bitrate: 0)]
        }
    }

    private static func only(width: Int, height: Int, bitrate: Int) -> SimulcastLayer {
        SimulcastLayer(quality: .high, rid: "", width: width, height: height, bitrate: bitrate)
    }

    /// As `add_track` announces it. LiveKit's clients leave the rid to the server, which knows it by the quality.
    var wire: Livekit_VideoLayer {
        .with {
            $0.quality = quality
            $0.width = UInt32(clamping: width)
            $0.height = UInt32(clamping: height)
            $0.bitrate = UInt32(clamping: bitrate)
        }
    }
}

extension SimulcastLayer {
    /// LiveKit's rids name the quality: `q` low, `h` medium, `f` high.
    private init(_ layer: VideoLayer) {
        let quality: Livekit_VideoQuality =
            switch layer.rid {
            case "q": .low
            case "h": .medium
            default: .high
            }
        self.init(
            quality: quality, rid: layer.rid, width: layer.width, height: layer.height, bitrate: layer.bitrate)
    }
}
