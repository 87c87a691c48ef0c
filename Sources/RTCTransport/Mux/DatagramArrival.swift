import RTCWire

/// Where a datagram came from and to, and when.
package struct DatagramArrival {
    package var source: TransportAddress
    /// The address of ours that it came to.
    package var base: TransportAddress
    /// The time of the batch.
    package var now: Instant
    /// When the kernel took it in: at the batch's time, or before.
    package var time: Instant
}
