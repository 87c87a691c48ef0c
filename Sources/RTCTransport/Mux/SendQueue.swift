import Glibc
import NIOCore
import RTCWire

/// Sends that wait until their socket has room, in order. Bounded: what comes beyond is dropped, as on a network.
struct SendQueue {
    /// One send: a datagram, or several that the kernel cuts apart.
    struct Entry {
        var bytes: [UInt8]
        /// Datagrams in it.
        var count: Int
        var way: SendWay
    }

    /// Bytes that wait at the most: a fifth of a second at 20 Mbit/s, beyond what the kernel holds.
    static let limit = 512 * 1024

    // Few sockets are ever full: room for more comes with the first that waits.
    private var entries = CircularBuffer<Entry>(initialCapacity: 1)
    private var size = 0

    var isEmpty: Bool { entries.isEmpty }
    var first: Entry? { entries.first }

    /// Takes a copy of a send; false where there is no room for it.
    mutating func add(_ parts: UnsafeMutableBufferPointer<iovec>, bytes count: Int, _ way: SendWay) -> Bool {
        guard size + count <= SendQueue.limit else { return false }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for part in parts {
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: part.iov_base, count: part.iov_len))
        }
        size += bytes.count
        entries.append(Entry(bytes: bytes, count: parts.count, way: way))
        return true
    }

    mutating func removeFirst() { size -= entries.removeFirst().bytes.count }
}
