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

    /// The TCP port on which peers may connect where UDP does not pass (RFC 6544): 0 lets the kernel choose, nil has none.
    package var streamPort: Int?
    /// Whether the one peer of an exclusive socket opens TCP connections to the other side's passive candidates.
    package var opensStreams = false
    /// Bounds on TCP connections.
    package var streams = ConnectionLimits()

    package init() {}
}
