import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

struct PacedQueueTests {
    private func packet(_ number: Int, length: Int) -> (PacedPacket, [UInt8]) {
        let packet = PacedPacket(
            stream: 1, sequence: UInt16(truncatingIfNeeded: number), isRepetition: false, isKeptSealed: false,
            payloadOffset: 12, length: length, queued: .zero)
        return (packet, (0..<length).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) })
    }

    private func append(_ number: Int, length: Int, to queue: inout PacedQueue) -> Bool {
        let (packet, bytes) = packet(number, length: length)
        return bytes.withUnsafeBytes { queue.append($0, packet) }
    }

    /// The next one's number; nil where there is none. Its bytes must be its own.
    private func take(from queue: inout PacedQueue) -> Int? {
        var target = [UInt8](repeating: 0, count: 1500)
        let taken = target.withUnsafeMutableBytes { queue.takeFirst(into: $0) }
        guard let taken, let sequence = taken.sequence else { return nil }
        #expect(Array(target[..<taken.length]) == packet(Int(sequence), length: taken.length).1)
        return Int(sequence)
    }

    /// Whatever comes and goes, packets keep their order and their bytes.
    @Test(arguments: [1, 2, 3] as [UInt64]) func orderAndBytesAreKept(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = PacedQueue(limit: 64 * 1024)
        var model: [Int] = []
        var lengths: [Int: Int] = [:]
        for number in 0..<5_000 {
            if Int.random(in: 0..<100, using: &random) < 52 {
                let length = Int.random(in: 12...1200, using: &random)
                if append(number, length: length, to: &queue) {
                    model.append(number)
                    lengths[number] = length
                } else {
                    #expect(queue.bytes > 60 * 1024)
                }
            } else if let found = take(from: &queue) {
                #expect(found == model.removeFirst())
            } else {
                #expect(model.isEmpty)
            }
            #expect(queue.count == model.count)
            #expect(queue.bytes == model.reduce(0) { $0 + (lengths[$1] ?? 0) })
        }
    }

    @Test func aFullQueueRefuses() {
        var queue = PacedQueue(limit: 8 * 1024)
        var count = 0
        while append(count, length: 1000, to: &queue) { count += 1 }
        #expect(count == 8)
        #expect(take(from: &queue) == 0)
        #expect(append(8, length: 900, to: &queue))
        queue.removeAll()
        #expect(queue.isEmpty && queue.bytes == 0 && take(from: &queue) == nil)
        #expect(append(9, length: 1000, to: &queue) && take(from: &queue) == 9)
    }
}
