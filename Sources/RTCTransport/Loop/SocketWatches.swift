/// Who is told that a socket is ready; called on its loop.
protocol DatagramSource: AnyObject {
    /// There is something to read.
    func socketIsReadable()
    /// The kernel has room again for what is sent.
    func socketIsWritable()
}

/// The sockets that a loop watches, by the number that epoll gives back.
///
/// A number is never used twice: what epoll has told of a socket that was closed meanwhile concerns nobody.
struct SocketWatches {
    private struct Slot {
        var generation: UInt32 = 0
        var source: (any DatagramSource)?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    var count: Int { slots.count - free.count }

    mutating func add(_ source: any DatagramSource) -> UInt64 {
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(Slot()) }
        slots[index].generation &+= 1
        slots[index].source = source
        return UInt64(slots[index].generation) << 32 | UInt64(index)
    }

    mutating func remove(_ token: UInt64) {
        guard source(of: token) != nil else { return }
        let index = Int(token & 0xffff_ffff)
        slots[index].source = nil
        free.append(index)
    }

    func source(of token: UInt64) -> (any DatagramSource)? {
        let index = Int(token & 0xffff_ffff)
        guard index < slots.count, slots[index].generation == token >> 32 else { return nil }
        return slots[index].source
    }
}
