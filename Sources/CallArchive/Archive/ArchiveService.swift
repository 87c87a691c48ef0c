import CallBridge
import MediaCore
import Synchronization

/// The archives that a server records: each follows its room in a call of its own.
package final class ArchiveService: Sendable {
    /// Joins an archive's room as somebody who only listens and whom nobody sees.
    package typealias Joining = @Sendable (RoomArchive) async throws -> Call

    private struct Entry {
        let run: ArchiveRun
        /// Whatever is asked of an archive happens in that order.
        let events: AsyncStream<ArchiveMachine.Event>.Continuation
    }

    private let directory: String
    private let streamNames: ArchiveStreamNames
    private let packsFiles: Bool
    private let clock: MediaClock
    private let join: Joining
    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameters:
    ///   - directory: each archive has a folder there, by its project, if any, and id.
    ///   - packsFiles: single files become one, `archive.zip`.
    package init(
        directory: String, streamNames: ArchiveStreamNames = .participants, packsFiles: Bool = false,
        clock: MediaClock = .system, join: @escaping Joining
    ) {
        self.directory = directory
        self.streamNames = streamNames
        self.packsFiles = packsFiles
        self.clock = clock
        self.join = join
    }

    /// Throws where nothing could be recorded, for a library is missing or the directory can't be made.
    package func prepare() throws(MediaError) {
        _ = try AVFormatLibrary.load()
        try ArchiveFolder.make(directory)
    }

    /// Begins to record.
    ///
    /// - Parameter listener: is told what becomes of it, in order, on any thread; what can't even begin is `failed`.
    package func start(_ archive: RoomArchive, listener: @escaping ArchiveRun.Listener) {
        let (events, continuation) = AsyncStream.makeStream(of: ArchiveMachine.Event.self)
        let run: ArchiveRun
        do throws(MediaError) {
            run = try ArchiveRun(
                archive, in: directory, streamNames: streamNames, packsFiles: packsFiles, clock: clock,
                listener: listener)
        } catch {
            var failed = archive
            failed.state = .failed
            failed.reason = "\(error)"
            failed.isComplete = true
            return listener(failed)
        }
        entries.withLock { $0[archive.id] = Entry(run: run, events: continuation) }
        Task { [join] in
            do { await run.follow(try await join(archive)) } catch {
                await run.handle(.failed("the room can't be joined: \(error)"))
            }
            for await event in events {
                await run.handle(event)
                if event == .delete || event == .expire { break }
            }
        }
    }

    /// Asks something of an archive; one that is not known is none.
    package func handle(_ event: ArchiveMachine.Event, of id: String) {
        let entry = entries.withLock { entries in
            event == .delete || event == .expire ? entries.removeValue(forKey: id) : entries[id]
        }
        entry?.events.yield(event)
        if event == .delete || event == .expire { entry?.events.finish() }
    }

    /// An archive is complete, and nothing more is asked of it here.
    package func forget(_ id: String) { entries.withLock { $0.removeValue(forKey: id) }?.events.finish() }

    /// The archives that are known.
    package func archives() async -> [RoomArchive] {
        var result: [RoomArchive] = []
        for entry in entries.withLock({ Array($0.values) }) { result.append(await entry.run.archive) }
        return result.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }
}
