import Foundation
import NIOConcurrencyHelpers
import NIOCore
import OpenTokSignalling

/// The archives of all sessions, as the REST API shows them; who records them is another.
final class OpenTokArchives: Sendable {
    private struct State {
        var archives: [String: ArchiveInfo] = [:]
        /// From the oldest on.
        var order: [String] = []
        /// Where the application has reached this server, which links begin with, by archive.
        var servers: [String: String] = [:]
        /// Sessions that are archived as soon as somebody is there, from the oldest on.
        var always: [Standing] = []
    }

    /// What the creation of a session has asked for.
    private struct Standing {
        var options: ArchiveOptions
        var project: String
        var server: String
    }

    let archiver: (any RoomArchiver)?
    /// Archives that are remembered; the oldest that have ended give way.
    private let limit: Int
    private let state = NIOLockedValueBox(State())

    init(_ archiver: (any RoomArchiver)?, limit: Int) {
        self.archiver = archiver
        self.limit = max(1, limit)
        for earlier in archiver?.earlierArchives(limit: self.limit) ?? [] {
            guard let info = ArchiveInfo(earlier) else { continue }
            state.withLockedValue { state in
                state.archives[info.id] = info
                state.order.append(info.id)
            }
        }
    }

    /// Those of a session that are under way, as clients hear of them.
    func running(in session: String) -> [RaptorArchive] {
        state.withLockedValue { state in
            state.order.compactMap { state.archives[$0] }
                .filter { $0.isRunning && $0.options.session.text == session }.map(\.raptor)
        }
    }

    /// Whether the connection data are those of an archive's own token.
    func isRecorder(_ connectionData: String, in session: String) -> Bool {
        running(in: session).contains { ArchiveInfo.connectionData(of: $0.id) == connectionData }
    }

    /// Remembers a session that is to be archived without being asked; the oldest gives way.
    func expect(_ options: ArchiveOptions, project: String, server: String) {
        guard archiver != nil else { return }
        state.withLockedValue { state in
            if state.always.count >= limit { state.always.removeFirst() }
            state.always.append(Standing(options: options, project: project, server: server))
        }
    }

    /// Somebody has come into a session in which nobody was.
    func sessionBegan(_ session: String, service: OpenTokService) {
        let standing = state.withLockedValue { $0.always.last { $0.options.session.text == session } }
        guard let standing, let archiver else { return }
        _ = start(standing.options, standing.project, standing.server, archiver, service)
    }

    // MARK: Commands

    /// - Parameter server: the server's URL, as the one who asks has reached it.
    func perform(
        _ command: RESTCommand, project: String, server: String, service: OpenTokService
    ) -> RESTResult {
        let result = decide(command, project: project, server: server, service: service)
        switch result {
        case .archive(let info): return .archive(linked(info, server, service))
        case .archives(let infos, let count):
            return .archives(infos.map { linked($0, server, service) }, count: count)
        default: return result
        }
    }

    private func decide(
        _ command: RESTCommand, project: String, server: String, service: OpenTokService
    ) -> RESTResult {
        guard let archiver else { return .refused(.noRecorder) }
        switch command {
        case .startArchive(let options): return start(options, project, server, archiver, service)
        case .archives(let selection): return list(selection, project)
        case .archive(let id): return info(id, of: project).map(RESTResult.archive) ?? .refused(.noSuchArchive)
        case .stopArchive(let id):
            return whileRunning(id, project) {
                let stopped = ended($0, service)
                archiver.stop(id)
                return .archive(stopped)
            }
        case .deleteArchive(let id): return delete(id, project, archiver)
        case .addArchiveStream(let id, let stream, let hasAudio, let hasVideo):
            return whileRunning(id, project) {
                guard $0.options.streamMode == .manual else { return .refused(.archiveState(Self.takesAll)) }
                archiver.change(id, .add(stream: stream, hasAudio: hasAudio, hasVideo: hasVideo))
                return .done
            }
        case .removeArchiveStream(let id, let stream):
            return whileRunning(id, project) {
                guard $0.options.streamMode == .manual else { return .refused(.archiveState(Self.takesAll)) }
                archiver.change(id, .remove(stream: stream))
                return .done
            }
        case .setArchiveLayout(let id, let layout):
            return whileRunning(id, project) {
                guard $0.options.outputMode == .composed else { return .refused(.unsupported(Self.noPicture)) }
                guard let arrangement = ArchiveArrangement(layout) else { return .refused(.unsupported(Self.noCSS)) }
                archiver.change(id, .arrange(arrangement))
                return .done
            }
        default: return .refused(.noSuchArchive)
        }
    }

    private static let noCSS =
        "layout: custom is not there, for nothing here lays out CSS; "
        + "send bestFit, pip, verticalPresentation or horizontalPresentation"
    private static let noPicture = "layout: the archive has no picture to arrange; start it with outputMode=composed"
    private static let takesAll = "the archive takes all streams; start it with streamMode=manual"

