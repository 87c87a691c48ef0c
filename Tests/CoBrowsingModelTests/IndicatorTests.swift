import CoBrowsingModel
import Testing

@Suite struct IndicatorTests {
    private static let screen = CoBrowsingIndicators.Screen(
        size: FrameSize(width: 400, height: 800)!, statusBar: 40, button: 50)
    private static let area = PixelRect(x: 0, y: 40, width: 400, height: 760)

    private static func properties(_ controls: Set<CoBrowsingParticipant>, frame: Bool) -> CoBrowsingProperties {
        var properties = CoBrowsingProperties()
        properties.controls = controls
        properties.showsCapturingFrame = frame
        return properties
    }

    /// Each participant, with and without the button, with and without the frame: the warning is where both are missing.
    @Test(arguments: CoBrowsingParticipant.allCases, [true, false])
    func visibility(participant: CoBrowsingParticipant, frame: Bool) {
        for hasButton in [true, false] {
            let controls = hasButton ? [participant] : Set(CoBrowsingParticipant.allCases).subtracting([participant])
            var indicators = CoBrowsingIndicators(
                properties: Self.properties(controls, frame: frame), participant: participant, screen: Self.screen)
            #expect(indicators.apply(.pressed(isHandledByApplication: false)).isEmpty, "there is none yet")
            let actions = indicators.apply(.began(Self.area))
            #expect(indicators.appearance.isButtonVisible == hasButton)
            #expect(indicators.appearance.capturingFrame == (frame ? Self.area : nil))
            #expect(actions.contains(.warnOfInvisibleSharing) == (!hasButton && !frame))
            #expect(indicators.isSharingInvisible == (!hasButton && !frame))
            #expect(indicators.apply(.began(Self.area)).isEmpty, "warned once")
            _ = indicators.apply(.ended)
            #expect(!indicators.appearance.isButtonVisible && indicators.appearance.capturingFrame == nil)
            #expect(!indicators.isSharingInvisible)
        }
    }

    private static func sharing() -> CoBrowsingIndicators {
        var indicators = CoBrowsingIndicators(
            properties: CoBrowsingProperties(), participant: .contextPerson, screen: screen)
        _ = indicators.apply(.began(area))
        return indicators
    }

    @Test func theMenu() {
        var indicators = Self.sharing()
        #expect(indicators.apply(.chose(.stop)).isEmpty, "the menu is closed")
        _ = indicators.apply(.pressed(isHandledByApplication: true))
        #expect(indicators.appearance.menu == nil, "the application acts on it")
        for (action, outcome) in [
            (CoBrowsingAction.stop, [CoBrowsingIndicators.Action.stopSharing]), (.return, [.returnToConversation]),
            (.cancel, []),
        ] {
            _ = indicators.apply(.pressed(isHandledByApplication: false))
            #expect(indicators.appearance.menu == [.stop, .return, .cancel])
            #expect(Array(indicators.apply(.chose(action)).dropFirst()) == outcome)
            #expect(indicators.appearance.menu == nil)
        }
        _ = indicators.apply(.pressed(isHandledByApplication: false))
        _ = indicators.apply(.conversationWindow(isVisible: true))
        #expect(indicators.appearance.menu == [.stop, .cancel], "there is nothing to return to")
        #expect(indicators.apply(.chose(.return)).isEmpty)
        _ = indicators.apply(.ended)
        #expect(indicators.appearance.menu == nil)
    }

