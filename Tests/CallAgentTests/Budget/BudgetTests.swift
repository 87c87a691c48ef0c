import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import callagent

/// How figures are judged, and what they are read from; real ones are `Tests/Interop/budget.py`.
@Suite(.timeLimit(.minutes(10))) struct BudgetTests {
    private static func figures() -> BudgetFigures {
        var figures = BudgetFigures()
        figures.loadedBytes = 30_000_000
        (figures.memoryAtStart, figures.memoryReady) = (10_000_000, 12_500_000)
        (figures.memoryBeforeCall, figures.memoryInCall) = (20_000_000, 80_000_000)
        figures.heapOfCall = 30_000_000
        figures.call = .init(
            participants: 3, cpuSecondsPerMinute: 6, sentPerMinute: 4_500_000, receivedPerMinute: 9_000_000, share: 0.99
        )
        figures.joinBytes = 90_000
        figures.narrow = .init(participants: 2, sentPerMinute: 2_100_000, receivedPerMinute: 2_100_000, share: 0.8)
        figures.narrowRate = 300
        figures.talk = .init(overheadBytes: 1_500, framesPerSecond: 4.9, sharedPerSecond: 90_000, bytesPerTile: 18_000)
        return figures
    }

    private static func over(_ change: (inout BudgetFigures) -> Void) -> [String] {
        var figures = figures()
        change(&figures)
        return figures.rows(isDebug: false).filter { !$0.isKept }.map(\.name)
    }

    @Test func whatIsWithinItsBudget() {
        let report = BudgetReport(Self.figures().rows(isDebug: false), participants: 3, seconds: 10, isDebug: false)
        #expect(report.ok && report.failures.isEmpty && report.build == "release")
        #expect(report.text.hasPrefix("a call of 3, counted for 10 s, release build\n"))
        let figures = Dictionary(uniqueKeysWithValues: report.rows.map { ($0.name, $0.figure) })
        #expect(figures["size"] == 30 && figures["initialising"] == 2.5 && figures["participant-memory"] == 20)
        #expect(figures["participant-heap"] == 10 && figures["join"] == 0.03 && figures["narrow"] == 280)
        #expect(figures["up"] == 4.5 && figures["down"] == 9 && figures["message"] == 1.5)
    }

    @Test func eachRowIsJudged() {
        #expect(Self.over { $0.loadedBytes = 50_000_001 } == ["size"])
        #expect(Self.over { $0.memoryAtStart = 8_000_000 } == ["initialising"])
        #expect(Self.over { $0.memoryReady = 29_000_001 } == ["initialising", "ready"])
        #expect(Self.over { $0.memoryInCall = 321_000_000 } == ["participant-memory"])
        #expect(Self.over { $0.memoryInCall = 400_000_001 } == ["call-memory", "participant-memory"])
        #expect(Self.over { $0.call.cpuSecondsPerMinute = 30.1 } == ["cpu"])
        #expect(Self.over { $0.call.share = 0.49 } == ["pictures"])
        #expect(Self.over { $0.joinBytes = 900_003 } == ["join"])
        #expect(Self.over { $0.narrow.sentPerMinute = 2_500_000 } == ["narrow"])
        #expect(Self.over { $0.narrow.share = 0.2 } == ["narrow-pictures"])
        #expect(Self.over { $0.talk.overheadBytes = 4_001 } == ["message"])
        #expect(Self.over { $0.talk.framesPerSecond = 6 } == ["share-rate"])
        #expect(Self.over { $0.talk.bytesPerTile = 20_001 } == ["share-image"])
        #expect(Self.over { $0.talk.sharedPerSecond = 120_001 } == ["share-bytes"])
        #expect(Self.over { $0.call.sentPerMinute = 1e12 } == [], "no source has a limit for it")
        #expect(Self.over { $0.call.share = .nan } == ["pictures"], "what is no number is not kept")
    }

    @Test func debugBuildsAreNotJudgedByWhatTheyCost() {
        var figures = Self.figures()
        figures.loadedBytes = 200_000_000
        figures.call.cpuSecondsPerMinute = 300
        #expect(BudgetReport(figures.rows(isDebug: true), participants: 3, seconds: 10, isDebug: true).ok)
        let asked = figures.rows(isDebug: true, limits: ["cpu": 100]).filter { !$0.isKept }
        #expect(asked.map(\.name) == ["cpu"])
        #expect(asked.first?.complaint.hasPrefix("cpu: 300 s is above the budget of 100 s; ") == true)
    }

    @Test func linesForPeople() throws {
        let rows = Self.figures().rows(isDebug: false, limits: ["cpu": 5.5])
        let cpu = try #require(rows.first { $0.name == "cpu" })
        #expect(cpu.line.hasPrefix("OVER  N2  cpu                 6 s            at most 5.50    processor time"))
        let up = try #require(rows.first { $0.name == "up" })
        #expect(up.line.hasPrefix("-         up                  4.50 MB        not judged      sent by"))
        let least = BudgetRow(
            name: "n", source: "", what: "w", figure: 0.25, unit: "", limit: 0.5, bound: .least, remedy: "do this")
        #expect(least.complaint == "n: 0.25  is below 0.50 ; do this")
        #expect(rows.allSatisfy { $0.limit == nil || !$0.remedy.isEmpty })
    }

    @Test(arguments: [
        ["--participants", "1"], ["--participants", "21"], ["--duration", "1"], ["--duration", "nan"],
        ["--limit", "cpu"], ["--limit", "cpu=much"], ["--limit", "cpu=-1"], ["--limit", "weight=1"],
    ])
    func wrongCommandLines(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try BudgetCommand.parse(arguments) }
    }

    @Test func limitsByName() throws {
        let command = try BudgetCommand.parse(["--limit", "cpu=12", "--limit", "join=0.1"])
        #expect(try command.limits() == ["cpu": 12, "join": 0.1])
    }

    // MARK: What figures are read from

    @Test func theLoadedPartOfAProgram() throws {
        var file = [UInt8](repeating: 0, count: 64 + 3 * 56)
        file.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
        (file[32], file[54], file[56]) = (64, 56, 3)
        for (index, (kind, size)) in [(1, 700), (4, 50), (1, 300)].enumerated() {
            let place = 64 + index * 56
            file[place] = UInt8(kind)
            (file[place + 32], file[place + 33]) = (UInt8(size & 0xFF), UInt8(size >> 8))
        }
        #expect(ProgramSize.loadedBytes(file) == 1_000)
        for count in 0..<file.count { #expect(ProgramSize.loadedBytes(Array(file.prefix(count))) == nil) }
        var other = file
        other[4] = 1
        #expect(ProgramSize.loadedBytes(other) == nil, "of 32 bits")
        other = file
        for place in 32..<40 { other[place] = 0xFF }
        #expect(ProgramSize.loadedBytes(other) == nil, "a table beyond all files")
        other = file
        for place in 96..<104 { other[place] = 0xFF }
        #expect(ProgramSize.loadedBytes(other) == nil, "a part that is larger than any program")
        #expect(try #require(ProgramSize.loadedBytes()) > 1_000_000)
    }

    @Test func memoryOfTheProcess() throws {
        #expect(ProgramSize.ownMemory("VmRSS:\t  5000 kB\nRssAnon:\t    1234 kB\nRssFile:\t 1 kB\n") == 1_234 * 1_024)
        #expect(ProgramSize.ownMemory("VmRSS:\t  5000 kB\n") == nil)
        #expect(ProgramSize.ownMemory("RssAnon:") == nil)
        #expect(try #require(ProgramSize.ownMemory()) > 100_000)
    }

    /// Sends back what comes.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
    }

    /// Gives what comes, until so many bytes are there.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var bytes = ByteBuffer()
        private let wanted: Int
        private let done: EventLoopPromise<ByteBuffer>

        init(_ wanted: Int, _ done: EventLoopPromise<ByteBuffer>) {
            self.wanted = wanted
            self.done = done
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var more = unwrapInboundIn(data)
            bytes.writeBuffer(&more)
            if bytes.readableBytes >= wanted { done.succeed(bytes) }
        }

        func channelInactive(context: ChannelHandlerContext) { done.fail(ChannelError.eof) }
    }

    @Test func whatPassesIsCounted() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Echo()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let relay = try await CountingRelay.listen(before: try #require(server.localAddress?.port))
        let sent = ByteBuffer(repeating: 7, count: 100_000)
        let done = group.next().makePromise(of: ByteBuffer.self)
        let client = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(100_000, done))
                }
            }
            .connect(host: "127.0.0.1", port: relay.port).get()
        try await client.writeAndFlush(sent)
        #expect(try await done.futureResult.get() == sent)
        #expect(relay.counts == .init(up: 100_000, down: 100_000))
        try await client.close()
        await relay.stop()
        try await server.close()
    }
}
