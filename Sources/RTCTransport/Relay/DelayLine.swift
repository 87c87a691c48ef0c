import NIOCore
import RTCWire

/// Datagrams that wait for their time, soonest first; those due at one instant keep their order.
///
/// Datagrams come nearly sorted, so a new one is placed by walking back from the end.
struct DelayLine {
    struct Parcel {
        var due: Instant
        var leg: Int
        var direction: RelayDirection
        var bytes: [UInt8]
    }

    private var parcels = CircularBuffer<Parcel>()
    private let capacity: Int

    /// - Parameter capacity: the most that is held.
    init(capacity: Int) { self.capacity = capacity }

    var count: Int { parcels.count }
    /// When the next one is due.
    var next: Instant? { parcels.first?.due }

    /// Takes a datagram; false where there is no room.
    mutating func add(_ parcel: Parcel) -> Bool {
        guard parcels.count < capacity else { return false }
        parcels.append(parcel)
        var index = parcels.index(before: parcels.endIndex)
        while index != parcels.startIndex {
            let earlier = parcels.index(before: index)
            guard parcels[earlier].due > parcel.due else { break }
            parcels.swapAt(earlier, index)
            index = earlier
        }
        return true
    }

    /// The next datagram, where it is due by `now`.
    mutating func pop(by now: Instant) -> Parcel? {
        guard let first = parcels.first, first.due <= now else { return nil }
        return parcels.removeFirst()
    }
}
