import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// Streams whose layers refer to each other in key pictures alone: of the others a subscriber gets one layer.
@Suite struct KeyPictureLayerTests {
    /// Two spatial layers, made by hand: frames 2n and 2n + 1 are the layers of picture n.
    private struct Sender {
        /// L2T1 where true, else L2T1_KEY.
        var isFullyLayered: Bool
        private(set) var picture = 0
        private let map: RTPExtensionMap = {
            var map = RTPExtensionMap()
            map.set(1, .dependencyDescriptor)
            return map
        }()

        init(isFullyLayered: Bool) { self.isFullyLayered = isFullyLayered }

        mutating func send(key: Bool, on stage: Stage) throws {
            for layer in 0..<2 {
                // Templates: base key, base, upper key, upper.
                let template = layer * 2 + (key ? 0 : 1)
                let descriptor = self.descriptor(template, frame: picture * 2 + layer, structured: key && layer == 0)
                var bytes: [UInt8] = [0x90, layer == 1 ? 0xad : 0x2d, 0, UInt8(picture * 2 + layer)]
                bytes += [0, 0, UInt8(picture), 0, 0, 0, 0, 1, 0xbe, 0xde, 0, UInt8((descriptor.count + 4) / 4)]
                bytes += [0x10 | UInt8(descriptor.count - 1)] + descriptor
                while bytes.count % 4 != 0 { bytes.append(0) }
                // One element, a frame OBU; N in a key frame of the base.
                bytes += [key && layer == 0 ? 0x18 : 0x10, 0x30, 7]
                let header = try RTPHeader(parsing: bytes.span.bytes)
                let extensions = RTPExtensions(parsing: bytes.span.bytes, header: header, map: map)
                let received = ReceivedRTP(
                    header: header, extensions: extensions, line: 0, payload: header.payloadRange(in: bytes.count),
                    sequence: Int64(picture * 2 + layer), isRetransmission: false, arrival: now)
                stage.feed(RecordedStream.Packet(bytes: bytes, received: received))
            }
            picture += 1
        }

        var now: Instant { milliseconds(1000 + 200 * picture) }

        private func descriptor(_ template: Int, frame: Int, structured: Bool) -> [UInt8] {
            let head = [0xc0 | UInt8(template), 0, UInt8(frame)]
            guard structured else { return head }
            // T; offset 0, two targets, the four templates' layers.
            var bits = "10000" + "000000" + "00001" + "00" + "10" + "00" + "11"
            // Per template what it is to either target: 10 a switching point, 00 nothing.
            bits += "1010" + (isFullyLayered ? "1010" : "1000") + "0010" + "0010"
            // References: none; one picture back; the layer below; one picture back.
            bits += "0" + "100010" + "100000" + "100010" + "0" + "0"
            while bits.count % 8 != 0 { bits += "0" }
            let bytes = stride(from: 0, to: bits.count, by: 8).map { offset in
                bits.dropFirst(offset).prefix(8).reduce(UInt8(0)) { $0 << 1 | ($1 == "1" ? 1 : 0) }
            }
            return head + bytes
        }
    }

    private func layers(_ sink: RecordingSink) throws -> [UInt8] {
        var structure: DependencyStructure?
        return try sink.sent.map {
            try DependencyDescriptor(parsing: $0.descriptor.span.bytes, structure: &structure).spatialID
        }
    }

    @Test func aLowerLayerBeginsWithAKeyFrameThatIsAskedFor() throws {
        let stage = Stage(.av1)
        let sink = stage.join()
        var sender = Sender(isFullyLayered: false)
        try sender.send(key: true, on: stage)
        try sender.send(key: false, on: stage)
        #expect(try layers(sink) == [0, 1, 1])
        let asked = stage.source.requests.count
        stage.seats[0].consumer.setLayerLimit(0, now: sender.now)
        #expect(stage.source.requests.count == asked + 1)
        try sender.send(key: false, on: stage)
        try sender.send(key: true, on: stage)
        try sender.send(key: false, on: stage)
        #expect(try layers(sink) == [0, 1, 1, 1, 0, 0])
        #expect(try sink.decodability().broken == 0)
    }

    /// Where the lower layer is there anyway, no key frame is asked for.
    @Test func aLowerLayerThatIsSentAnywayIsTakenAtOnce() throws {
        let stage = Stage(.av1)
        let sink = stage.join()
        var sender = Sender(isFullyLayered: true)
        try sender.send(key: true, on: stage)
        try sender.send(key: false, on: stage)
        let asked = stage.source.requests.count
        stage.seats[0].consumer.setLayerLimit(0, now: sender.now)
        try sender.send(key: false, on: stage)
        #expect(stage.source.requests.count == asked)
        #expect(try layers(sink) == [0, 1, 0, 1, 0])
    }
}
