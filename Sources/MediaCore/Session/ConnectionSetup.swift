import RTCWire

/// When the parts of a media connection were done, on the clock that media is timed by; nil for what has not been.
public struct ConnectionSetup: Sendable, Hashable {
    /// The other side's description was there: ICE could begin.
    public var described: MediaTime?
    /// ICE had its first pair of addresses.
    public var paired: MediaTime?
    /// DTLS was done: media could be sent.
    public var secured: MediaTime?

    /// Nothing done.
    public init() {}

    mutating func note(_ step: WritableKeyPath<Self, MediaTime?>, at now: Instant) {
        if self[keyPath: step] == nil { self[keyPath: step] = MediaTime(nanoseconds: now.nanoseconds) }
    }

    /// Of two connections of one call the one that was ready first counts.
    mutating func add(_ other: Self) {
        guard let theirs = other.secured else { return }
        if let ours = secured, ours.nanoseconds <= theirs.nanoseconds { return }
        self = other
    }
}
