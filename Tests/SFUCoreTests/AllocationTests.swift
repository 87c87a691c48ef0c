import CAllocations
import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// What a forwarded packet takes from the heap once its stream runs.
///
/// Nothing, in an optimised build: `Benchmarks/run` refuses any other number. A debug build keeps the frames of accessors
/// on the heap, and gets no more than a bound.
@Suite struct AllocationTests {
    private struct Load: ~Copyable {
        var room = ForwardingRoom()
        var outbox = ForwardingOutbox()
        let producer: ProducerID
        private let payload: [UInt8]
        private let codec: MediaCodec
        private var sequence: Int64 = 0
        private(set) var copies = 0

        init(_ codec: MediaCodec, subscribers: Int) {
            self.codec = codec
            payload = codec == .vp8 ? vp8(1, key: true) + [UInt8](repeating: 7, count: 1000) : [0x78, 1, 2]
            producer = room.addProducer(
                ProducerConfiguration(codec: codec, clockRate: codec == .vp8 ? 90_000 : 48_000), from: ConnectionID(0))
            for index in 0..<subscribers {
                let configuration = ConsumerConfiguration(
                    ssrc: UInt32(index), payloadType: 96, rtxSSRC: 1000 + UInt32(index), rtxPayloadType: 97,
                    firstSequence: 1, firstRTXSequence: 1)
                guard let id = room.addConsumer(configuration, of: producer, to: ConnectionID(index + 1)) else {
                    continue
                }
                room.start(id, now: .zero, into: &outbox)
            }
            outbox.removeAll()
        }

        mutating func send(_ count: Int) {
            payload.withUnsafeBytes { bytes in
                for _ in 0..<count {
                    let header = RTPHeader(
                        marker: true, payloadType: 96, sequenceNumber: UInt16(truncatingIfNeeded: sequence),
                        timestamp: UInt32(truncatingIfNeeded: sequence) &* 960, ssrc: 1)
                    let packet = ReceivedRTP(
                        header: header, extensions: RTPExtensions(), line: 0, payload: 0..<bytes.count,
                        sequence: sequence, isRetransmission: false, arrival: milliseconds(Int(sequence) * 20))
                    room.receive(packet, in: bytes, from: producer, into: &outbox)
                    copies += outbox.copies.count
                    outbox.removeAll()
                    sequence += 1
                }
            }
        }
    }

    @Test(arguments: [MediaCodec.opus, .vp8]) func aRunningStreamIsBounded(codec: MediaCodec) {
        guard allocations_of_this_thread() >= 0 else { return }
        var load = Load(codec, subscribers: 10)
        load.send(200)
        let before = allocations_of_this_thread()
        let copies = load.copies
        load.send(1000)
        let taken = allocations_of_this_thread() - before
        let count = load.copies - copies
        print("\(codec): \(taken) allocations for \(count) copies of 1000 packets")
        #expect(count == 10_000)
        #if DEBUG
            #expect(taken <= 4 * count)
        #else
            #expect(taken == 0)
        #endif
    }

    /// The counter counts: an array of a thousand is one allocation at least.
    @Test func theCounterCounts() {
        let before = allocations_of_this_thread()
        guard before >= 0 else { return }
        var array: [Int] = []
        array.reserveCapacity(1000)
        array.append(1)
        #expect(array.count == 1 && allocations_of_this_thread() > before)
    }
}
