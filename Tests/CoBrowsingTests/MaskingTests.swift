import CoBrowsingModel
import ConversationModel
import Foundation
import Testing

@testable import CoBrowsing

/// No byte of what is private leaves: nothing on the wire depends on it.
@Suite(.timeLimit(.minutes(10))) struct MaskingTests {
    private static let area = PixelRect(x: 90, y: 70, width: 85, height: 41)
    private static let view = PixelRect(x: 10, y: 150, width: 60, height: 30)

    /// A screen with a secret in a private area and one in a private view.
    private static func screen(_ secret: UInt64) -> ScreenFrame {
        var frame = Pictures.screen()
        var state = secret
        for rect in [area, view] {
            for y in rect.y..<rect.y + rect.height {
                for x in rect.x..<rect.x + rect.width {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    frame.fill(
                        PixelRect(x: x, y: y, width: 1, height: 1), red: UInt8(truncatingIfNeeded: state >> 33),
                        green: UInt8(truncatingIfNeeded: state >> 41), blue: UInt8(truncatingIfNeeded: state >> 49))
                }
            }
        }
        frame.views = [.init(tag: "card", rect: view)]
        return frame
    }

    private static var masks: PrivacyMasks {
        var masks = PrivacyMasks()
        masks.addPrivateArea(.init(id: "pin", rect: area))
        masks.addPrivateView("card")
        return masks
    }

    /// The tiles of a whole frame, as they would be sent.
    private static func tiles(_ frame: ScreenFrame, _ masks: PrivacyMasks, _ format: TileFormat)
        -> [SharerMachine.EncodedTile]
    {
        let masked = MaskedFrame(frame, masks)
        let grid = CellGrid(frame.size)
        return TileLayout(grid, density: 150).rects([Bool](repeating: true, count: grid.count)).flatMap {
            TileCodec().encode(masked, $0, format, quality: 80)
        }
    }

    @Test(arguments: TileFormat.allCases) func theWireIsTheSame(format: TileFormat) {
        let first = Self.tiles(Self.screen(1), Self.masks, format)
        for secret in 2...6 { #expect(Self.tiles(Self.screen(UInt64(secret)), Self.masks, format) == first) }
        #expect(Self.tiles(Self.screen(2), PrivacyMasks(), format) != first, "without masks it is not")
    }

    /// Decoded, the private parts are the cover; lossless, to the last pixel, and the rest is the screen.
    @Test func theViewerSeesTheCover() throws {
        let screen = Self.screen(9)
        var canvas = ScreenFrame(size: screen.size)
        for tile in Self.tiles(screen, Self.masks, .png) {
            let rgb = TileCodec().decode(
                .init(frame: 1, index: 0, rect: tile.rect, format: tile.format, bytes: tile.bytes))
            canvas.put(rgb: try #require(rgb), at: tile.rect)
        }
        for rect in [Self.area, Self.view] { #expect(Set(canvas.rgb(rect)) == [0x60]) }
        var expected = screen
        for rect in [Self.area, Self.view] { expected.fill(rect, red: 0x60, green: 0x60, blue: 0x60) }
        #expect(Pictures.difference(canvas, expected) == 0)
    }

    /// Sessions over a relay: while the secrets change, nothing is sent; when the mask moves, what was private is shown and
    /// what is private now is covered.
    @Test func aSession() async throws {
        let relay = MemoryRelay()
        let source = PaintedScreen(Self.screen(1))
        var configuration = ScreenCoBrowsing.Configuration { _ in source }
        configuration.format = .png
        let module = ScreenCoBrowsing(configuration, privacy: Self.masks)
        let watched = await module.watchScreen(over: relay.channel("ada", .assignedAgent))
        let shared = try await module.shareScreen(
            in: Conversation(id: "c", type: .chat), over: relay.channel("vera", .contextPerson))
        _ = await watched.events.first { if case .changed = $0 { true } else { nil } }
        let frames = { relay.messages(from: "vera").filter { if case .frame = $0.body { true } else { false } }.count }
        let sent = frames()
        for secret in 2...4 {
            source.show(Self.screen(UInt64(secret)))
            await source.waitLooks()
        }
        #expect(frames() == sent, "secrets that change are no change")
        module.removePrivateArea(id: "pin")
        _ = await watched.events.first { if case .changed = $0 { true } else { nil } }
        let picture = try #require(await watched.picture)
        #expect(Pictures.difference(picture, Self.screen(4), in: Self.area) == 0)
        #expect(Set(picture.rgb(Self.view)) == [0x60])
        await shared.stop()
        #expect(await shared.end() == .stopped)
    }

    /// A source that does not say where views lie shows nothing where there are private ones.
    @Test func viewsThatNobodyCanFind() async throws {
        let source = PaintedScreen(Self.screen(1), reportsViews: false)
        let module = ScreenCoBrowsing(.init { _ in source }, privacy: Self.masks)
        let relay = MemoryRelay()
        let error = await #expect(throws: FrameSourceError.self) {
            _ = try await module.shareScreen(
                in: Conversation(id: "c", type: .chat), over: relay.channel("vera", .contextPerson))
        }
        #expect(error?.description.contains("private areas") == true)
        #expect(relay.messages(from: "vera").isEmpty && source.isClosed.withLock { $0 })
        // The same, when the view becomes private while it is shared.
        module.removePrivateView("card")
        let shared = try await module.shareScreen(
            in: Conversation(id: "c", type: .chat), over: relay.channel("vera", .contextPerson))
        _ = relay.channel("ada", .assignedAgent)
        module.addPrivateView("card")
        #expect(await shared.end() == .failed)
    }
}
