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
    /// Datagrams that we dropped because the socket had no room for long, or the machine no memory.
    package var sendQueueDrops = 0
    /// Datagrams whose destination the kernel refused (no route, not allowed).
    package var sendFailures = 0
    /// Datagrams that the kernel dropped because our receive buffer was full (SO_MEMINFO).
    package var receiveBufferDrops = 0
    /// TCP connections that were taken.
    package var acceptedConnections = 0
    /// TCP connections that were closed before a peer was known by them, or not taken: one too many, or no peer's.
    package var refusedConnections = 0
    /// Timer wake-ups.
    package var wakeUps = 0

    /// Counts a send of `count` datagrams with `bytes` in sum.
    mutating func note(_ outcome: SendOutcome, _ count: Int, _ bytes: Int) {
        switch outcome {
        case .sent:
            datagramsSent += count
            bytesSent += bytes
            sends += 1
        case .full, .exhausted: sendQueueDrops += count
        case .failed: sendFailures += count
        case .unsegmentable: break
        }
    }
}
