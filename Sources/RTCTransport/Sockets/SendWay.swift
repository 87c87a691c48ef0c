import RTCWire

/// Where a send goes, and how.
struct SendWay {
    var destination: RawSocketAddress
    /// The address to leave from; nil leaves it to the kernel.
    var source: TransportAddress?
    /// The kernel cuts it into datagrams of that size; nil for one datagram.
    var segmentSize: Int?
}
