import RTCWire

/// Who sends what is played, and how far it has come.
struct PlayoutSource {
    var ssrc: UInt32?
    var timestamps = TimestampUnwrapper()
    /// The packet with the highest number so far.
    var newest: (sequence: Int64, timestamp: Int64)?
}
