import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// VP8 whose payload says nothing of pictures and layers, because the dependency descriptor does: so libwebrtc sends it.
@Suite struct BareVP8Tests {
    /// A recorded stream of three temporal layers, its payloads replaced by VP8 ones with a descriptor of one byte, at ten
    /// pictures a second and told on what layer each packet is.
    private func packets() throws -> [(packet: RecordedStream.Packet, layer: UInt8)] {
        var structure: DependencyStructure?
        var result: [(packet: RecordedStream.Packet, layer: UInt8)] = []
        var pictures: [UInt32: Int] = [:]
        for var packet in try RecordedStream("av1-l1t3", payloadType: 45).packets {
            let bytes = packet.bytes.withUnsafeBytes {
                Array(RTPOpaqueElements(packet.received.extensions, in: $0).dependencyDescriptor)
            }
            let frame = try DependencyDescriptor(parsing: bytes.span.bytes, structure: &structure)
            let start = packet.received.payload.lowerBound
            packet.bytes[start] = frame.startsFrame ? 0x10 : 0
            packet.bytes[start + 1] = frame.hasStructure ? 0x10 : 0x11
            let picture = pictures[packet.received.header.timestamp] ?? pictures.count
            pictures[packet.received.header.timestamp] = picture
            packet.received.arrival = milliseconds(picture * 100)
            result.append((packet, frame.temporalID))
        }
        return result
    }

    @Test(arguments: [true, false]) func pictureRateChoosesTheTemporalLayer(passesDescriptor: Bool) throws {
        let packets = try packets()
        let stage = Stage(.vp8)
        let control = stage.join(hasDependencyDescriptor: passesDescriptor)
        let sink = stage.join(hasDependencyDescriptor: passesDescriptor)
        var limited = 0
        for (index, entry) in packets.enumerated() {
            if index == packets.count / 3 {
                stage.seats[1].consumer.setFrameRateLimit(2, now: entry.packet.received.arrival)
                limited = sink.sent.count
            }
            stage.feed(entry.packet)
        }
        #expect(control.sent.count == packets.count)
        #expect(sink.isContinuous && sink.markers == (0, 0))
        let layers = packets.map(\.layer).dropFirst(packets.count / 3 + 8)
        let expected = layers.count { $0 == 0 }
        let after = sink.sent.count - limited
        print("\(layers.count) packets follow the limit, \(expected) of them of the base layer: \(after) were sent")
        #expect((expected...(expected + 8)).contains(after) && after < layers.count / 2)
        #expect(try sink.decodability().broken == 0)
    }
}
