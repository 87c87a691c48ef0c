/// The share of packets that are lost on the way to a subscriber, from its reports. A value.
///
/// A packet that was lost before it came to us leaves a hole in the subscriber's row of numbers: a subscriber cannot tell that
/// from a loss of its own way, and reports both. What we know of holes is taken off, else a sender's bad network would count as
/// congestion of everybody who watches.
package struct ReportedLoss: Sendable {
    private struct Stream {
        var row: SequenceRow
        /// Of what was reported as lost, the most that was not a hole.
        var most: Int
        /// Reports in a row between which no hole has come or gone.
        var quiet = 0
    }

    private var streams: [UInt32: Stream] = [:]
    /// Mean over the latest handful of reports of all streams: one second of one stream has too few packets to tell a full path
    /// from bad luck.
    private var loss = 0.0
    private var hasNew = false

    private static let smoothing = 0.2
    /// A hole may be known here a report before the subscriber tells of it, or after.
    private static let settled = 2
    /// Those that have ended aren't kept for ever.
    private static let limit = 1_024

    package init() {}

    /// Takes a report block in.
    ///
    /// - Parameters:
    ///   - fraction: that is reported as lost since the report before, 0...1.
    ///   - cumulative: packets that are reported as lost so far.
    ///   - row: the numbers that the stream has given out by now; nil where they aren't known.
    /// - Returns: the share that was lost behind us since the report before, 0...1.
    @discardableResult
    package mutating func note(fraction: Double, cumulative: Int32, of ssrc: UInt32, row: SequenceRow?) -> Double {
        let share = row.map { own(fraction, Int(cumulative), ssrc, $0) } ?? fraction
        loss += (share - loss) * Self.smoothing
        hasNew = true
        return share
    }

    private mutating func own(_ fraction: Double, _ cumulative: Int, _ ssrc: UInt32, _ row: SequenceRow) -> Double {
        let lost = cumulative - row.holes
        guard var stream = streams[ssrc] else {
            if streams.count >= Self.limit { streams.removeAll() }
            streams[ssrc] = Stream(row: row, most: max(lost, 0))
            return row.holes == 0 ? fraction : 0
        }
        defer { streams[ssrc] = stream }
        stream.quiet = row.holes == stream.row.holes ? stream.quiet + 1 : 0
        let given = Int(row.given - stream.row.given) - max(row.holes - stream.row.holes, 0)
        let more = max(lost - stream.most, 0)
        stream.row = row
        // Nothing was lost before us: the subscriber's word holds, and what was missed in counting is made good.
        guard stream.quiet < Self.settled else {
            stream.most = lost
            return fraction
        }
        stream.most = max(stream.most, lost)
        return min(Double(more) / Double(max(given, 1)), 1)
    }

    /// The share over the latest reports, 0...1; 0 where none has come since the last call.
    package mutating func take() -> Double {
        defer { hasNew = false }
        return hasNew ? loss : 0
    }
}

/// The sequence numbers that a subscriber's stream has given out.
package struct SequenceRow: Sendable, Hashable {
    /// The highest, without wrap-around.
    package var given: Int64
    /// Those below it that no packet has: it was lost on its way to us.
    package var holes: Int

    package init(given: Int64, holes: Int) {
        self.given = given
        self.holes = holes
    }
}
