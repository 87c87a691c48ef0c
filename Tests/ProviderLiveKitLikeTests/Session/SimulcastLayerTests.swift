import Testing

@testable import ProviderLiveKitLike

@Suite struct SimulcastLayerTests {
    private static func text(_ width: Int, _ height: Int) -> [String] {
        SimulcastLayer.standard(width: width, height: height, bitrate: 1_700_000)
            .map { "\($0.rid) \($0.quality) \($0.width)x\($0.height) \($0.bitrate)" }
    }

    @Test func layersFollowTheLongerSide() {
        #expect(
            Self.text(1280, 720) == ["f high 1280x720 1700000", "h medium 640x360 450000", "q low 320x180 160000"])
        #expect(Self.text(960, 540).count == 3)
        #expect(Self.text(720, 1280)[2] == "q low 180x320 160000", "turned pictures alike")
        #expect(Self.text(640, 360) == ["h medium 640x360 1700000", "q low 320x180 160000"])
        #expect(Self.text(480, 270).count == 2)
        #expect(Self.text(478, 268) == [" high 478x268 1700000"])
        #expect(Self.text(1024, 768) == ["f high 1024x768 1700000", "h medium 480x360 330000", "q low 240x180 125000"])
    }
}
