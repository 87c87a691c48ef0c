import RTCWire

/// What one track went through in one window of some seconds.
package struct QualityWindow: Sendable, Hashable {
    package var duration: Interval
    /// Packets that should have come, padding counted in.
    package var expectedPackets = 0
    /// Packets that never came.
    package var lostPackets = 0
    /// Payload bytes that came.
    package var bytes = 0
    /// The largest seen, in milliseconds.
    package var roundTrip = 0.0
    /// The largest seen, in milliseconds.
    package var jitter = 0.0
    /// The other side has sent reports.
    package var hasReports = true
    /// Layers between the largest that should have come and the largest that did.
    package var missingLayers = 0.0
    /// Bits that the sender meant to send; 0 where that isn't known.
    package var expectedBits = 0

    package init(duration: Interval) { self.duration = duration }
}

/// How good the connection is for one track, by LiveKit's rule: a score of 0...100 from windows of about five seconds.
package struct TrackQuality: Sendable {
    /// What is carried: how much a lost packet hurts.
    package enum Content: Sendable, Hashable {
        /// `fec`: with in-band error correction.
        case opus(fec: Bool)
        case red(fec: Bool)
        case video

        var lossWeight: Double {
            switch self {
            case .opus(let fec): fec ? 8 / 1.5 : 8
            case .red(let fec): fec ? 4 / 1.5 : 4
            case .video: 10
            }
        }
    }

    /// How long a window is meant to be.
    package static let window = Interval.seconds(5)

    package let content: Content
    package private(set) var score = ConnectionScore.best
    /// Packets a second in the busiest window so far.
    private var typicalRate = 0.0

    package init(_ content: Content) { self.content = content }

    package var grade: ConnectionGrade { ConnectionGrade(score: score) }

    /// Nothing is meant to come, by somebody's own wish: that is no fault of the connection.
    package mutating func noteMuted() { score = ConnectionScore.best }

    /// Nothing is sent because the connection doesn't carry it.
    package mutating func notePaused() { score = ConnectionScore.paused }

    /// Takes in a window in which the track was meant to flow for at least half of the time.
    package mutating func update(_ window: QualityWindow) {
        guard window.expectedPackets > window.lostPackets else {
            score = window.hasReports ? ConnectionScore.nothingReceived : ConnectionScore.silent
            return
        }
        let weight = lossWeight(window)
        let lossPercent = Double(max(0, window.lostPackets)) * 100 / Double(window.expectedPackets)
        let packets = ConnectionScore.ofPackets(
            roundTrip: window.roundTrip, jitter: window.jitter, lossPercent: lossPercent, weight: weight)
        let now = min(packets, bitrateScore(window), layerScore(window))
        let factor = now < score ? 0.8 : 0.4
        score = max(factor * now + (1 - factor) * score, ConnectionScore.floor)
    }

    /// Loss weighs less while little is sent: in silence, or with the smallest layer.
    private mutating func lossWeight(_ window: QualityWindow) -> Double {
        let rate = Double(window.expectedPackets) / max(window.duration.seconds, 0.001)
        typicalRate = max(typicalRate, rate)
        return content.lossWeight * (rate / typicalRate).squareRoot()
    }

    private func bitrateScore(_ window: QualityWindow) -> Double {
        guard window.expectedBits > 0, window.bytes > 0 else { return ConnectionScore.best }
        let ratio = Double(window.expectedBits) / Double(window.bytes * 8)
        return min(max(ConnectionScore.best - 20 * ratio.naturalLogarithm, 0), ConnectionScore.best)
    }

    private func layerScore(_ window: QualityWindow) -> Double {
        min(max(ConnectionScore.best - 35 * window.missingLayers, 0), ConnectionScore.best)
    }
}
