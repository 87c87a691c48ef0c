import RTCWire

/// How a `UDPMux` treats its socket.
package struct UDPMuxConfiguration: Sendable {
    /// SO_RCVBUF and SO_SNDBUF that are asked for, in bytes; the kernel may grant less (`net.core.rmem_max`).
    package var socketBufferSize = 4 * 1024 * 1024
    /// Whether runs of datagrams to one destination leave as one segmented send, where the kernel has it.
    package var segmentationOffload = true
    /// Peers that one mux takes at the most.
    package var maximumFlows = 4096
    /// An agent's socket serves one peer: its datagrams need no demultiplexing.
    package var isExclusive = false
    /// How finely deadlines are kept: several that fall into one such span share a wake-up.
    package var timerGranularityMilliseconds = 1

    /// Which addresses of this machine an unspecified host (`::`, `0.0.0.0`) stands for; none means all that others can
    /// reach. The port does not matter.
    package var addresses: [TransportAddress] = []

    package init() {}
}

/// Counters of one socket. Our own drops are reported here, so that they never look like the network's.
package struct UDPMuxStatistics: Sendable {
    package var datagramsReceived = 0
    package var bytesReceived = 0
    package var datagramsSent = 0
    package var bytesSent = 0
    /// System calls' worth of sends: below `datagramsSent` where segmentation offload joined some.
    package var sends = 0
    /// Times that a destination refused a segmented send and took its datagrams one by one.
    package var segmentationRefusals = 0
    /// Datagrams of unknown origin that were no authenticated STUN check.
    package var unknownSource = 0
    /// Addresses that have passed from one flow to another.
    package var reboundAddresses = 0
    /// Datagrams that were longer than any we accept.
    package var oversized = 0
    /// Datagrams that we dropped because the socket's send queue was full.
    package var sendQueueDrops = 0
    /// Datagrams whose destination the kernel refused (no route, not allowed).
    package var sendFailures = 0
    /// Datagrams that the kernel dropped because our receive buffer was full (SO_MEMINFO).
    package var receiveBufferDrops = 0
    /// Timer wake-ups.
    package var wakeUps = 0
}
