import CallArchive
import CallBridge
import CallServer
import MediaCore
import Synchronization

/// The archives that a server keeps: each is recorded by somebody in the session whom nobody sees, and stands in
/// `DIRECTORY/KEY/ID`.
final class ServerArchives: RoomArchiver {
    private struct Running {
        /// Records this one alone.
        let service: ArchiveService
        let report: @Sendable (ArchiveProgress) -> Void
        let project: String
        /// It is to be deleted when it is complete.
        var isDoomed = false
    }

    private struct State {
        var running: [String: Running] = [:]
        var isClosing = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let shelf: ArchiveShelf
    private let recorders: any ArchiveRecorders
    private let clock: MediaClock
    private let state = Mutex(State())

    init(directory: String, recorders: any ArchiveRecorders, clock: MediaClock = .system) {
        shelf = ArchiveShelf(directory: directory)
        self.recorders = recorders
        self.clock = clock
    }

    /// Throws where nothing could be recorded.
    func prepare() throws {
        try ArchiveService(directory: shelf.directory) { _ in throw CancellationError() }.prepare()
    }

    // MARK: Commands

    func start(_ order: ArchiveOrder, report: @escaping @Sendable (ArchiveProgress) -> Void) {
        let service = ArchiveService(
            directory: shelf.directory, streamNames: .streams, packsFiles: true, clock: clock
        ) { [recorders] _ in try await recorders.join(order) }
        let isOpen = state.withLock { state in
            guard !state.isClosing else { return false }
            state.running[order.id] = Running(service: service, report: report, project: order.project)
            return true
        }
        guard isOpen else {
            return report(.init(.failed, reason: "the server is shutting down; ask again when it is back"))
        }
        service.start(RoomArchive(order)) { [weak self] in self?.changed($0) }
    }

    func stop(_ archive: String) { handle(.stop, of: archive) }

    func change(_ archive: String, _ change: ArchiveChange) { handle(ArchiveMachine.Event(change), of: archive) }

    private func handle(_ event: ArchiveMachine.Event, of archive: String) {
        state.withLock { $0.running[archive]?.service }?.handle(event, of: archive)
    }

    func delete(_ archive: String, of project: String) {
        let isComplete = state.withLock { state in
            guard state.running[archive] != nil else { return true }
            state.running[archive]?.isDoomed = true
            return false
        }
        if isComplete { shelf.delete(archive, project: project) }
    }

    func earlierArchives(limit: Int) -> [EarlierArchive] {
        shelf.archives(limit: limit).compactMap(EarlierArchive.init)
    }

    func file(of archive: String, project: String) -> String? { shelf.file(of: archive, project: project) }

    /// Ends what is being recorded, and returns when all files are made.
    func finish() async {
        let running = state.withLock { state in
            state.isClosing = true
            return state.running
        }
        for (id, one) in running { one.service.handle(.roomEnded, of: id) }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.running.isEmpty { state.waiting.append(continuation) }
                return state.running.isEmpty
            }
            if isDone { continuation.resume() }
        }
    }

    // MARK: What becomes of them

    private func changed(_ archive: RoomArchive) {
        guard let running = state.withLock({ $0.running[archive.id] }) else { return }
        if let progress = ArchiveProgress(archive) { running.report(progress) }
        guard archive.isComplete else { return }
        running.service.forget(archive.id)
        recorders.leave(archive.id)
        let (isDoomed, waiting) = state.withLock { state in
            let isDoomed = state.running.removeValue(forKey: archive.id)?.isDoomed ?? false
            guard state.running.isEmpty else { return (isDoomed, [CheckedContinuation<Void, Never>]()) }
            defer { state.waiting = [] }
            return (isDoomed, state.waiting)
        }
        if isDoomed { shelf.delete(archive.id, project: running.project) }
        for one in waiting { one.resume() }
    }
}

/// Joins sessions in order to record them, each archive on its own.
protocol ArchiveRecorders: Sendable {
    func join(_ order: ArchiveOrder) async throws -> Call
    /// The archive is complete, and its call left.
    func leave(_ archive: String)
}
