import RTCWire

extension PeerFlow {
    /// The time of what is being done on the loop, for a handler that is told of an event: when the batch began, and
    /// between batches what the clock shows.
    package var now: Instant { mux.batch.now ?? MonotonicClock.now() }
}
