import CallBridge
import CallModel
import Foundation
import MediaCore

/// The course of `callagent join`: publish, stay, report, leave.
struct JoinRun {
    private let participant: AgentParticipant
    private let call: Call
    private let published: [LocalMedia]
    private let duration: Double?
    private let journal: CallJournal
    private let follower: CallFollower
    private let data: DataOptions
    private let subscribesAutomatically: Bool
    private let stats: StatsLog?

    init(
        _ participant: AgentParticipant, call: Call, published: [LocalMedia], duration: Double?,
        journal: CallJournal, follower: CallFollower, data: DataOptions, subscribesAutomatically: Bool,
        stats: StatsLog? = nil
    ) {
        self.stats = stats
        self.subscribesAutomatically = subscribesAutomatically
        self.data = data
        self.journal = journal
        self.follower = follower
        self.participant = participant
        self.call = call
        self.published = published
        self.duration = duration
    }

    func run(progress: Progress) async throws -> RunReport {
        defer { progress.end() }
        await participant.start()
        do { try await publish() } catch {
            await call.leave()
            await participant.finish()
            journal.finish()
            throw error
        }
        follower.publish(await call.publishedMedia)
        await call.onRPC("echo") { [participant] invocation in
            await participant.noteRPCAnswered()
            return invocation.payload
        }
        let start = MediaTime.now
        let sending = Task { [data, call, participant] in try await data.send(in: call, telling: participant) }
        await stay(since: start, progress: progress)
        sending.cancel()
        let sendFailure: (any Error)?
        do {
            try await sending.value
            sendFailure = nil
        } catch {
            sendFailure = error is CancellationError ? nil : error
        }
        var report = await conclude(since: start)
        if let sendFailure { report.fail(.data, "data: \(sendFailure)") }
        await call.leave()
        for failure in await participant.finish() { report.fail(.output, "recording: \(failure)") }
        report.note(await participant.finishContainers())
        do { try stats?.close() } catch { report.fail(.output, "\(error)") }
        for refusal in await participant.refusals { report.fail(.refused, refusal) }
        report.note(journal.finish())
        return report
    }

    /// Publishes what is to be published. A call that ends meanwhile is no error here: its end says why.
    private func publish() async throws {
        do {
            try await call.publish(published)
        } catch let error as CallError where error.code == .providerLost {
            await participant.untilEnded()
        }
    }

    /// Until the duration is over, the call ends, or the user interrupts.
    private func stay(since start: MediaTime, progress: Progress) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await Interruption.wait() }
            group.addTask { [duration] in
                while !Task.isCancelled {
                    let elapsed = MediaTime.now.seconds - start.seconds
                    if let duration, elapsed >= duration { return }
                    if await participant.ending != nil { return }
                    await stats?.sample([participant])
                    let flowing = await participant.flowing()
                    let speaker = await call.activeSpeaker?.name ?? "nobody"
                    progress.show(String(format: "%6.1f s  %d tracks flow, %@ speaks", elapsed, flowing, speaker))
                    try? await Task.sleep(for: .seconds(max(0.01, min(0.25, (duration ?? .infinity) - elapsed))))
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func conclude(since start: MediaTime) async -> RunReport {
        var report = RunReport()
        report.identity = participant.identity
        report.provider = call.descriptor.provider.rawValue
        let snapshot = await participant.snapshot()
        var own = snapshot.own
        let speakers = snapshot.speakers
        own.activeSpeaker = ActiveSpeakerReport(accuracy: nil, switches: speakers.count)
        report.participants = [own]
        for other in await call.participants where !other.isLocal {
            report.participants.append(ParticipantReport(identity: other.identity))
        }
        report.met = snapshot.course.tracks.met
        report.reconnects = snapshot.course.reconnects
        judge(snapshot, &report)
        report.interrupted = Interruption.cause?.rawValue
        report.ended = await participant.ending
        if let ended = report.ended { report.fail(.endedEarly, ended.sentence) }
        report.activeSpeaker = ActiveSpeakerReport(accuracy: nil, switches: speakers.count)
        report.connectMs = await call.connectMilliseconds
        if report.connectMs == nil { report.fail(.neverConnected, "media never connected\(await waitedFor)") }
        report.srtpProfile = own.srtpProfile
        report.durationSeconds = ((MediaTime.now.seconds - start.seconds) * 10).rounded() / 10
        let used = Resources.now
        report.cpuSeconds = used.cpuSeconds
        report.peakRssMiB = used.peakRSSMiB
        report.lateness = WakeMeter.process.lateness
        report.events = await participant.events
        report.data = await participant.data
        return report
    }

    /// Which TURN servers have not answered, where nothing goes without them.
    private var waitedFor: String {
        get async {
            let awaited = await call.statistics().awaitedRelays
            guard !awaited.isEmpty else { return "" }
            return ": no relay yet from \(awaited.joined(separator: ", ")); check address and port, and that nothing "
                + "blocks the way"
        }
    }

    private func judge(_ snapshot: AgentParticipant.Snapshot, _ report: inout RunReport) {
        let judge = JoinJudge(
            reception: ReceptionJudge(lateMilliseconds: WakeMeter.process.lateness.lateMilliseconds),
            courses: snapshot.course.tracks, now: snapshot.time, subscribesAutomatically: subscribesAutomatically)
        var tracks: [TrackReport] = []
        for (probe, received) in snapshot.tracks {
            var track = received
            judge.judge(&track, id: probe.id)
            tracks.append(track)
        }
        tracks += judge.missed(Set(snapshot.tracks.map(\.probe.id)), by: participant.identity)
        tracks += sentTracks(snapshot.senders)
        for track in tracks { report.add(track, named: "\(track.kind) of \(track.from.printable(limit: 64))") }
        if !published.isEmpty {
            for refusal in snapshot.course.publishing.refusals { report.fail(.forbidden, refusal) }
        }
        if snapshot.course.isLost { report.fail(.reconnected, "the connection was lost and is not back") }
    }

    /// What we sent, as tracks to everybody.
    private func sentTracks(_ senders: [SenderStatistics]) -> [TrackReport] {
        senders.map { sender in
            var track = TrackReport(
                from: participant.identity, to: "*", kind: sender.kind.rawValue, codec: sender.codec)
            track.packetsSent = sender.packetsSent
            track.framesSent = sender.framesSent
            if sender.packetsSent == 0 { track.fail(.notSent, "nothing was sent") }
            return track
        }
    }
}
