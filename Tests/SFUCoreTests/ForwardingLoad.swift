import RTCCore
import RTCWire
import SFUCore

/// A room with one track, which a synthetic publisher feeds, and whose copies are read as a driver reads them.
///
/// The benchmarks count by it too: this file is linked into their package.
final class ForwardingLoad {
    private var room = ForwardingRoom()
    private var outbox = ForwardingOutbox()
    private let producer: ProducerID
    private let payload: [UInt8]
    private var sequence: Int64 = 0
    private(set) var copies = 0
    /// Of what was read, so that nothing of it is optimized away.
    private var sum = 0

    init(_ codec: MediaCodec, subscribers: Int) {
        payload = codec == .vp8 ? ForwardingLoad.picture() : [UInt8](repeating: 0x78, count: 80)
        producer = room.addProducer(
            ProducerConfiguration(codec: codec, clockRate: codec == .vp8 ? 90_000 : 48_000), from: ConnectionID(0))
        for index in 0..<subscribers {
            let configuration = ConsumerConfiguration(
                ssrc: UInt32(index), payloadType: 96, rtxSSRC: 1000 + UInt32(index), rtxPayloadType: 97,
                firstSequence: 1, firstRTXSequence: 1)
            guard let id = room.addConsumer(configuration, of: producer, to: ConnectionID(index + 1)) else { continue }
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
        // A key frame of 640x360. It must be one that can be read: an error thrown under Testing costs an allocation, for
        // its backtrace.
        return bytes + [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01] + [UInt8](repeating: 7, count: 991)
    }

    /// Has so many packets forwarded.
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
