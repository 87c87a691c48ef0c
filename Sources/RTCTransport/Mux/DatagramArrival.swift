import RTCWire

/// Where a datagram came from and to, and when.
struct DatagramArrival {
    var source: TransportAddress
    /// The address of ours that it came to.
    var base: TransportAddress
    /// The time of the batch.
    var now: Instant
    /// When the kernel took it in: at the batch's time, or before.
    var time: Instant
}