    func info(_ id: String, of project: String) -> ArchiveInfo? {
        state.withLockedValue { $0.archives[id] }.flatMap { $0.project == project ? $0 : nil }
    }

    private func whileRunning(_ id: String, _ project: String, _ body: (ArchiveInfo) -> RESTResult) -> RESTResult {
        guard let info = info(id, of: project) else { return .refused(.noSuchArchive) }
        guard info.isRunning else { return .refused(.archiveState("the archive has ended; start another")) }
        return body(info)
    }

    private func list(_ selection: ArchiveSelection, _ project: String) -> RESTResult {
        let all = state.withLockedValue { state in
            state.order.reversed().compactMap { state.archives[$0] }.filter {
                $0.project == project && (selection.session == nil || selection.session == $0.options.session.text)
            }
        }
        return .archives(Array(all.dropFirst(selection.offset).prefix(selection.count)), count: all.count)
    }

    private func delete(_ id: String, _ project: String, _ archiver: any RoomArchiver) -> RESTResult {
        guard let info = info(id, of: project) else { return .refused(.noSuchArchive) }
        guard !info.isRunning else { return .refused(.archiveState("the archive is being recorded; stop it first")) }
        state.withLockedValue { state in
            state.archives[id] = nil
            state.servers[id] = nil
            state.order.removeAll { $0 == id }
        }
        archiver.delete(id, of: project)
        return .done
    }

    private func start(
        _ options: ArchiveOptions, _ project: String, _ server: String, _ archiver: any RoomArchiver,
        _ service: OpenTokService
    ) -> RESTResult {
        guard options.layout.map(ArchiveArrangement.init) != .some(nil) else {
            return .refused(.unsupported(Self.noCSS))
        }
        guard options.session.mediaMode == .routed else { return .refused(.relayed) }
        guard service.existingRoom(options.session.text) != nil, let secret = service.secrets[project] else {
            return .refused(.noSuchSession)
        }
        let now = WallClock.milliseconds
        var options = options
        // What it is recorded in is shown.
        if options.outputMode == .composed { options.resolution = options.resolution ?? .landscape480 }
        let info = ArchiveInfo(
            id: UUID().uuidString.lowercased(), status: .started, project: project, options: options, createdAt: now)
        guard let order = ArchiveOrder(info, server: server, secret: secret, now: now / 1000) else {
            return .refused(.noSuchSession)
        }
        if let reason = admit(info, server) { return .refused(.archiveState(reason)) }
        publish(info, service)
        archiver.start(order) { [weak service] in service?.archives.progressed(info.id, $0, service) }
        tellClasses(of: info.options.session, service)
        return .archive(info)
    }

    /// Takes an archive among those that are known, or says why not.
    private func admit(_ info: ArchiveInfo, _ server: String) -> String? {
        state.withLockedValue { state in
            let others = state.archives.values.filter { $0.isRunning && $0.options.session == info.options.session }
            guard !others.contains(where: { $0.options.multiArchiveTag == info.options.multiArchiveTag }) else {
                return "the session is being archived; start another archive with a multiArchiveTag"
            }
            if state.order.count >= limit {
                guard let oldest = state.order.first(where: { state.archives[$0]?.isRunning != true }) else {
                    return "as many archives are under way as the server keeps; stop one"
                }
                state.archives[oldest] = nil
                state.servers[oldest] = nil
                state.order.removeAll { $0 == oldest }
            }
            state.archives[info.id] = info
            state.servers[info.id] = server
            state.order.append(info.id)
            return nil
        }
    }

    // MARK: What becomes of them

    /// An archive that is to end takes nothing more from now on, whenever its recorder says so.
    private func ended(_ info: ArchiveInfo, _ service: OpenTokService) -> ArchiveInfo {
        var info = info
        info.status = .stopped
        info.reason = "user initiated"
        state.withLockedValue { $0.archives[info.id] = info }
        publish(info, service)
        return info
    }

    private func progressed(_ id: String, _ progress: ArchiveProgress, _ service: OpenTokService?) {
        let changed: ArchiveInfo? = state.withLockedValue { state in
            guard var info = state.archives[id], info.isRunning || !progress.isRunning else { return nil }
            let before = info.status
            info.take(progress)
            state.archives[id] = info
            return info.status == before ? nil : info
        }
        if let changed, let service { publish(changed, service) }
    }

    /// Tells the session and the application's server.
    private func publish(_ info: ArchiveInfo, _ service: OpenTokService) {
        let server = state.withLockedValue { $0.servers[info.id] }
        service.notices?.enqueue(server.map { linked(info, $0, service) } ?? info)
        guard let room = service.existingRoom(info.options.session.text) else { return }
        room.eventLoop.execute {
            room.loop.meter.measure(.message, "opentok archive") { now in
                room.change(now) { $0.archiveChanged(info.raptor, into: &$1) }
            }
        }
    }
}
