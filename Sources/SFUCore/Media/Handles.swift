/// A connection that packets come from or leave by. The numbers are those of the room's driver.
package struct ConnectionID: Hashable, Sendable {
    package let index: Int

    package init(_ index: Int) { self.index = index }
}

/// A producer of a `ForwardingRoom`. It names nobody once that one has been removed.
package struct ProducerID: Hashable, Sendable {
    let slot: SlotID
}

/// A consumer of a `ForwardingRoom`. It names nobody once that one has been removed.
package struct ConsumerID: Hashable, Sendable {
    let slot: SlotID
}

/// A layer of one producer.
struct LayerID: Hashable {
    let slot: SlotID
}
