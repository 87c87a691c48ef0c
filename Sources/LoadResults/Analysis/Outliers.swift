/// A participant that fared much worse than the others.
package struct Outlier: Sendable, Equatable {
    package var identity: String
    package var room: String
    /// Half a sentence for people.
    package var finding: String
}

extension LoadResults {
    /// Participants that lost much more, received much less or stood still much longer than the median of their role, the
    /// worst first.
    package var outliers: [Outlier] {
        var found: [(score: Double, outlier: Outlier)] = []
        let receivers = participants.filter { $0.received > 0 }
        let medianLoss = Self.median(receivers.compactMap(\.lossRatio)) ?? 0
        let medianFreeze = Self.median(receivers.compactMap(\.video.inbound.freezeRatio)) ?? 0
        let bitrates = receivers.compactMap { $0.videoBitrate(until: durationSeconds) }
        let medianBitrate = Self.median(bitrates) ?? 0
        for participant in receivers {
            var findings: [String] = []
            var score = 0.0
            if let loss = participant.lossRatio, loss > 0.01, loss > 3 * medianLoss {
                findings.append(
                    "lost \(MetricUnit.ratio.text(loss)) of its packets (median \(MetricUnit.ratio.text(medianLoss)))")
                score += loss * 10
            }
            if let freeze = participant.video.inbound.freezeRatio, freeze > 0.05, freeze > 3 * medianFreeze {
                findings.append("saw a frozen picture for \(MetricUnit.ratio.text(freeze)) of the time")
                score += freeze * 5
            }
            if let bitrate = participant.videoBitrate(until: durationSeconds), bitrate < 0.6 * medianBitrate {
                findings.append(
                    "received \(MetricUnit.bitsPerSecond.text(bitrate)) of video (median "
                        + "\(MetricUnit.bitsPerSecond.text(medianBitrate)))")
                score += 1 - bitrate / medianBitrate
            }
            guard !findings.isEmpty else { continue }
            let outlier = Outlier(
                identity: participant.identity, room: participant.room, finding: findings.joined(separator: ", "))
            found.append((score, outlier))
        }
        return found.sorted { $0.score > $1.score }.map(\.outlier)
    }

    static func median(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
}

extension ParticipantResult {
    /// Packets of both kinds.
    var received: Int { audio.inbound.packetsReceived.saturatingAdd(video.inbound.packetsReceived) }

    /// The share of what was sent to it that is lost, both kinds together.
    package var lossRatio: Double? {
        var both = audio.inbound
        both.add(video.inbound)
        return both.lossRatio
    }

    /// Mean bits a second of its video while it was there.
    package func videoBitrate(until end: Double) -> Double? {
        let stay = (endSecond ?? end) - startSecond
        guard stay >= 1, video.inbound.packetsExpected > 0 else { return nil }
        return Double(video.inbound.bytesReceived) * 8 / stay
    }
}
