import RTCCore
import RTCWire

/// Turns counters that only grow into windows.
package struct CounterWindow: Sendable {
    private var start: Instant?
    private var packets = 0
    private var lost = 0
    private var bytes = 0

    package init() {}

    /// The window since the last call; nil the first time, and where less than half a window has gone by.
    ///
    /// - Parameters:
    ///   - packets: that came, or were sent.
    ///   - lost: of which the other side, or the gaps, tell; may shrink when repetitions come.
    package mutating func take(packets: Int, lost: Int, bytes: Int, now: Instant) -> QualityWindow? {
        defer {
            self.packets = packets
            self.lost = lost
            self.bytes = bytes
            start = now
        }
        guard let start, now - start >= TrackQuality.window / 2 else { return nil }
        var window = QualityWindow(duration: now - start)
        window.lostPackets = max(0, lost - self.lost)
        window.expectedPackets = max(0, packets - self.packets)
        window.bytes = max(0, bytes - self.bytes)
        return window
    }

    /// The next window begins anew: what happens meanwhile doesn't count.
    package mutating func skip() { start = nil }
}
