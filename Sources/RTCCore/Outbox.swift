/// Where a peer puts what it wants sent and what it has to say.
package final class Outbox: DatagramOutbox {
    /// What happened, in order. Offsets in `.rtp` events point into the buffer that was handed to `receive`.
    package var events: [PeerEvent] = []

    package var isEmpty: Bool { datagrams.isEmpty && events.isEmpty }

    /// Forgets everything, keeping the memory.
    package func removeAll() {
        removeDatagrams()
        events.removeAll(keepingCapacity: true)
    }
}
