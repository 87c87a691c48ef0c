import LoadResults

/// What a participant received over time while it is there: a row a second, in as little memory as that takes, for hundreds
/// of them share a process that measures its own heap.
struct TimelineRows {
    private struct Row {
        var packetsExpected: Int32 = 0
        var packetsLost: Int32 = 0
        var bytesReceived: Int32 = 0
        var frozenMs: Int16 = 0
        var spatialLayer: Int8
    }

    private let startSecond: Int
    private var rows: [Row] = []

    init(startSecond: Int) { self.startSecond = startSecond }

    /// What a second brought. Of seconds without a sample nothing is known: what came in them is in the one that follows.
    ///
    /// - Parameter layer: 0 is the smallest; nil where none came.
    mutating func note(_ second: Int, audio: InboundCounters, video: InboundCounters, layer: Int?) {
        guard second >= startSecond + rows.count else { return }
        var row = Row(spatialLayer: Int8(clamping: layer ?? -1))
        while second > startSecond + rows.count { rows.append(row) }
        row.packetsExpected = Int32(clamping: audio.packetsExpected + video.packetsExpected)
        row.packetsLost = Int32(clamping: audio.packetsLost + video.packetsLost)
        row.bytesReceived = Int32(clamping: audio.bytesReceived + video.bytesReceived)
        row.frozenMs = Int16(clamping: Int((video.totalFreezesDuration * 1000).rounded(.towardZero)))
        rows.append(row)
    }

    /// As results have it; nil where there is nothing.
    var columns: ParticipantTimeline? {
        guard !rows.isEmpty else { return nil }
        var timeline = ParticipantTimeline(startSecond: startSecond)
        timeline.packetsExpected = rows.map { Int($0.packetsExpected) }
        timeline.packetsLost = rows.map { Int($0.packetsLost) }
        timeline.bytesReceived = rows.map { Int($0.bytesReceived) }
        timeline.frozenMs = rows.map { Int($0.frozenMs) }
        timeline.spatialLayer = rows.map { Int($0.spatialLayer) }
        return timeline
    }
}
