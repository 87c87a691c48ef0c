import CallArchive
import CallBridge
import CallServer
import Foundation
import MediaCore
import ProviderFake
import Synchronization
import Testing

@testable import callagent

/// The server's archives, with sessions that are simulated.
@Suite(.timeLimit(.minutes(10))) struct ServerArchivesTests {
    /// Joins rooms of a simulated world; none without one.
    private struct Recorders: ArchiveRecorders {
        struct Shut: Error, CustomStringConvertible { let description = "nobody opens" }

        var world: FakeWorld?

        func join(_ order: ArchiveOrder) async throws -> Call {
            guard let world else { throw Shut() }
            return try await ServerArchivesTests.join("recorder-\(order.id)", order.room, world)
        }

        func leave(_ archive: String) {}
    }

    /// What was reported, in order.
    private final class Reports: Sendable {
        private let all = Mutex<[ArchiveProgress]>([])

        private let waiting = Mutex<(duration: Double, continuation: CheckedContinuation<Void, Never>)?>(nil)

        func take(_ progress: ArchiveProgress) {
            let waiter =
                all.withLock { all in
                    all.append(progress)
                    return waiting.withLock { waiting in
                        guard let present = waiting, progress.duration > present.duration else { return nil }
                        waiting = nil
                        return present.continuation
                    }
                } as CheckedContinuation<Void, Never>?
            waiter?.resume()
        }

        var states: [ArchiveProgress.State] {
            all.withLock { $0.map(\.state) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
        var last: ArchiveProgress? { all.withLock { $0.last } }

        /// Returns when one comes, or has come, of more than so many seconds: the recorder reports from threads of its own.
        func wait(beyond duration: Double) async {
            await withCheckedContinuation { continuation in
                let isThere = all.withLock { all in
                    if all.last.map({ $0.duration > duration }) == true { return true }
                    waiting.withLock { $0 = (duration, continuation) }
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    private final class Folder {
        let path = "\(NSTemporaryDirectory())/archives-\(UUID().uuidString)"
        deinit { try? FileManager.default.removeItem(atPath: path) }
        func names(_ below: String = "") -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(below)")) ?? []).sorted()
        }
    }

    private static func join(_ name: String, _ room: String, _ world: FakeWorld) async throws -> Call {
        let descriptor = CallDescriptor(
            callId: room, conversationId: room, provider: .fake, serviceProviderCallId: room,
            endpoint: "fake:world?identity=\(name)", credentials: .init(token: nil))
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.fake(world)])
        configuration.clock = world.clock
        configuration.media.reception = name.hasPrefix("recorder") ? .counted : .decoded
        return try await CallBridge(configuration: configuration).join(conversation: room)
    }

    private static func order(
        _ id: String = "a1", _ output: ArchiveOrder.Output = .composed(width: 640, height: 480, .bestFit)
    ) -> ArchiveOrder {
        ArchiveOrder(
            id: id, name: "n", server: "http://h", project: "100", room: "room", token: "t", createdAt: 5, tag: "x",
            output: output, maxBitrate: 400_000)
    }

    private static func started(_ archives: ServerArchives, _ order: ArchiveOrder) -> Reports {
        let reports = Reports()
        archives.start(order) { reports.take($0) }
        return reports
    }

    @Test func aSessionIsRecordedAndItsFileStandsWhereItIsLookedFor() async throws {
        let folder = Folder()
        let world = try FakeWorld()
        let ada = try await Self.join("ada", "room", world)
        try await ada.publish(.testTone(440), .testCard(.init(width: 160, height: 96, frameRate: 10)))
        let archives = ServerArchives(
            directory: folder.path, recorders: Recorders(world: world), clock: world.clock)
        let (one, each) = (Self.started(archives, Self.order()), Self.started(archives, Self.order("b2", .individual)))
        // The recorders join on threads of their own, and their joining takes the simulation's time.
        while one.states.isEmpty || each.states.isEmpty { await world.pass(milliseconds: 20) }
        let joined = try #require(one.last).duration
        await world.pass(milliseconds: 4_000)
        // What time brings to their threads is told when they have had their turns.
        await one.wait(beyond: joined + 2)
        #expect(one.states == [.recording] && each.states == [.recording], "\(String(describing: one.last))")
        archives.stop("a1")
        await archives.finish()
        #expect(one.states == [.recording, .stopped, .available] && each.states == one.states)
        let (made, packed) = (try #require(one.last), try #require(each.last))
        #expect(made.reason == "user initiated" && packed.reason == "session ended")
        #expect(abs(made.duration - joined - 4) < 1.5 && made.size > 10_000, "\(made)")
        #expect(archives.file(of: "a1", project: "100") == "\(folder.path)/100/a1/archive.webm")
        #expect(folder.names("100/a1") == ["archive.json", "archive.webm"])
        #expect(folder.names("100/b2") == ["archive.json", "archive.zip"])
        let late = Self.started(archives, Self.order("c3"))
        #expect(late.states == [.failed] && late.last?.reason.contains("shutting down") == true)

        // The next server finds them.
        let next = ServerArchives(directory: folder.path, recorders: Recorders())
        let known = next.earlierArchives(limit: 10)
        #expect(known.map(\.order.id) == ["a1", "b2"] && known.map(\.progress) == [made, packed])
        var order = Self.order()
        (order.server, order.token) = ("", "")
        #expect(known.first?.order == order)
        next.delete("a1", of: "100")
        #expect(folder.names("100") == ["b2"])
        await ada.leave()
        await world.close()
    }

    @Test func aSessionThatCannotBeJoinedFailsAndSaysWhy() async throws {
        let folder = Folder()
        let archives = ServerArchives(directory: folder.path, recorders: Recorders())
        try archives.prepare()
        let reports = Self.started(archives, Self.order())
        archives.delete("a1", of: "100")
        await archives.finish()
        #expect(reports.states == [.failed] && reports.last?.reason.contains("nobody opens") == true)
        #expect(folder.names("100").isEmpty, "it was deleted meanwhile")
    }

    @Test func aFolderThatCannotBeMadeIsNamed() {
        let archives = ServerArchives(directory: "/dev/null/archives", recorders: Recorders())
        #expect(throws: MediaError.self) { try archives.prepare() }
        let reports = Self.started(archives, Self.order())
        #expect(reports.states == [.failed] && reports.last?.reason.contains("/dev/null/archives") == true)
    }

    @Test(arguments: ["..", "a/b", "", "/"])
    func namesOfOthersLeadNowhere(name: String) async throws {
        let folder = Folder()
        let archives = ServerArchives(directory: folder.path, recorders: Recorders())
        let reports = Self.started(archives, Self.order(name))
        await archives.finish()
        #expect(reports.states == [.failed] && archives.file(of: name, project: "100") == nil)
        archives.delete(name, of: "..")
        #expect(folder.names().isEmpty)
    }
}
