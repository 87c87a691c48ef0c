import CallBridge
import LiveKitProtocol
import Testing

@testable import ProviderLiveKitLike

@Suite struct AdaptiveStreamTests {
    private static let track = Livekit_TrackInfo.with { track in
        track.sid = "TR_1"
        track.type = .video
        let sizes: [(Livekit_VideoQuality, UInt32, UInt32)] = [
            (.low, 320, 180), (.medium, 640, 360), (.high, 1280, 720),
        ]
        track.layers = sizes.map { quality, width, height in
            .with {
                $0.quality = quality
                $0.width = width
                $0.height = height
            }
        }
    }

    private static func text(_ wanted: TrackSettings, _ layout: VideoLayout?) -> String {
        let message = AdaptiveStream.settings(for: track, wanted: wanted, layout: layout)
        if message.disabled { return "disabled" }
        let size = message.width > 0 ? "\(message.width)x\(message.height)" : "\(message.quality)"
        return message.fps > 0 ? "\(size)@\(message.fps)" : size
    }

    private static func view(_ width: Int, _ height: Int) -> VideoLayout {
        .visible(VideoViewSize(width: width, height: height))
    }

    @Test func theSmallerOfWishAndViewCounts() {
        let small = VideoViewSize(width: 160, height: 90)
        let cases: [(TrackSettings, VideoLayout?, String)] = [
            (.init(), nil, "high"),
            (.init(quality: .low), nil, "low"),
            (.init(size: small), nil, "160x90"),
            (.init(size: small, framesPerSecond: 5), nil, "160x90@5"),
            (.init(), Self.view(320, 180), "320x180"),
            (.init(size: small), Self.view(320, 180), "160x90"),
            (.init(size: VideoViewSize(width: 1000, height: 500)), Self.view(320, 180), "320x180"),
            (.init(quality: .medium), Self.view(320, 180), "320x180"),
            (.init(quality: .low), Self.view(1280, 720), "low"),
            (.init(), .hidden, "disabled"),
            (.init(isDisabled: true), Self.view(320, 180), "disabled"),
        ]
        for (wanted, layout, expected) in cases { #expect(Self.text(wanted, layout) == expected) }
    }

    @Test func nothingIsSaidTwice() {
        var wishes = SubscriptionState()
        let first = wishes.set(Self.view(320, 180), track: Self.track)
        #expect(first?.width == 320)
        let again = wishes.set(Self.view(320, 180), track: Self.track)
        #expect(again == nil)
        let hidden = wishes.set(.hidden, track: Self.track)
        #expect(hidden?.disabled == true)
        #expect(wishes.disabledTracks == ["TR_1"])
        let shown = wishes.set(Self.view(320, 180), track: Self.track)
        #expect(shown?.disabled == false)
        #expect(wishes.disabledTracks.isEmpty)
    }

    @Test func soundHasNoSize() {
        let track = Livekit_TrackInfo.with { $0.sid = "TR_2" }
        let message = AdaptiveStream.settings(for: track, wanted: TrackSettings(isDisabled: true), layout: nil)
        #expect(
            message
                == .with {
                    $0.trackSids = ["TR_2"]
                    $0.disabled = true
                })
    }
}
