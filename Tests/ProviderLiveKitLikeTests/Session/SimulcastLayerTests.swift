import CallBridge
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// Which layers are sent, what they are called, and which of them are wanted.
@Suite struct SimulcastLayerTests {
    private static func layers(_ width: Int, _ height: Int) throws -> [SimulcastLayer] {
        let source = try TestCardSource(sender: 1, width: width, height: height, frameRate: 30)
        let encoding = VideoEncoding(
            bitrate: 1_700_000, layers: VideoLayer.standard(width: width, height: height, bitrate: 1_700_000))
        return SimulcastLayer.layers(of: LocalTrack(.video(source, encoding)))
    }

    private static func text(_ width: Int, _ height: Int) throws -> [String] {
        try layers(width, height).map { "\($0.rid) \($0.quality) \($0.width)x\($0.height) \($0.bitrate)" }
    }

    @Test func layersFollowTheLongerSide() throws {
        #expect(
            try Self.text(1280, 720) == ["f high 1280x720 1700000", "h medium 640x360 450000", "q low 320x180 160000"])
        #expect(try Self.text(960, 540).count == 3)
        #expect(try Self.text(720, 1280)[2] == "q low 180x320 160000", "turned pictures alike")
        #expect(try Self.text(640, 360) == ["h medium 640x360 1700000", "q low 320x180 160000"])
        #expect(try Self.text(480, 270).count == 2)
        #expect(try Self.text(320, 180) == [" high 320x180 1700000"])
        #expect(
            try Self.text(1024, 768) == ["f high 1024x768 1700000", "h medium 480x360 330000", "q low 240x180 125000"])
    }

    private static func update(_ enabled: [Livekit_VideoQuality], codec: String) -> Livekit_SubscribedQualityUpdate {
        let all: [Livekit_VideoQuality] = [.low, .medium, .high]
        let qualities = all.map { quality in
            Livekit_SubscribedQuality.with {
                $0.quality = quality
                $0.enabled = enabled.contains(quality)
            }
        }
        return .with {
            $0.subscribedCodecs = [
                .with {
                    $0.codec = codec
                    $0.qualities = qualities
                }
            ]
        }
    }

    @Test func onlyWantedLayersAreSent() throws {
        let three = try Self.layers(1280, 720)
        let wanted = { (enabled: [Livekit_VideoQuality]) in
            Dynacast.wanted(Self.update(enabled, codec: "vp8"), of: three, codec: "vp8")
        }
        #expect(wanted([.low, .medium, .high]) == ["q", "h", "f"])
        #expect(wanted([.low]) == ["q"])
        #expect(wanted([]) == [])
        #expect(Dynacast.wanted(Self.update([.low], codec: "h264"), of: three, codec: "vp8") == nil)
        #expect(Dynacast.wanted(.init(), of: three, codec: "vp8") == nil, "no news changes nothing")
        let one = try Self.layers(320, 180)
        #expect(Dynacast.wanted(Self.update([.low], codec: "vp8"), of: one, codec: "vp8") == [""])
        #expect(Dynacast.wanted(Self.update([], codec: "vp8"), of: one, codec: "vp8") == [])
    }

    @Test func theRequestAnnouncesThem() throws {
        let source = try TestCardSource(sender: 1, width: 1280, height: 720, frameRate: 30)
        let encoding = VideoEncoding(layers: VideoLayer.standard(width: 1280, height: 720, bitrate: 1_700_000))
        let request = Livekit_AddTrackRequest(
            LocalTrack(.video(source, encoding), id: "cid"), source: .camera, isEncrypted: true)
        #expect(request.layers.map(\.rid) == ["", "", ""], "the server knows them by the quality")
        #expect(!request.disableRed, "that is about sound")
        #expect(request.layers.map(\.quality) == [.high, .medium, .low])
        #expect(request.simulcastCodecs.map(\.layers) == [request.layers])
        #expect(request.simulcastCodecs.map(\.cid) == ["cid"])
        #expect(request.width == 1280)
        #expect(request.encryption == .gcm)
    }
}
