import CallBridge
import Foundation
import MediaCore
import RTCWire

/// Records one archive: follows a call as a participant that nobody sees, and does what the machine says.
package actor ArchiveRun {
    /// Who is told of each change, in order.
    package typealias Listener = @Sendable (RoomArchive) -> Void

    private struct Recording {
        let recorder: StreamRecorder
        let stream: String
        let isScreen: Bool
        let kinds: Set<MediaKind>
        /// Milliseconds from the archive's beginning; nil while it goes on.
        var ended: Int64?
    }

    private let clock: MediaClock
    private let folder: ArchiveFolder
    private let listener: Listener
    private let begun: MediaTime
    private let bitrate: Int
    private var machine: ArchiveMachine
    private var call: Call?
    private var recordings: [Recording] = []
    /// What each stream publishes now, by the provider's ids.
    private var tracks: [String: [String: RemoteTrack]] = [:]
    private var watchers: [Task<Void, Never>] = []

    /// - Parameters:
    ///   - directory: where the archive's folder is made.
    ///   - bitrate: of a composed archive.
    ///   - listener: must not block.
    package init(
        _ archive: RoomArchive, in directory: String, bitrate: Int = 1_000_000, clock: MediaClock = .system,
        listener: @escaping Listener
    ) throws(MediaError) {
        folder = try ArchiveFolder(archive.id, in: directory)
        self.clock = clock
        self.listener = listener
        self.bitrate = bitrate
        begun = clock.now
        machine = ArchiveMachine(archive, now: Instant(nanoseconds: begun.nanoseconds))
    }

    /// The archive as it stands.
    package var archive: RoomArchive { machine.archive }

    /// Follows a call that was joined for this archive alone.
    package func follow(_ call: Call) {
        self.call = call
        let events = call.events
        watchers.append(
            Task { [weak self] in
                for await event in events { await self?.take(event) }
            })
        watchers.append(
            Task { [weak self, clock] in
                while let deadline = await self?.nextDeadline {
                    do { try await clock.wait(until: deadline) } catch { return }
                    await self?.advance()
                }
            })
    }

    /// Takes in what is asked of the archive.
    package func handle(_ event: ArchiveMachine.Event) async {
        var actions: [ArchiveMachine.Action] = []
        machine.handle(event, now: now, into: &actions)
        await perform(actions)
    }

    // MARK: The room

    private var now: Instant { Instant(nanoseconds: clock.now.nanoseconds) }

    private var nextDeadline: MediaTime? {
        let deadline = machine.nextDeadline
        // Full disks are to be noticed without being asked for.
        let soon = now + .seconds(1)
        return machine.archive.isRunning ? MediaTime(nanoseconds: min(deadline, soon).nanoseconds) : nil
    }

    private func advance() async {
        var actions: [ArchiveMachine.Action] = []
        machine.advance(to: now, into: &actions)
        await perform(actions)
        if let failure = recordings.lazy.compactMap(\.recorder.result.failure).first, machine.archive.isRunning {
            await handle(.failed("\(failure)"))
        }
    }

    private func take(_ event: CallEvent) async {
        switch event {
        case .trackSubscribed(let remote, let track, let participant):
            let stream = Self.stream(track, participant)
            tracks[stream, default: [:]][track.id] = remote
            for recording in recordings where recording.stream == stream && recording.ended == nil {
                if recording.kinds.contains(remote.kind) { recording.recorder.attach(remote) }
            }
            await handle(.streamAppeared(stream, isScreen: track.isScreen))
        case .trackUnsubscribed(let track, let participant):
            let stream = Self.stream(track, participant)
            if let remote = tracks[stream]?.removeValue(forKey: track.id) {
                for recording in recordings where recording.stream == stream { recording.recorder.detach(remote) }
            }
            if tracks[stream]?.isEmpty ?? true { await handle(.streamVanished(stream)) }
        case .participantLeft(let participant, _):
            for stream in [participant.identity, participant.identity + Self.screenSuffix] {
                tracks[stream] = nil
                await handle(.streamVanished(stream))
            }
        case .ended: await handle(.roomEnded)
        default: break
        }
    }

    private static let screenSuffix = "-screen"

    /// What somebody shows of themselves is one stream, a shared screen another.
    private static func stream(_ track: Track, _ participant: Participant) -> String {
        participant.identity + (track.isScreen ? screenSuffix : "")
    }

    // MARK: What is to be done

    private func perform(_ actions: [ArchiveMachine.Action]) async {
        for action in actions {
            switch action {
            case .record(let stream, let kinds, let isScreen): record(stream, kinds, isScreen)
            case .release(let stream): release(stream)
            case .finish: await finish()
            case .deleteFiles: folder.removeAll()
            case .report: listener(machine.archive)
            }
        }
    }

    private func record(_ stream: String, _ kinds: Set<MediaKind>, _ isScreen: Bool) {
        let recorder = StreamRecorder(kinds: kinds, clock: clock) { [folder] in folder.unused(stream) }
        recordings.append(Recording(recorder: recorder, stream: stream, isScreen: isScreen, kinds: kinds))
        for track in (tracks[stream] ?? [:]).values where kinds.contains(track.kind) { recorder.attach(track) }
    }

    private func release(_ stream: String) {
        for index in recordings.indices where recordings[index].stream == stream && recordings[index].ended == nil {
            recordings[index].ended = elapsed
            _ = recordings[index].recorder.close()
        }
    }

    private var elapsed: Int64 { (clock.now.nanoseconds - begun.nanoseconds) / 1_000_000 }

    private func finish() async {
        let end = elapsed
        let results = recordings.map { ($0, $0.recorder.close()) }
        recordings = []
        await call?.leave()
        call = nil
        for watcher in watchers.dropFirst() { watcher.cancel() }
        watchers = []
        let failure = results.lazy.compactMap { $0.1.failure }.first
        var files = results.flatMap { described($0.0, $0.1, until: end) }
        if machine.archive.outputMode == .composed, failure == nil, machine.archive.state != .failed, !files.isEmpty {
            do throws(MediaError) { files = try await compose(files, until: end) } catch {
                await handle(.failed("\(error)"))
            }
        } else if let failure, machine.archive.state != .failed {
            await handle(.failed("\(failure)"))
        }
        await conclude(files, seconds: Double(end) / 1_000)
    }

    private func conclude(_ files: [ArchiveManifest.File], seconds: Double) async {
        let end = ArchiveMachine.Event.finished(bytes: files.reduce(0) { $0 + $1.size }, seconds: seconds)
        // Who hears that it is complete finds the manifest there.
        var concluded = machine
        var actions: [ArchiveMachine.Action] = []
        concluded.handle(end, now: now, into: &actions)
        do throws(MediaError) {
            try folder.write(ArchiveManifest(archive: concluded.archive, files: files))
        } catch {
            await handle(.failed("\(error)"))
        }
        await handle(end)
    }

    private func described(
        _ recording: Recording, _ result: StreamRecorder.Result, until end: Int64
    ) -> [ArchiveManifest.File] {
        guard let beginning = result.beginning else { return [] }
        let start = (beginning.nanoseconds - begun.nanoseconds) / 1_000_000
        return result.files.map { file in
            ArchiveManifest.File(
                filename: URL(fileURLWithPath: file).lastPathComponent, streamId: recording.stream,
                videoType: recording.isScreen ? "screen" : "camera", startTimeOffset: max(0, start),
                stopTimeOffset: recording.ended ?? end, size: result.bytes)
        }
    }

    /// Makes one file of all, elsewhere than here: it takes long. The others are deleted.
    private func compose(
        _ files: [ArchiveManifest.File], until end: Int64
    ) async throws(MediaError) -> [ArchiveManifest.File] {
        let archive = machine.archive
        var composition = Composition(
            parts: files.map {
                Composition.Part(
                    path: "\(folder.path)/\($0.filename)", stream: $0.streamId, begins: $0.startTimeOffset,
                    ends: $0.stopTimeOffset, isScreen: $0.videoType == "screen")
            }, milliseconds: end)
        composition.changes = machine.changes
        (composition.width, composition.height) = (archive.width, archive.height)
        composition.bitrate = bitrate
        if !archive.hasAudio { composition.kinds.remove(.audio) }
        if !archive.hasVideo { composition.kinds.remove(.video) }
        let size = try await Self.run(composition, to: folder.composed).get()
        folder.remove(files.map { "\(folder.path)/\($0.filename)" })
        return [
            ArchiveManifest.File(
                filename: "archive.webm", streamId: "", videoType: "composed", startTimeOffset: 0, stopTimeOffset: end,
                size: size)
        ]
    }

    private static func run(_ composition: Composition, to path: String) async -> Result<Int, MediaError> {
        await Task.detached(priority: .utility) {
            var composer = Composer(composition)
            do throws(MediaError) { return .success(try composer.compose(to: path)) } catch { return .failure(error) }
        }.value
    }
}

extension Track {
    var isScreen: Bool { source == .screenShare || source == .screenShareAudio }
}
