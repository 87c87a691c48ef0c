import RTCCore
import RTCWire

/// The media of a room as a value: what is published, who gets which of it, and under which numbers.
///
/// It has no socket and reads no clock. A packet goes in with `receive`; its copies, and what else there is to say, come out
/// into the outbox that is passed in. Nothing is allocated per packet once a stream runs. Everybody lives in place in slots:
/// a packet finds its producer and each of its consumers by position.
package struct ForwardingRoom: ~Copyable {
    var producers = Slots<Producer>()
    var consumers = Slots<Consumer>()
    /// Consumers that have packets of their own making to send.
    var filling: [ConsumerID] = []
    /// When `advance` is to be called next.
    package internal(set) var nextDeadline = Instant.distantFuture
    /// Of producers that are gone, and of packets that belong to none.
    private var past = ForwardingStatistics()

    package init() {}

    // MARK: Producers

    /// Adds a track that packets of `connection` are going to feed.
    package mutating func addProducer(
        _ configuration: ProducerConfiguration, from connection: ConnectionID
    ) -> ProducerID {
        ProducerID(slot: producers.insert(Producer(configuration, connection: connection)))
    }

    /// Ends a track: nobody gets anything of it any more. Its consumers stay until they are removed.
    package mutating func removeProducer(_ id: ProducerID) {
        guard let index = producers.index(of: id.slot) else { return }
        producers[index].pointee.close()
        forgetClosed(index)
    }

    /// A producer goes with the last of its consumers.
    private mutating func forgetClosed(_ index: Int) {
        guard producers[index].pointee.isClosed, producers[index].pointee.consumers == 0 else { return }
        past += producers.remove(at: index).statistics
    }

    // MARK: Consumers

    /// Makes a copy of a track for a subscriber; it begins with `start`. Nil where the track has ended.
    package mutating func addConsumer(
        _ configuration: ConsumerConfiguration, of producer: ProducerID, to connection: ConnectionID
    ) -> ConsumerID? {
        guard let index = producers.index(of: producer.slot), !producers[index].pointee.isClosed else { return nil }
        let slot = consumers.insert(Consumer(configuration, of: producer, to: connection))
        producers[index].pointee.consumers += 1
        let id = ConsumerID(slot: slot)
        if let place = consumers.index(of: slot) { consumers[place].pointee.id = id }
        return id
    }

    /// Ends a copy at once; `end` lets video end in black pictures first.
    package mutating func removeConsumer(_ id: ConsumerID) {
        guard let index = consumers.index(of: id.slot) else { return }
        let consumer = consumers.remove(at: index)
        guard let producer = producers.index(of: consumer.producer.slot) else { return }
        producers[producer].pointee.remove(listener: index)
        producers[producer].pointee.consumers -= 1
        forgetClosed(producer)
    }

    /// Has a copy go on with another track, in the same rows of numbers; it begins with `start`. False where that has ended.
    ///
    /// - Parameter configuration: as before, but for the payload types, which may be those of another codec of the same clock.
    package mutating func move(
        _ id: ConsumerID, to producer: ProducerID, _ configuration: ConsumerConfiguration
    ) -> Bool {
        guard let index = consumers.index(of: id.slot), let next = producers.index(of: producer.slot),
            !producers[next].pointee.isClosed
        else { return false }
        producers[next].pointee.consumers += 1
        if let before = producers.index(of: consumers[index].pointee.producer.slot) {
            producers[before].pointee.remove(listener: index)
            producers[before].pointee.consumers -= 1
            forgetClosed(before)
        }
        consumers[index].pointee.follow(producer, configuration)
        return true
    }

    /// Where a consumer and its producer live.
    func find(_ id: ConsumerID) -> (consumer: Int, producer: Int)? {
        guard let consumer = consumers.index(of: id.slot),
            let producer = producers.index(of: consumers[consumer].pointee.producer.slot)
        else { return nil }
        return (consumer, producer)
    }

    // MARK: Counters

    /// Counts a packet that came from no known track.
    package mutating func noteUnknownPacket() { past.dropped += 1 }

    /// Says that a copy did not leave: its connection isn't up, or it is too large for it.
    package mutating func noteRefusal(of copy: ForwardedCopy, now: Instant) {
        guard let (consumer, producer) = find(copy.consumer) else { return }
        consumers[consumer].pointee.noteRefusal(of: copy, &producers[producer].pointee, now: now)
    }

    /// What has passed through the room.
    package var statistics: ForwardingStatistics {
        var sum = past
        for index in producers.indices where producers.isTaken(index) { sum += producers[index].pointee.statistics }
        return sum
    }
}
