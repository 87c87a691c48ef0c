import LiveKitProtocol
import MediaCore

/// One size in which a video track is sent, by the rules of LiveKit's clients.
struct SimulcastLayer: Sendable, Hashable {
    var quality: Livekit_VideoQuality
    /// Empty for the only layer of a track.
    var rid: String
    var width: Int
    var height: Int
    /// Bits a second.
    var bitrate: Int
    /// Most pictures a second; nil for the source's.
    var maximumFramesPerSecond: Double?

    /// The layers of a picture of that size, the largest first: three from 960 pixels on the longer side, two from 480,
    /// one below.
    static func standard(width: Int, height: Int, bitrate: Int) -> [SimulcastLayer] {
        let top = SimulcastLayer(quality: .high, rid: "", width: width, height: height, bitrate: bitrate)
        let longer = max(width, height)
        guard longer >= 480 else { return [top] }
        let shape = Shape(width: width, height: height)
        var layers = [top, lower(.low, "q", shape.low, of: top)]
        if longer >= 960 { layers.insert(lower(.medium, "h", shape.medium, of: top), at: 1) }
        layers[0].rid = longer >= 960 ? "f" : "h"
        if longer < 960 { layers[0].quality = .medium }
        return layers
    }

    private struct Preset {
        var shorter: Int
        var bitrate: Int
    }

    /// 16:9 or 4:3, whichever is closer; turned pictures alike.
    private enum Shape {
        case wide
        case narrow

        init(width: Int, height: Int) {
            let aspect = Double(max(width, height)) / Double(max(1, min(width, height)))
            self = abs(aspect - 16.0 / 9) < abs(aspect - 4.0 / 3) ? .wide : .narrow
        }

        var low: Preset {
            self == .wide ? Preset(shorter: 180, bitrate: 160_000) : Preset(shorter: 180, bitrate: 125_000)
        }

        var medium: Preset {
            self == .wide ? Preset(shorter: 360, bitrate: 450_000) : Preset(shorter: 360, bitrate: 330_000)
        }
    }

    private static func lower(
        _ quality: Livekit_VideoQuality, _ rid: String, _ preset: Preset, of top: SimulcastLayer
    ) -> SimulcastLayer {
        let scale = max(1, Double(min(top.width, top.height)) / Double(preset.shorter))
        // Chroma is sampled at half the size: odd numbers would be rounded by the encoder.
        let even = { (length: Int) in max(2, Int((Double(length) / scale).rounded()) & ~1) }
        return SimulcastLayer(
            quality: quality, rid: rid, width: even(top.width), height: even(top.height),
            bitrate: min(preset.bitrate, top.bitrate), maximumFramesPerSecond: 20)
    }

    /// The layers in which a track is sent.
    static func layers(of track: LocalTrack) -> [SimulcastLayer] {
        switch track.media {
        case .audio: []
        case .video(let video, let encoding):
            [
                SimulcastLayer(
                    quality: .high, rid: "", width: video.width, height: video.height, bitrate: encoding.bitrate)
            ]
        case .encodedVideo(let video):
            [SimulcastLayer(quality: .high, rid: "", width: video.width, height: video.height, bitrate: 0)]
        }
    }

    /// As `add_track` announces it.
    var wire: Livekit_VideoLayer {
        .with {
            $0.quality = quality
            $0.width = UInt32(clamping: width)
            $0.height = UInt32(clamping: height)
            $0.bitrate = UInt32(clamping: bitrate)
            $0.rid = rid
        }
    }
}
