import Synchronization

/// Speaks in turns: plays other sources at given times, and silence in between.
///
/// A source is read only while its turn lasts, so it goes on where it stopped.
public final class ScheduledAudioSource: AudioSource {
    /// One turn.
    public struct Turn: Sendable {
        /// Seconds from the start of the schedule.
        public let start: Double
        /// Seconds from the start of the schedule; not before ``start``.
        public let end: Double
        /// What is played; mono sources are doubled in a stereo schedule, and a stereo source needs one.
        public let source: any AudioSource

        /// Makes a turn of `source` from `start` to `end` seconds.
        public init(from start: Double, to end: Double, _ source: any AudioSource) {
            self.start = start
            self.end = end
            self.source = source
        }
    }

    /// 1 or 2.
    public let channels: Int
    private let turns: [Slot]
    private let period: Int?
    private let position = Mutex(0)

    private struct Slot {
        let range: Range<Int>
        let source: any AudioSource
    }

    /// Samples over which a turn fades in and out, so that its edges don't click.
    private static let fade = 240

    /// - Parameters:
    ///   - turns: in any order, not overlapping.
    ///   - period: seconds after which the schedule starts over; nil for silence after the last turn.
    ///   - channels: 1 or 2.
    public init(turns: [Turn], period: Double? = nil, channels: Int = 1) throws(MediaError) {
        self.channels = min(max(channels, 1), 2)
        var slots: [Slot] = []
        for turn in turns.sorted(by: { $0.start < $1.start }) {
            guard turn.start >= 0, turn.end >= turn.start, turn.end < 1e9 else {
                throw Self.error("a turn from \(turn.start) to \(turn.end) s is not possible")
            }
            guard turn.source.channels <= self.channels else {
                throw Self.error("a stereo source can't play in a mono schedule")
            }
            let slot = Slot(range: Self.samples(turn.start)..<Self.samples(turn.end), source: turn.source)
            if let last = slots.last, last.range.upperBound > slot.range.lowerBound {
                throw Self.error("the turns at \(turn.start) s overlap")
            }
            slots.append(slot)
        }
        if let period {
            guard period > 0, period < 1e9, (slots.last?.range.upperBound ?? 0) <= Self.samples(period) else {
                throw Self.error("a period of \(period) s doesn't hold all turns")
            }
        }
        self.turns = slots
        self.period = period.map { max(1, Self.samples($0)) }
    }

    /// Writes interleaved samples; never ends.
    public func read(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
        position.withLock { position in
            var written = 0
            let wanted = output.count / channels
            while written < wanted {
                if let period, position == period { position = 0 }
                let rest = UnsafeMutableBufferPointer(rebasing: output[(written * channels)..<(wanted * channels)])
                let count = play(at: position, into: rest)
                position += count
                written += count
            }
            return written
        }
    }

    /// Plays up to the next edge of the schedule and returns the samples per channel.
    private func play(at position: Int, into output: UnsafeMutableBufferPointer<Int16>) -> Int {
        var limit = output.count / channels
        if let period { limit = min(limit, period - position) }
        guard let slot = turns.first(where: { $0.range.upperBound > position }) else {
            return silence(limit, output)
        }
        guard slot.range.contains(position) else {
            return silence(min(limit, slot.range.lowerBound - position), output)
        }
        let count = min(limit, slot.range.upperBound - position)
        let part = UnsafeMutableBufferPointer(rebasing: output[..<(count * channels)])
        Self.fill(part, channels: channels, from: slot.source)
        fade(part, at: position, in: slot.range)
        return count
    }

    private func silence(_ count: Int, _ output: UnsafeMutableBufferPointer<Int16>) -> Int {
        output[..<(count * channels)].update(repeating: 0)
        return count
    }

    /// Reads from a source of the same or half as many channels; what it doesn't give is silence.
    private static func fill(
        _ output: UnsafeMutableBufferPointer<Int16>, channels: Int, from source: any AudioSource
    ) {
        let wanted = output.count / channels * source.channels
        let got = source.read(into: UnsafeMutableBufferPointer(rebasing: output[..<wanted])) * source.channels
        output[got..<wanted].update(repeating: 0)
        guard source.channels < channels else { return }
        for index in stride(from: wanted - 1, through: 0, by: -1) {
            output[2 * index] = output[index]
            output[2 * index + 1] = output[index]
        }
    }

    private func fade(_ samples: UnsafeMutableBufferPointer<Int16>, at position: Int, in range: Range<Int>) {
        let count = samples.count / channels
        guard position - range.lowerBound < Self.fade || range.upperBound - position - count < Self.fade else { return }
        for index in 0..<count {
            let distance = min(position + index - range.lowerBound, range.upperBound - 1 - position - index)
            guard distance < Self.fade else { continue }
            for channel in 0..<channels {
                let value = Int(samples[index * channels + channel]) * distance / Self.fade
                samples[index * channels + channel] = Int16(truncatingIfNeeded: value)
            }
        }
    }

    private static func samples(_ seconds: Double) -> Int { Int((seconds * Double(AudioFrame.sampleRate)).rounded()) }

    private static func error(_ problem: String) -> MediaError {
        MediaError(.argument, "schedule", problem, remedy: "give turns that follow each other within the period")
    }
}
