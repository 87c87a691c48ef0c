import NIOCore
import RTCCore
import RTCWire

/// Packets that wait until a stream has room. Bounded, since a stream that is read slowly would fill any memory: what is
/// less urgent is refused sooner, and leaves later. So sound and checks pass where pictures do not.
struct StreamSendQueue {
    /// Bytes that wait in sum when a packet of an urgency is still taken. Pictures of more than a second at 500 kbit/s
    /// would be old when they come.
    static func limit(_ urgency: Outbox.Urgency) -> Int {
        switch urgency {
        case .control: 128 * 1024
        case .media: 64 * 1024
        case .repetition: 32 * 1024
        }
    }

    /// The rest of a packet of which a part is on its way: nothing may come before it.
    private var begun: ArraySlice<UInt8> = []
    private var urgent = CircularBuffer<[UInt8]>(initialCapacity: 1)
    private var others = CircularBuffer<[UInt8]>(initialCapacity: 1)
    /// Bytes that wait.
    private(set) var size = 0

    var isEmpty: Bool { size == 0 }

    /// Takes a copy of a framed packet; false where there is no room for it.
    mutating func add(_ frame: UnsafeRawBufferPointer, _ urgency: Outbox.Urgency) -> Bool {
        guard size + frame.count <= StreamSendQueue.limit(urgency) else { return false }
        size += frame.count
        if urgency == .control { urgent.append(Array(frame)) } else { others.append(Array(frame)) }
        return true
    }

    /// Takes the rest of a packet whose beginning has left; the queue is empty.
    mutating func begin(_ rest: UnsafeRawBufferPointer) {
        begun = Array(rest)[...]
        size += rest.count
    }

    /// Hands what waits to `write`, piece by piece, for as long as all of a piece is taken.
    ///
    /// - Parameter write: gives how many bytes were taken, 0 where there is no room.
    /// - Returns: how many packets have left.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int) -> Int {
        var count = 0
        while size > 0 {
            if begun.isEmpty { begun = (urgent.popFirst() ?? others.popFirst() ?? [])[...] }
            let taken = begun.withUnsafeBytes(write)
            guard taken > 0 else { break }
            size -= taken
            begun = begun.dropFirst(taken)
            guard begun.isEmpty else { break }
            begun = []
            count += 1
        }
        return count
    }

    /// Forgets what waits.
    ///
    /// - Returns: how many packets that were.
    mutating func removeAll() -> Int {
        defer { self = StreamSendQueue() }
        return (begun.isEmpty ? 0 : 1) + urgent.count + others.count
    }
}
