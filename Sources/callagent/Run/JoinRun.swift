import CallBridge
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

    init(
        _ participant: AgentParticipant, call: Call, published: [LocalMedia], duration: Double?,
        journal: CallJournal, follower: CallFollower, data: DataOptions
    ) {
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
        for media in published { try await call.publish(media) }
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
        if let sendFailure {
            report.failures.append("data: \(sendFailure)")
            report.ok = false
        }
        await call.leave()
        await participant.finish()
        report.note(journal.finish())
        if let failure = await participant.failure { throw failure }
        return report
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
        for (_, track) in snapshot.tracks { report.tracks.append(await judged(track)) }
        report.tracks += sentTracks(snapshot.senders)
        report.failures = report.tracks.compactMap { track in
            track.failure.map { "\(track.kind) of \(track.from): \($0)" }
        }
        if let ending = await participant.ending {
            report.failures.append("the call ended early: \(ending.reason.rawValue), \(ending.detail)")
        }
        report.activeSpeaker = ActiveSpeakerReport(accuracy: nil, switches: speakers.count)
        report.connectMs = await call.connectMilliseconds
        if report.connectMs == nil { report.failures.append("media never connected") }
        report.srtpProfile = own.srtpProfile
        report.durationSeconds = ((MediaTime.now.seconds - start.seconds) * 10).rounded() / 10
        let used = Resources.now
        report.cpuSeconds = used.cpuSeconds
        report.peakRssMiB = used.peakRSSMiB
        report.lateness = WakeMeter.process.lateness
        report.events = await participant.events
        report.data = await participant.data
        report.ok = report.failures.isEmpty
        return report
    }

    /// A subscribed, unmuted track of somebody who is still there must have given something.
    private func judged(_ track: TrackReport) async -> TrackReport {
        var track = track
        let isMuted = await call.participants.first { $0.identity == track.from }?
            .tracks.first { $0.kind.rawValue == track.kind }?.isMuted
        if isMuted == false, track.framesDecoded == 0 { track.failure = "nothing arrived" }
        if let missing = track.framesMissing, missing > 0 { track.failure = "\(missing) pictures are missing" }
        track.ok = track.failure == nil
        return track
    }

    /// What we sent, as tracks to everybody.
    private func sentTracks(_ senders: [SenderStatistics]) -> [TrackReport] {
        senders.map { sender in
            var track = TrackReport(
                from: participant.identity, to: "*", kind: sender.kind.rawValue, codec: sender.codec)
            track.packetsSent = sender.packetsSent
            track.framesSent = sender.framesSent
            if sender.packetsSent == 0 { track.failure = "nothing was sent" }
            track.ok = track.failure == nil
            return track
        }
    }
}

/// The text that `join` prints at its end.
enum JoinSummary {
    static func text(_ report: RunReport) -> String {
        let summary = SummaryText()
        var lines = [
            "\(report.identity ?? "") was there for \(report.durationSeconds) s, \(report.srtpProfile ?? "no SRTP")",
            "",
        ]
        lines += summary.tracks(report)
        lines += summary.lateness(report.lateness)
        lines.append("")
        return (lines + summary.verdict(report)).joined(separator: "\n")
    }
}
