import MediaCore
import RTCWire

/// Places the frames of one participant on our clock, nanoseconds, so that sound and pictures stay in step and the network's
/// jitter doesn't show. A value.
///
/// A stream's fastest frame so far sets the relation between its time stamps and our clock. Once sender reports have told
/// how sound and pictures lie to each other, the pictures follow the sound.
package struct RecordingTimeline: Sendable {
    /// A time stamp that leads further away from its arrival begins another line: the sender's clock was set anew.
    static let tolerance: Int64 = 1_000_000_000
    /// How much a picture's time may be moved against the one before it, so that no step shows.
    static let slew: Int64 = 2_000_000

    private struct Stream {
        let rate: Int64
        var last: UInt32
        var ticks: Int64 = 0
        var offset: Int64
        var frames = 0
        /// How far sender reports move the stream; pictures only.
        var correction: Int64 = 0
        /// The sender's clock by ours: what is to be added to NTP time.
        var clockOffset: Int64?

        init(_ frame: ReceivedFrame) {
            rate = frame.codec.clockRate
            last = frame.timestamp
            offset = frame.arrival.nanoseconds
        }

        func distance(to timestamp: UInt32) -> Int64 { Int64(Int32(bitPattern: timestamp &- last)) }

        /// A moment of the stream by our clock, as arrivals tell.
        func time(_ ticks: Int64) -> Int64 {
            ticks / rate * 1_000_000_000 + ticks % rate * 1_000_000_000 / rate + offset
        }
    }

    private var streams: [Int: Stream] = [:]
    /// The stream of sound that pictures follow.
    private var sound: Int?
    /// The sender's clock by ours, as its sound and its pictures have told last: nanoseconds to be added to NTP time. Pictures
    /// that follow sound tell nothing of their own.
    private(set) var soundClock: Int64?, pictureClock: Int64?

    package init() {}

    /// When a frame was captured, on our clock.
    ///
    /// - Parameter stream: tells the participant's streams apart; one that begins anew has another number.
    package mutating func time(of frame: ReceivedFrame, stream number: Int) -> Int64 {
        var stream = streams[number] ?? Stream(frame)
        stream.ticks += stream.distance(to: frame.timestamp)
        stream.last = frame.timestamp
        follow(frame, &stream)
        if let clock = frame.clock { follow(clock, &stream, number, kind: frame.codec.kind) }
        stream.frames += 1
        streams[number] = stream
        return stream.time(stream.ticks) + stream.correction
    }

    /// Forgets a stream.
    package mutating func end(_ number: Int) {
        streams[number] = nil
        if sound == number { sound = nil }
    }

    private func follow(_ frame: ReceivedFrame, _ stream: inout Stream) {
        let arrival = frame.arrival.nanoseconds
        let lateness = arrival - stream.time(stream.ticks)
        if lateness < 0 || lateness > Self.tolerance { stream.offset += lateness }
    }

    private mutating func follow(_ clock: SenderClock, _ stream: inout Stream, _ number: Int, kind: MediaKind) {
        let told = stream.ticks + stream.distance(to: clock.timestamp)
        guard abs(told - stream.ticks) < 60 * stream.rate else { return }
        let ntp = Self.nanoseconds(clock.ntp)
        guard kind == .video else {
            sound = number
            soundClock = stream.time(told) &- ntp
            stream.clockOffset = soundClock
            return
        }
        guard let sound, let offset = streams[sound]?.clockOffset else {
            pictureClock = stream.time(told) &- ntp
            return
        }
        let wanted = ntp &+ offset &- stream.time(told)
        // No sender reports that far off are honest.
        guard wanted.magnitude < UInt64(Self.tolerance) else { return }
        let step = wanted - stream.correction
        stream.correction += stream.frames < 5 ? step : max(-Self.slew, min(Self.slew, step))
    }

    private static func nanoseconds(_ ntp: UInt64) -> Int64 {
        Int64(ntp >> 32) * 1_000_000_000 + Int64((ntp & 0xffff_ffff) * 1_000_000_000 >> 32)
    }
}
