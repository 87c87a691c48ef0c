import CHeapCount
import SFUCore

/// COPY, a part of P1: what the room itself does for one copy, sockets and ciphers aside, and that it takes nothing from the heap.
enum CopyRow {
    private static let packets = 2000

    @Sendable static func run(_ settings: BenchSettings) throws -> [Row] {
        var rows: [Row] = []
        for codec in [MediaCodec.vp8, .opus] {
            for subscribers in [10, 100] {
                let load = ForwardingLoad(codec, subscribers: subscribers)
                load.send(500)
                let before = allocations_of_this_thread()
                let times = try alternate(rounds: settings.rounds, [{ load.window(packets) }])[0]
                let taken = allocations_of_this_thread() - before
                let title = "one copy, \(subscribers) subscribers, \(codec)"
                rows.append(Row(id: "COPY", what: title, ours: "\(times.median.fixed(0)) ns"))
                // What the measuring itself keeps.
                let allowed = settings.rounds * 8
                guard taken <= allowed else {
                    throw BenchError("\(title): \(taken) allocations in \(packets * settings.rounds) packets")
                }
                rows.append(
                    Row(
                        id: "COPY", what: title + ", allocations",
                        ours: "\(taken / (packets * settings.rounds)) a packet", goal: "0", isMet: true))
            }
        }
        return rows
    }
}

extension ForwardingLoad {
    /// Nanoseconds of CPU per copy.
    fileprivate func window(_ count: Int) -> Double {
        let before = copies
        let spent = CPUClock.measure { send(count) }
        return Double(spent) / Double(copies - before)
    }
}
