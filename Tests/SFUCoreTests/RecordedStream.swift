import Foundation
import RTCCore
import RTCWire

@testable import SFUCore

/// The media packets of a recorded session, as a connection would hand them to a producer.
struct RecordedStream {
    struct Packet {
        var bytes: [UInt8]
        var received: ReceivedRTP
    }

    /// In the order they came, 2 ms apart.
    var packets: [Packet] = []

    init(_ name: String, payloadType: UInt8) throws {
        struct Facts: Decodable { var offerExtmap: [String: [String]] }
        var map = RTPExtensionMap()
        for (id, uris) in try VectorFiles.json("\(name).facts.json", as: Facts.self).offerExtmap {
            guard let id = UInt8(id), let kind = uris.compactMap({ RTPExtensionKind(uri: $0) }).first else { continue }
            map.set(id, kind)
        }
        var unwrappers: [UInt32: SequenceUnwrapper] = [:]
        var rids: [UInt32: ShortToken] = [:]
        for datagram in try Pcap.read("\(name).rtp.pcap") where datagram.isFromA {
            let bytes = datagram.payload
            guard bytes[1] & 0x7f == payloadType, !(192...223).contains(bytes[1]) else { continue }
            let header = try RTPHeader(parsing: bytes.span.bytes)
            var extensions = RTPExtensions(parsing: bytes.span.bytes, header: header, map: map)
            if let rid = extensions.rid { rids[header.ssrc] = rid }
            extensions.rid = rids[header.ssrc]
            let sequence = unwrappers[header.ssrc, default: SequenceUnwrapper()].unwrap(header.sequenceNumber)
            packets.append(
                Packet(
                    bytes: bytes,
                    received: ReceivedRTP(
                        header: header, extensions: extensions, line: 0, payload: header.payloadRange(in: bytes.count),
                        sequence: sequence, isRetransmission: false, arrival: milliseconds(2 * packets.count))))
        }
    }
}

/// A producer that a recorded stream feeds, with any number of consumers.
final class Stage {
    let source = RecordingSource()
    let producer: TestProducer
    private(set) var seats: [(consumer: TestConsumer, sink: RecordingSink)] = []

    init(_ codec: MediaCodec) {
        producer = TestProducer(ProducerConfiguration(codec: codec, clockRate: 90_000), source: source)
    }

    @discardableResult
    func join(
        layer: Int = 2, temporal: Int = 7, hasDependencyDescriptor: Bool = true, now: Instant = .zero
    ) -> RecordingSink {
        let sink = RecordingSink()
        var configuration = ConsumerConfiguration(
            ssrc: UInt32(100 + seats.count), payloadType: 96, rtxSSRC: 9, rtxPayloadType: 97, firstSequence: 1000,
            firstRTXSequence: 1)
        configuration.hasDependencyDescriptor = hasDependencyDescriptor
        let consumer = TestConsumer(configuration, producer: producer, sink: sink)
        consumer.setLayerLimit(layer, now: now)
        consumer.setAllocation(LayerPoint(spatial: 7, temporal: temporal), now: now)
        consumer.start(now: now)
        seats.append((consumer, sink))
        return sink
    }

    func feed(_ packet: RecordedStream.Packet) {
        packet.bytes.withUnsafeBytes { producer.receive(packet.received, in: $0) }
    }
}

extension RecordingSink {
    /// No number is missing or double.
    var isContinuous: Bool { zip(sequences, sequences.dropFirst()).allSatisfy { $1 == $0 &+ 1 } }

    /// Distinct timestamps in their order: pictures.
    var pictures: [UInt32] {
        var result: [UInt32] = []
        for entry in sent where result.last != entry.packet.timestamp { result.append(entry.packet.timestamp) }
        return result
    }

    /// Pictures whose last packet lacks the marker, and markers within pictures. The last picture may be cut off.
    var markers: (missing: Int, early: Int) {
        var result = (missing: 0, early: 0)
        for index in sent.indices.dropLast() {
            let isLast = sent[index + 1].packet.timestamp != sent[index].packet.timestamp
            if isLast, !sent[index].packet.marker { result.missing += 1 }
            if !isLast, sent[index].packet.marker { result.early += 1 }
        }
        return result
    }

    /// Frames whose dependency descriptors refer to frames that were not sent; the layers that were sent.
    func decodability() throws -> (frames: Int, broken: Int, spatial: Set<UInt8>, temporal: Set<UInt8>) {
        var structure: DependencyStructure?
        var known: Set<UInt16> = []
        var result: (frames: Int, broken: Int, spatial: Set<UInt8>, temporal: Set<UInt8>) = (0, 0, [], [])
        for entry in sent {
            let frame = try DependencyDescriptor(parsing: entry.descriptor.span.bytes, structure: &structure)
            guard frame.startsFrame else { continue }
            result.frames += 1
            result.spatial.insert(frame.spatialID)
            result.temporal.insert(frame.temporalID)
            let isWhole = (0..<frame.referenceCount).allSatisfy {
                known.contains(frame.frameNumber &- frame.references[$0])
            }
            if !isWhole { result.broken += 1 }
            known.insert(frame.frameNumber)
        }
        return result
    }
}
