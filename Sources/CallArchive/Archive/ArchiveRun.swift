import CallBridge
import MediaCore
import RTCWire

/// Records one archive: follows a call as a participant that nobody sees, and does what the machine says.
package actor ArchiveRun {
    /// Who is told of each change, in order.
    package typealias Listener = @Sendable (RoomArchive) -> Void

    private let clock: MediaClock
    private let folder: ArchiveFolder
    private let streamNames: ArchiveStreamNames
    private let packsFiles: Bool
    private let listener: Listener
    private let begun: MediaTime
    private var machine: ArchiveMachine
    private var call: Call?
    private var recordings: [ArchiveRecording] = []
    /// What each stream publishes now, by the provider's ids, and who does.
    private var tracks: [String: [String: RemoteTrack]] = [:]
    private var owners: [String: String] = [:]
    private var watchers: [Task<Void, Never>] = []
    /// The state that stands in the folder.
    private var noted = RoomArchive.State.started

    /// - Parameters:
    ///   - directory: where the archive's folder is made.
    ///   - packsFiles: single files become one, `archive.zip`.
    ///   - listener: must not block.
    package init(
        _ archive: RoomArchive, in directory: String, streamNames: ArchiveStreamNames = .participants,
        packsFiles: Bool = false, clock: MediaClock = .system, listener: @escaping Listener
    ) throws(MediaError) {
        folder = try ArchiveFolder(archive, in: directory)
        self.streamNames = streamNames
        self.packsFiles = packsFiles
        self.clock = clock
        self.listener = listener
        begun = clock.now
        machine = ArchiveMachine(archive, now: Instant(nanoseconds: begun.nanoseconds))
        // Who finds the folder of a process that was killed is to know what it is.
        try folder.write(ArchiveManifest(archive: archive, files: []))
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
        } else if machine.archive.isRunning {
            await handle(.progressed(bytes: recordings.reduce(0) { $0 + $1.recorder.size }))
        }
    }

    private func take(_ event: CallEvent) async {
        switch event {
        case .trackSubscribed(let remote, let track, let participant):
            let stream = streamNames.name(track, participant)
            tracks[stream, default: [:]][track.id] = remote
            owners[stream] = participant.id
            for recording in recordings where recording.stream == stream && recording.ended == nil {
                if recording.kinds.contains(remote.kind) { recording.recorder.attach(remote) }
            }
            await handle(.streamAppeared(stream, isScreen: track.isScreen))
        case .trackUnsubscribed(let track, let participant):
            let stream = streamNames.name(track, participant)
            if let remote = tracks[stream]?.removeValue(forKey: track.id) {
                for recording in recordings where recording.stream == stream { recording.recorder.detach(remote) }
            }
            if tracks[stream]?.isEmpty ?? true { await handle(.streamVanished(stream)) }
        case .participantLeft(let participant, _):
            for stream in owners.filter({ $0.value == participant.id }).keys {
                tracks[stream] = nil
                owners[stream] = nil
                await handle(.streamVanished(stream))
            }
        case .ended: await handle(.roomEnded)
        default: break
        }
    }

    // MARK: What is to be done

    private func perform(_ actions: [ArchiveMachine.Action]) async {
        for action in actions {
            switch action {
            case .record(let stream, let kinds, let isScreen): record(stream, kinds, isScreen)
            case .release(let stream): release(stream)
            case .finish: await finish()
            case .deleteFiles: folder.removeAll()
            case .report: report()
            }
        }
    }

    private func report() {
        let archive = machine.archive
        if archive.isRunning || archive.state == .stopped { note(archive) }
        listener(archive)
    }

    /// A full disk shows where media is written.
    private func note(_ archive: RoomArchive) {
        guard archive.state != noted else { return }
        noted = archive.state
        try? folder.write(ArchiveManifest(archive: archive, files: []))
    }

    private func record(_ stream: String, _ kinds: Set<MediaKind>, _ isScreen: Bool) {
        let recorder = StreamRecorder(kinds: kinds, clock: clock) { [folder] in folder.unused(stream) }
        recordings.append(
            ArchiveRecording(
                recorder: recorder, stream: stream, owner: owners[stream] ?? stream, isScreen: isScreen, kinds: kinds))
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
        var files = results.flatMap { recording, result in
            let moved = recording.lag(result, behind: results)
            return recording.described(result, since: begun, moved: moved, until: end)
        }
        if let failure, machine.archive.state != .failed { await handle(.failed("\(failure)")) }
        if machine.archive.state != .failed {
            let assembly = ArchiveAssembly(
                folder: folder, archive: machine.archive, changes: machine.changes, packsFiles: packsFiles)
            do throws(MediaError) { files = try await assembly.join(files, until: end) } catch {
                await handle(.failed("\(error)"))
            }
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
}
