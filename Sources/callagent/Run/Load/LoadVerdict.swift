import LoadResults

/// What a load test came to: the judgement on its results, and by name who lacks what.
enum LoadVerdict {
    /// Sentences beyond these are left out.
    private static let named = 5

    static func judge(_ results: inout LoadResults, _ record: LoadRecord, _ thresholds: [Threshold]) {
        results.judge(thresholds)
        let details = details(results, record)
        results.verdicts.failures += details
        results.verdicts.isWhole = results.verdicts.isWhole && details.isEmpty
        results.verdicts.ok = results.verdicts.failures.isEmpty
    }

    private static func details(_ results: LoadResults, _ record: LoadRecord) -> [String] {
        // Where it ended the run, it has been said.
        var details = record.shortage.flatMap { results.interruption == $0 ? nil : [$0] } ?? []
        details += sentences(results.participants.filter { $0.endReason == .joinFailed }) {
            "\($0.identity) did not get into \($0.room): \($0.failure ?? "")"
        }
        details += sentences(results.participants.filter { [.disconnected, .removed].contains($0.endReason) }) {
            "\($0.identity) was lost from \($0.room): \($0.failure ?? "")"
        }
        details += sentences(results.participants.filter { $0.audio.inbound.framesDropped > 0 }) {
            missing($0, "packets of sound", $0.audio.inbound)
        }
        details += sentences(results.participants.filter { $0.video.inbound.framesDropped > 0 }) {
            missing($0, "pictures", $0.video.inbound)
        }
        let rooms = Set(results.participants.filter { $0.role != .subscriber && $0.joinMs != nil }.map(\.room))
        details += sentences(results.participants.filter { rooms.contains($0.room) && heardNothing($0) }) {
            "\($0.identity) in \($0.room) received nothing"
        }
        if let growth = growth(record.cycles) { details.append(growth) }
        if record.misdelivered > 0 { details.append("\(record.misdelivered) frames came under another's name") }
        if record.cards.wrong > 0 {
            details.append("of \(record.cards.decoded) decoded pictures \(record.cards.wrong) show something else")
        }
        return details
    }

    /// The first cycle fills what is kept for use again; after that nothing may be left over.
    static func growth(_ cycles: [CycleRemainder]) -> String? {
        guard cycles.count > 2, let last = cycles.last else { return nil }
        let before = cycles[cycles.count - 2]
        if last.openFiles > before.openFiles {
            return "\(last.openFiles - before.openFiles) files more than a cycle before are open at the end"
        }
        guard Double(last.heapBytes) > 1.01 * Double(before.heapBytes) else { return nil }
        return "the heap grew by \((last.heapBytes - before.heapBytes) / 1024) KiB in the last cycle"
    }

    private static func missing(_ participant: ParticipantResult, _ what: String, _ counts: InboundCounters) -> String {
        let expected = counts.framesReceived + counts.framesDropped
        return "\(participant.identity) in \(participant.room) lacks \(counts.framesDropped) of \(expected) \(what)"
    }

    /// It was there for five seconds, and nothing came.
    private static func heardNothing(_ participant: ParticipantResult) -> Bool {
        participant.role != .publisher && participant.endReason == .left && participant.joinMs != nil
            && (participant.endSecond ?? 0) - participant.startSecond > 5
            && participant.audio.inbound.packetsReceived + participant.video.inbound.packetsReceived == 0
    }

    private static func sentences(
        _ participants: [ParticipantResult], _ sentence: (ParticipantResult) -> String
    ) -> [String] {
        let shown = participants.prefix(named).map(sentence)
        guard participants.count > named else { return shown }
        return shown + ["and \(participants.count - named) more like that"]
    }
}
