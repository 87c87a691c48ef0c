import RTCWire

/// How loud one audio track is, by LiveKit's rule: from the levels that its packets carry (RFC 6464), in windows of media
/// time.
package struct SpeakerLevel: Sendable {
    /// The rule's parameters, with LiveKit's defaults.
    package struct Parameters: Sendable, Hashable {
        /// Packets at least this loud count, in -dBov.
        package var activeLevel: UInt8 = 35
        /// Share of a window that must be loud, in percent.
        package var minimumPercentile = 40
        /// Length of a window in milliseconds.
        package var windowMilliseconds = 400
        /// Windows that the result is smoothed over.
        package var smoothIntervals = 2

        package init() {}
    }

    package private(set) var parameters: Parameters
    private var smoothed = 0.0
    private var lastTimestamp: UInt32?
    private var lastArrival: Instant?
    private var observed = 0.0
    private var active = 0.0
    private var loudest: UInt8 = 127

    package init(parameters: Parameters = Parameters()) { self.parameters = parameters }

    /// Takes a packet's level in; its duration is what its timestamp is ahead of the one before.
    package mutating func observe(_ level: UInt8, timestamp: UInt32, clockRate: UInt32, now: Instant) {
        lastArrival = now
        defer { if lastTimestamp.map({ timestamp.isNewer(than: $0) }) ?? true { lastTimestamp = timestamp } }
        guard let last = lastTimestamp else { return }
        let ticks = timestamp.distance(after: last)
        guard ticks > 0 else { return }
        let milliseconds = Double(ticks) * 1000 / Double(max(clockRate, 1))
        observed += milliseconds
        if level <= parameters.activeLevel {
            active += min(milliseconds, SpeakerLevel.longestPacket)
            loudest = min(loudest, level)
        }
        if observed >= Double(parameters.windowMilliseconds) { closeWindow() }
    }

    /// The level now, linear, 0...1; 0 where nothing has been heard for two windows.
    package func level(now: Instant) -> Double {
        guard let lastArrival else { return 0 }
        let silence = Interval.milliseconds(2 * parameters.windowMilliseconds)
        return now - lastArrival < silence ? smoothed : 0
    }

    private mutating func closeWindow() {
        let window = Double(parameters.windowMilliseconds)
        if active * 100 >= window * Double(parameters.minimumPercentile) {
            // The level less 20 * log10(active / window) decibels, as an amplitude.
            let amplitude = SpeakerLevel.amplitude(of: loudest) * active / window
            smoothed += (amplitude - smoothed) * 2 / (Double(parameters.smoothIntervals) + 1)
        } else {
            smoothed = 0
        }
        observed = 0
        active = 0
        loudest = 127
    }

    /// 10^(-level/20): the linear amplitude of a level in -dBov.
    static func amplitude(of level: UInt8) -> Double {
        var amplitude = 1.0
        for _ in 0..<level { amplitude *= 0.891_250_938_133_745_5 }
        return amplitude
    }

    /// Of an Opus packet, in milliseconds: what a gap adds is silence.
    private static let longestPacket = 120.0
}
