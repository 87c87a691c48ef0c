import CallModel
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import RTCTransport

/// Tells those who watch what the rooms are like, once a second: one snapshot for all of them, and none while nobody watches.
final class DashboardFeed: Sendable {
    private struct Watcher {
        let stream: HTTPEventStream
        let scope: DashboardScope
        /// Lines of the journal up to this one have been sent.
        var journal: Int
    }

    private struct State {
        var watchers: [Int: Watcher] = [:]
        var nextWatcher = 0
        var tick: RepeatedTask?
        /// A snapshot is being made.
        var isBusy = false
        var journal = JournalTail()
    }

    static let interval = TimeAmount.seconds(1)
    /// Of the join page, beside those of the dashboard.
    private static let audience = 200

    private let directory: RoomDirectory
    private let eventLoop: any EventLoop
    private let bounds = SnapshotBounds()
    private let state = NIOLockedValueBox(State())

    init(directory: RoomDirectory, journal: CallJournal, eventLoop: any EventLoop) {
        self.directory = directory
        self.eventLoop = eventLoop
        journal.attach { [weak self] event in self?.state.withLockedValue { $0.journal.append(event) } }
    }

    /// Whether somebody more may watch.
    func admits(_ scope: DashboardScope) -> Bool {
        let limit = scope.isAudience ? Self.audience : directory.configuration.watching.dashboardWatchers
        return state.withLockedValue { state in
            state.watchers.values.count { $0.scope.isAudience == scope.isAudience } < limit
        }
    }

    /// Somebody watches from now on, for as long as the stream is open.
    func watch(_ stream: HTTPEventStream, _ scope: DashboardScope) {
        let id = state.withLockedValue { state in
            defer { state.nextWatcher += 1 }
            state.watchers[state.nextWatcher] = Watcher(stream: stream, scope: scope, journal: -1)
            if state.tick == nil { state.tick = begin() }
            return state.nextWatcher
        }
        stream.closed.whenComplete { [weak self] _ in self?.forget(id) }
    }

    private func forget(_ id: Int) {
        state.withLockedValue { state in
            state.watchers[id] = nil
            guard state.watchers.isEmpty else { return }
            state.tick?.cancel()
            state.tick = nil
        }
    }

    private func begin() -> RepeatedTask {
        eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.interval) { [weak self] _ in self?.tell() }
    }

    // MARK: Snapshots

    private func tell() {
        let scopes = state.withLockedValue { state in
            guard !state.isBusy else { return [DashboardScope]() }
            state.isBusy = !state.watchers.isEmpty
            return state.watchers.values.map(\.scope)
        }
        guard !scopes.isEmpty else { return }
        let isWhole = scopes.contains { $0.room == nil }
        let names = Set(scopes.compactMap(\.room))
        // Who watches one room sees it however many there are.
        let rooms = directory.rooms.sorted { $0.name < $1.name }
        let listed = rooms.enumerated().filter {
            isWhole && $0.offset < bounds.rooms || names.contains($0.element.name)
        }
        let snapshots = listed.map { (_, room) in
            room.eventLoop.submit { [bounds] in
                room.isClosed
                    ? nil : room.loop.meter.measure(.timer, "dashboard") { room.snapshot(bounds, now: $0) }
            }
        }
        EventLoopFuture.whenAllComplete(snapshots, on: eventLoop).whenComplete { [self] result in
            let found = (try? result.get())?.compactMap { try? $0.get() } ?? []
            tell(SnapshotMessages(found, rooms: rooms.map(\.name), keys: directory.configuration.keys.keys.sorted()))
        }
    }

    private func tell(_ messages: SnapshotMessages) {
        let letters = state.withLockedValue { state in
            state.isBusy = false
            var letters: [(stream: HTTPEventStream, event: String, data: String)] = []
            for (id, watcher) in state.watchers {
                let lines = state.journal.lines(after: watcher.journal, for: watcher.scope)
                if !lines.isEmpty { letters.append((watcher.stream, "journal", "[\(lines.joined(separator: ","))]")) }
                letters.append((watcher.stream, "snapshot", messages.text(for: watcher.scope)))
                state.watchers[id]?.journal = state.journal.last
            }
            return letters
        }
        for letter in letters { letter.stream.send(event: letter.event, data: letter.data) }
    }
}

/// The latest lines of the journal. A value.
struct JournalTail {
    private struct Line {
        let number: Int
        let conversation: String
        let text: String
    }

    private static let capacity = 200

    private var kept: [Line] = []
    /// The number of the latest line; -1 before any.
    private(set) var last = -1

    mutating func append(_ event: JournalEvent) {
        guard let text = try? JSONEncoder().encode(event) else { return }
        last += 1
        kept.append(Line(number: last, conversation: event.conversationId, text: String(decoding: text, as: UTF8.self)))
        if kept.count > Self.capacity { kept.removeFirst() }
    }

    /// What somebody has not got yet, and may see, as JSON.
    func lines(after number: Int, for scope: DashboardScope) -> [String] {
        guard !scope.isAudience else { return [] }
        return kept.lazy.filter { $0.number > number && (scope.room == nil || scope.room == $0.conversation) }.map(
            \.text)
    }
}
