import CoBrowsingModel
import ConversationModel
import Testing

@testable import CoBrowsing

/// Sharer and viewers with real pictures, over a relay in this process.
@Suite(.timeLimit(.minutes(10))) struct SessionTests {
    private static let conversation = Conversation(id: "c", type: .chat)

    private static func module(_ source: PaintedScreen, _ format: TileFormat = .jpeg) -> ScreenCoBrowsing {
        var configuration = ScreenCoBrowsing.Configuration { _ in source }
        configuration.format = format
        configuration.measures = true
        return ScreenCoBrowsing(configuration)
    }

    private static func changed(_ event: WatchingEvent) -> [PixelRect]? {
        if case .changed(let rects) = event { rects } else { nil }
    }

    @Test(arguments: TileFormat.allCases) func theViewerSeesTheScreen(format: TileFormat) async throws {
        let relay = MemoryRelay()
        let source = PaintedScreen(Pictures.screen())
        let module = Self.module(source, format)
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        let watched = await module.watchScreen(over: relay.channel("ada", .assignedAgent))
        #expect(await watched.events.first(Self.changed) != nil)
        #expect(await watched.sharer == "vera")
        let picture = try #require(await watched.picture)
        #expect(Pictures.difference(picture, Pictures.screen()) < (format == .png ? 0.001 : 8))
        // A change in one place is sent there alone.
        var next = Pictures.screen()
        let spot = PixelRect(x: 200, y: 140, width: 20, height: 20)
        next.fill(spot, red: 250, green: 0, blue: 0)
        source.show(next)
        let rects = try #require(await watched.events.first(Self.changed))
        #expect(rects.allSatisfy { $0.x >= 192 && $0.y >= 128 }, "\(rects)")
        #expect(Pictures.difference(try #require(await watched.picture), next, in: spot) < 12)
        let statistics = await shared.statistics
        #expect(statistics.frames == 2 && statistics.bytes > 0)
        await shared.stop()
        #expect(await shared.end() == .stopped && source.isClosed.withLock { $0 })
        let end = await watched.events.first { if case .ended(let end, _) = $0 { end } else { nil } }
        #expect(end == .stopped)
        #expect(await watched.picture == nil, "nothing is left of what was shared")
        await watched.stop()
    }

    @Test func tilesAreFiveToTwentyKilobytes() async throws {
        let size = try #require(FrameSize(width: 750, height: 1_334))
        let relay = MemoryRelay()
        let source = PaintedScreen(Pictures.screen(size))
        let module = Self.module(source)
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        let watched = await module.watchScreen(over: relay.channel("ada", .assignedAgent))
        _ = await watched.events.first(Self.changed)
        for step in 1...3 {
            source.show(Pictures.screen(size, scrolled: step * 90))
            _ = await watched.events.first(Self.changed)
        }
        let measures = await shared.events.first { event -> FrameMeasures? in
            if case .frameSent(let measures) = event, measures.number == 3 { measures } else { nil }
        }
        let seen = try #require(measures)
        #expect(seen.largestTile <= 20 * 1_024)
        #expect(seen.bytes / seen.tiles >= 5 * 1_024, "\(seen)")
        await shared.stop()
        await watched.stop()
    }

    @Test func pointersActionsAndIndicators() async throws {
        let relay = MemoryRelay()
        let module = Self.module(PaintedScreen(Pictures.screen()))
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        let watched = await module.watchScreen(over: relay.channel("ada", .assignedAgent))
        _ = await watched.events.first(Self.changed)
        let pointer = CoBrowsingPointer(x: 32_768, y: 100, kind: .mark)
        await watched.point(pointer)
        #expect(await shared.events.first { $0 == .pointer(pointer, from: "ada") ? true : nil } == true)
        await watched.ask(.return)
        #expect(await shared.events.first { $0 == .action(.return, from: "ada") ? true : nil } == true)
        await shared.indicate(.pressed(isHandledByApplication: false))
        let menu = await shared.events.first { event -> [CoBrowsingAction]? in
            if case .indicators(let appearance) = event { appearance.menu } else { nil }
        }
        #expect(menu == [.stop, .return, .cancel])
        #expect(await shared.indicate(.chose(.return)).contains(.returnToConversation))
        await shared.indicate(.pressed(isHandledByApplication: false))
        await shared.indicate(.chose(.stop))
        #expect(await shared.end() == .stopped)
        await watched.stop()
    }

    @Test func sharingThatNobodyCanSee() async throws {
        var properties = CoBrowsingProperties()
        properties.controls = [.assignedAgent]
        properties.showsCapturingFrame = false
        let relay = MemoryRelay(properties)
        let module = Self.module(PaintedScreen(Pictures.screen()))
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        #expect(await shared.events.first { $0 == .sharingIsInvisible ? true : nil } == true)
        await shared.indicate(.pressed(isHandledByApplication: false))
        await shared.indicate(.chose(.stop))
        // Without the button it ends with the conversation.
        relay.endConversation()
        #expect(await shared.end() == .conversationEnded)
    }

    @Test func aViewerStopsIt() async throws {
        let relay = MemoryRelay()
        let module = Self.module(PaintedScreen(Pictures.screen()))
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        let watched = await module.watchScreen(over: relay.channel("ada", .assignedAgent))
        _ = await watched.events.first(Self.changed)
        await watched.ask(.stop)
        #expect(await shared.end() == .stoppedByViewer)
        await watched.stop()
    }

    @Test func onlyOneShares() async throws {
        let relay = MemoryRelay()
        let module = Self.module(PaintedScreen(Pictures.screen()))
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        let error = await #expect(throws: FrameSourceError.self) {
            _ = try await Self.module(PaintedScreen(Pictures.screen())).shareScreen(
                in: Self.conversation, over: relay.channel("ada", .assignedAgent))
        }
        #expect(error?.description == "vera is sharing already")
        relay.endConversation()
        #expect(await shared.end() == .conversationEnded)
    }

    @Test func theSourceEnds() async throws {
        let relay = MemoryRelay()
        let source = PaintedScreen(Pictures.screen())
        let module = Self.module(source)
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        let watched = await module.watchScreen(over: relay.channel("ada", .assignedAgent))
        _ = await watched.events.first(Self.changed)
        source.show(nil)
        #expect(await shared.end() == .sourceEnded)
        await watched.stop()
        let error = await #expect(throws: FrameSourceError.self) {
            _ = try await ScreenCoBrowsing(.init()).shareScreen(
                in: Self.conversation, over: relay.channel("vera", .contextPerson))
        }
        #expect(error?.description.contains("only watches") == true)
    }

    /// The screen turns: a whole frame of another size.
    @Test func anotherSize() async throws {
        let relay = MemoryRelay()
        let source = PaintedScreen(Pictures.screen())
        let module = Self.module(source, .png)
        let shared = try await module.shareScreen(in: Self.conversation, over: relay.channel("vera", .contextPerson))
        let watched = await module.watchScreen(over: relay.channel("ada", .assignedAgent))
        _ = await watched.events.first(Self.changed)
        let turned = try #require(FrameSize(width: 200, height: 300))
        source.show(Pictures.screen(turned))
        _ = await watched.events.first(Self.changed)
        #expect(Pictures.difference(try #require(await watched.picture), Pictures.screen(turned)) == 0)
        await shared.stop()
        await watched.stop()
    }

    /// Whoever shares sends what can't be decoded: the viewer asks twice, and lets go.
    @Test func aHostileSharer() async throws {
        let relay = MemoryRelay()
        let hostile = relay.channel("mallory", .contextPerson)
        hostile.send(CoBrowsingMessage(5, .start(Pictures.size)).bytes)
        let watched = await ScreenCoBrowsing(.init()).watchScreen(over: relay.channel("ada", .assignedAgent))
        let bomb = PixelRect(x: 0, y: 0, width: 64, height: 64)
        for number in 1...3 {
            hostile.send(
                CoBrowsingMessage(
                    5,
                    .frame(.init(number: UInt32(number), base: 0, size: Pictures.size, tiles: 1, capturedAt: 0))
                ).bytes)
            hostile.send(
                CoBrowsingMessage(
                    5, .tile(.init(frame: UInt32(number), index: 0, rect: bomb, format: .png, bytes: [1, 2, 3]))
                ).bytes)
        }
        let end = await watched.events.first { if case .ended(let end, _) = $0 { end } else { nil } }
        #expect(end == .failed)
        #expect(await watched.picture == nil)
        await watched.stop()
    }
}
