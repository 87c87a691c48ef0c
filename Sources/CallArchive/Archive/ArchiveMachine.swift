import MediaCore
import RTCWire

/// An archive's life as a value: what happens in the room and what is asked of it come in, what is to be recorded comes
/// out.
package struct ArchiveMachine: Sendable {
    /// What happens in the room, and what is asked.
    package enum Event: Sendable, Hashable {
        /// Somebody publishes.
        case streamAppeared(String, isScreen: Bool)
        case streamVanished(String)
        /// In manual mode: a stream is to be in the archive, now or as soon as it appears.
        case add(String, hasAudio: Bool, hasVideo: Bool)
        case remove(String)
        case arrange(ArchiveLayout, screen: ArchiveLayout? = nil)
        case classes(String, Set<String>)
        case stop
        /// The room is gone for us.
        case roomEnded
        /// So much is written by now.
        case progressed(bytes: Int)
        /// Something could not be written.
        case failed(String)
        /// All files are closed; bytes and seconds of them.
        case finished(bytes: Int, seconds: Double)
        case delete
        case expire
    }

    /// What is to be done, in this order.
    package enum Action: Sendable, Hashable {
        case record(String, kinds: Set<MediaKind>, isScreen: Bool)
        case release(String)
        /// Close all recordings, leave the room, make the file; then tell `finished` or `failed`.
        case finish
        case deleteFiles
        /// The archive is another one now: tell whoever has to know.
        case report
    }

    /// How long nobody may publish before the archive pauses, and before it ends.
    package static let pauseDelay = Interval.seconds(60)
    package static let emptyLimit = Interval.seconds(3_600)
    /// As documented: four hours.
    package static let longest = Interval.seconds(14_400)
    /// Streams beyond that are left out.
    static let streamLimit = 50

    package private(set) var archive: RoomArchive
    /// Changes for the composition, by milliseconds since the beginning.
    package private(set) var changes: [(time: Int64, change: Composition.Change)] = []

    private let begun: Instant
    /// Streams in the room, and what of them is recorded.
    private var present: [String: Bool] = [:]
    private var chosen: [String: Set<MediaKind>] = [:]
    private var emptySince: Instant?
    private var isFinishing = false

    package init(_ archive: RoomArchive, now: Instant) {
        self.archive = archive
        begun = now
        emptySince = now
        changes = [(0, .layout(archive.layout, screen: archive.screenLayout))]
    }

    /// When `advance` wants to be called.
    package var nextDeadline: Instant {
        guard archive.isRunning else { return .distantFuture }
        let end = begun + Self.longest
        guard let emptySince else { return end }
        return min(end, emptySince + (archive.state == .started ? Self.pauseDelay : Self.emptyLimit))
    }

    /// Does what is due.
    package mutating func advance(to now: Instant, into actions: inout [Action]) {
        guard archive.isRunning else { return }
        if now - begun >= Self.longest { return end("maximum duration exceeded", now, into: &actions) }
        guard let emptySince else { return }
        if now - emptySince >= Self.emptyLimit {
            end("session ended", now, into: &actions)
        } else if archive.state == .started, now - emptySince >= Self.pauseDelay {
            archive.state = .paused
            actions.append(.report)
        }
    }

    /// Takes in what has happened. What doesn't fit the archive's state is ignored.
    package mutating func handle(_ event: Event, now: Instant, into actions: inout [Action]) {
        switch event {
        case .finished(let bytes, let seconds): finish(bytes, seconds, into: &actions)
        case .failed(let reason): fail(reason, now, into: &actions)
        case .delete: vanish(.deleted, into: &actions)
        case .expire: vanish(.expired, into: &actions)
        default:
            guard archive.isRunning else { return }
            handleRunning(event, now, into: &actions)
        }
    }

    private mutating func handleRunning(_ event: Event, _ now: Instant, into actions: inout [Action]) {
        let time = (now - begun).milliseconds
        switch event {
        case .streamAppeared(let stream, let isScreen):
            present[stream] = isScreen
            if archive.streamMode == .auto { chosen[stream] = kinds(true, true) }
            begin(stream, now, into: &actions)
        case .streamVanished(let stream):
            present[stream] = nil
            release(stream, now, into: &actions)
        case .add(let stream, let hasAudio, let hasVideo):
            guard archive.streamMode == .manual, chosen.count < Self.streamLimit else { return }
            release(stream, now, into: &actions)
            chosen[stream] = kinds(hasAudio, hasVideo)
            begin(stream, now, into: &actions)
        case .remove(let stream):
            guard archive.streamMode == .manual else { return }
            chosen[stream] = nil
            release(stream, now, into: &actions)
        case .arrange(let layout, let screen):
            (archive.layout, archive.screenLayout) = (layout, screen)
            changes.append((Int64(time), .layout(layout, screen: screen)))
        case .classes(let stream, let names): changes.append((Int64(time), .classes(stream: stream, names)))
        case .progressed(let bytes):
            archive.size = bytes
            archive.duration = max(0, (now - begun).milliseconds / 1_000)
            actions.append(.report)
        case .stop: end("user initiated", now, into: &actions)
        case .roomEnded: end("session ended", now, into: &actions)
        case .failed, .finished, .delete, .expire: break
        }
    }

    // MARK: Streams

    private func kinds(_ hasAudio: Bool, _ hasVideo: Bool) -> Set<MediaKind> {
        var kinds: Set<MediaKind> = []
        if hasAudio, archive.hasAudio { kinds.insert(.audio) }
        if hasVideo, archive.hasVideo { kinds.insert(.video) }
        return kinds
    }

    private mutating func begin(_ stream: String, _ now: Instant, into actions: inout [Action]) {
        guard let isScreen = present[stream], let kinds = chosen[stream], !kinds.isEmpty,
            !archive.streams.contains(stream), archive.streams.count < Self.streamLimit
        else { return }
        archive.streams.append(stream)
        emptySince = nil
        actions.append(.record(stream, kinds: kinds, isScreen: isScreen))
        guard archive.state == .paused else { return }
        archive.state = .started
        actions.append(.report)
    }

    private mutating func release(_ stream: String, _ now: Instant, into actions: inout [Action]) {
        guard let index = archive.streams.firstIndex(of: stream) else { return }
        archive.streams.remove(at: index)
        if archive.streams.isEmpty { emptySince = now }
        actions.append(.release(stream))
    }

    // MARK: End

    private mutating func end(_ reason: String, _ now: Instant, into actions: inout [Action]) {
        archive.state = .stopped
        archive.reason = reason
        archive.duration = max(0, (now - begun).milliseconds / 1_000)
        isFinishing = true
        actions += [.report, .finish]
    }

    private mutating func finish(_ bytes: Int, _ seconds: Double, into actions: inout [Action]) {
        guard isFinishing else { return }
        isFinishing = false
        archive.size = bytes
        archive.duration = seconds
        archive.isComplete = true
        archive.streams = []
        if archive.state == .stopped { archive.state = .available }
        actions.append(.report)
    }

    /// What else is recorded is closed as it should be.
    private mutating func fail(_ reason: String, _ now: Instant, into actions: inout [Action]) {
        guard archive.isRunning || archive.state == .stopped else { return }
        let wasRunning = archive.isRunning
        if wasRunning { archive.duration = max(0, (now - begun).milliseconds / 1_000) }
        archive.state = .failed
        archive.reason = reason
        actions.append(.report)
        guard wasRunning else { return }
        isFinishing = true
        actions.append(.finish)
    }

    private mutating func vanish(_ state: RoomArchive.State, into actions: inout [Action]) {
        guard archive.state == .available || archive.state == .failed, !isFinishing else { return }
        archive.state = state
        archive.size = 0
        actions += [.deleteFiles, .report]
    }
}
