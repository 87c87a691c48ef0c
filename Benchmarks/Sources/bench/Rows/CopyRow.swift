import CAllocations
import RTCCore
import RTCWire
import SFUCore

/// P6: what the room itself does for one copy, sockets and ciphers aside, and that it takes nothing from the heap.
enum CopyRow {
    private static let packets = 2000

    @Sendable static func run(_ settings: BenchSettings) throws -> [Row] {
        var rows: [Row] = []
        for codec in [MediaCodec.vp8, .opus] {
            for subscribers in [10, 100] {
                let load = Load(codec, subscribers: subscribers)
                load.send(500)
                let before = allocations_of_this_thread()
                let times = try alternate(rounds: settings.rounds, [{ load.window(packets) }])[0]
                let taken = allocations_of_this_thread() - before
                let title = "one copy, \(subscribers) subscribers, \(codec)"
                rows.append(Row(id: "P6", what: title, ours: "\(times.median.fixed(0)) ns"))
                // What the measuring itself keeps.
                let allowed = settings.rounds * 8
                guard taken <= allowed else {
                    throw BenchError("\(title): \(taken) allocations in \(packets * settings.rounds) packets")
                }
                rows.append(
                    Row(
                        id: "P6", what: title + ", allocations",
                        ours: "\(taken / (packets * settings.rounds)) a packet", goal: "0", isMet: true))
            }
        }
        return rows
    }

    /// A room with one track, which a synthetic publisher feeds.
    private final class Load {
        private var room = ForwardingRoom()
        private var outbox = ForwardingOutbox()
        private let producer: ProducerID
        private let codec: MediaCodec
        private var payload: [UInt8]
        private var sequence: Int64 = 0
        private(set) var copies = 0
        private var sum = 0

        init(_ codec: MediaCodec, subscribers: Int) {
            self.codec = codec
            payload = codec == .vp8 ? Load.picture() : [UInt8](repeating: 0x78, count: 80)
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

        private static func picture() -> [UInt8] {
            var descriptor = VP8PayloadDescriptor()
            descriptor.startsPartition = true
            descriptor.pictureID = 1
            descriptor.tl0PicIdx = 1
            var bytes = [UInt8](repeating: 0, count: descriptor.encodedLength)
            _ = bytes.withUnsafeMutableBytes { descriptor.write(into: $0) }
            return bytes + [0x10] + [UInt8](repeating: 7, count: 1000)
        }

        /// Nanoseconds of CPU per copy.
        func window(_ count: Int) -> Double {
            let before = copies
            let spent = CPUClock.measure { send(count) }
            return Double(spent) / Double(copies - before)
        }

        func send(_ count: Int) {
            payload.withUnsafeBytes { bytes in
                for _ in 0..<count {
                    let header = RTPHeader(
                        marker: true, payloadType: 96, sequenceNumber: UInt16(truncatingIfNeeded: sequence),
                        timestamp: UInt32(truncatingIfNeeded: sequence) &* 960, ssrc: 1)
                    let packet = ReceivedRTP(
                        header: header, extensions: RTPExtensions(), line: 0, payload: 0..<bytes.count,
                        sequence: sequence, isRetransmission: false, arrival: .zero + .milliseconds(Int(sequence) * 20))
                    room.receive(packet, in: bytes, from: producer, into: &outbox)
                    drain()
                    sequence += 1
                }
            }
        }

        private func drain() {
            var packet = ForwardedPacket()
            for index in outbox.copies.indices {
                packet.load(outbox.copies[index], from: outbox)
                sum &+= Int(packet.header.sequenceNumber) &+ packet.prefix.count &+ packet.payload.count
            }
            copies += outbox.copies.count
            outbox.removeAll()
        }
    }
}
