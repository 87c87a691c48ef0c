import LiveKitProtocol
import MediaCore

/// When to ping the server, and when its silence means that the connection is lost. A value.
struct PingClock: Sendable, Hashable {
    /// Seconds between two pings.
    let interval: Double
    /// Seconds of silence after which the connection counts as lost.
    let timeout: Double
    /// Milliseconds from the last answered ping to its answer.
    private(set) var roundTripMilliseconds: Int64 = 0
    private var lastHeard: MediaTime

    init(_ join: Livekit_JoinResponse, now: MediaTime) {
        // A server that says nothing means LiveKit's own defaults.
        interval = Double(join.pingInterval > 0 ? join.pingInterval : 5)
        timeout = Double(join.pingTimeout > 0 ? join.pingTimeout : 15)
        lastHeard = now
    }

    /// The server said something, whatever it was.
    mutating func heard(now: MediaTime) { lastHeard = now }

    /// It answered a ping. A time stamp that is not one of ours says nothing.
    mutating func answered(_ pong: Livekit_Pong, now: MediaTime) {
        let trip = now.milliseconds.subtractingReportingOverflow(pong.lastPingTimestamp)
        if !trip.overflow, (0...60_000).contains(trip.partialValue) { roundTripMilliseconds = trip.partialValue }
    }

    func isLost(now: MediaTime) -> Bool { Double(now.nanoseconds - lastHeard.nanoseconds) / 1e9 >= timeout }

    func message(now: MediaTime) -> Livekit_Ping {
        .with {
            $0.timestamp = now.milliseconds
            $0.rtt = roundTripMilliseconds
        }
    }
}

extension MediaTime {
    fileprivate var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