    /// Anywhere but in the status bar.
    @Test(arguments: [(0, 0), (-9, 20), (1_000, 1_000), (200, 39), (200, 400), (.min, .max), (.max, .min)])
    func theButtonStaysOnTheScreen(x: Int, y: Int) {
        var indicators = Self.sharing()
        _ = indicators.apply(.dragged(x: x, y: y))
        #expect((0...350).contains(indicators.appearance.buttonX) && (40...750).contains(indicators.appearance.buttonY))
        if x == 200 { #expect(indicators.appearance.buttonX == 200 && indicators.appearance.buttonY == max(40, y)) }
    }

    @Test func theFrameFollows() {
        var indicators = Self.sharing()
        let other = PixelRect(x: 0, y: 0, width: 10, height: 10)
        #expect(indicators.apply(.moved(other)).count == 1 && indicators.appearance.capturingFrame == other)
        #expect(indicators.apply(.moved(other)).isEmpty)
    }

    @Test func serverProperties() {
        let none = CoBrowsingProperties(properties: [:])
        #expect(none == CoBrowsingProperties() && none.framesPerSecond == 5)
        let properties = CoBrowsingProperties(properties: [
            "com.unblu.mobiledevice.iosMaxFpsRate": "2",
            "com.unblu.conversation.collaboration.showLayerControls": "ASSIGNED_AGENT, SECONDARY_AGENT,SOMETHING",
            "com.unblu.conversation.collaboration.showVisitorLayerCapturingFrame": "NONE",
        ])
        #expect(properties.framesPerSecond == 2 && !properties.showsCapturingFrame)
        #expect(properties.controls == [.assignedAgent, .secondaryAgent])
        for text in ["0", "31", "-1", "many", ""] {
            #expect(
                CoBrowsingProperties(properties: ["com.unblu.mobiledevice.iosMaxFpsRate": text]).framesPerSecond == 5)
        }
    }
}

@Suite struct TileImageHeaderTests {
    private static let png: [UInt8] =
        [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 64, 0, 0, 1,
            2, 8, 2,
        ]
        + [0, 0, 0, 1, 2, 3, 4]
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xDB, 0, 3, 9, 0xFF, 0xC0, 0, 11, 8, 1, 2, 0, 64, 1, 1, 0x11, 0, 0]
    private static let lossy: [UInt8] =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [
            9, 0, 0, 0, 0x10, 0, 0, 0x9D, 1, 0x2A, 64, 0, 2, 1,
        ]
    private static let lossless: [UInt8] =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8L".utf8) + [
            9, 0, 0, 0, 0x2F, 63, 0x40, 0x40, 0, 0, 0, 0, 0, 0,
        ]

    @Test func sizes() throws {
        for (format, bytes) in [
            (TileFormat.png, Self.png), (.jpeg, Self.jpeg), (.webp, Self.lossy), (.webp, Self.lossless),
        ] {
            let header = try #require(TileImageHeader(format, bytes))
            #expect(header.width == 64 && header.height == 258, "\(format)")
            for count in 0..<bytes.count where format != .jpeg || count < 24 {
                #expect(TileImageHeader(format, Array(bytes.prefix(count))) == nil, "\(format), \(count) bytes")
            }
        }
    }

    /// Forms that decode to far more than they show, and headers that lie.
    @Test func refused() {
        func changed(_ bytes: [UInt8], _ at: Int, _ value: UInt8) -> [UInt8] {
            var bytes = bytes
            bytes[at] = value
            return bytes
        }
        for (at, value) in [(24, 16), (25, 3), (25, 0), (28, 1), (16, 1), (20, 1), (12, 0)] as [(Int, UInt8)] {
            #expect(TileImageHeader(.png, changed(Self.png, at, value)) == nil)
        }
        // Progressive, lossless and arithmetic JPEG; twelve bits; no picture at all.
        for marker in [0xC1, 0xC2, 0xC3, 0xC9, 0xCA, 0xD9, 0xDA] as [UInt8] {
            #expect(TileImageHeader(.jpeg, changed(Self.jpeg, 14, marker)) == nil)
        }
        #expect(TileImageHeader(.jpeg, changed(Self.jpeg, 17, 12)) == nil)
        #expect(TileImageHeader(.webp, Array("RIFF0000WEBPVP8X".utf8) + [UInt8](repeating: 0, count: 30)) == nil)
        #expect(TileImageHeader(.webp, changed(Self.lossy, 20, 1)) == nil)
        #expect(TileImageHeader(.png, Self.jpeg) == nil && TileImageHeader(.webp, Self.png) == nil)
    }
}
