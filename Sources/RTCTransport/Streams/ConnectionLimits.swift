import RTCWire

/// Bounds on what the connections of a mux hold.
package struct ConnectionLimits: Sendable {
    /// Connections at a time.
    package var connections = 4096
    /// Of these, those of one host; a network behind one address may hold a crowd.
    package var connectionsPerHost = 1024
    /// Of all, those from which no authenticated check has come; the oldest gives way.
    package var unproven = 256
    /// Of these, those of one host; its oldest gives way.
    package var unprovenPerHost = 64
    /// How long a connection may stay so, and how long one of ours may take to be connected.
    package var proof = Interval.seconds(5)
    /// A connection over which nothing has come for so long is closed; longer than ICE's consent lasts.
    package var idle = Interval.seconds(40)

    package init() {}
}
