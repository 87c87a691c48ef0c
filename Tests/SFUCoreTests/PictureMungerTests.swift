import RTCWire
import Testing

@testable import SFUCore

/// Picture ids, counts of base layer frames and frame numbers across changes of the source.
@Suite struct PictureMungerTests {
    private func packet(_ payload: UnsafeRawBufferPointer, _ codec: MediaCodec) -> SourcePacket {
        SourcePacket(
            sequence: 1, timestamp: 0, marker: false, extensions: RTPExtensions(), payload: payload, arrival: .zero,
            codec: codec)
    }

    /// Has the munger write a payload, at the beginning of its source or further on.
    private func write(
        _ payload: [UInt8], _ munger: inout PictureMunger, _ numbering: inout Numbering, codec: MediaCodec = .vp8,
        begins: Bool = false, isNewest: Bool = true
    ) -> [UInt8] {
        var room = [UInt8](repeating: 0xee, count: 32)
        let length = payload.withUnsafeBytes { bytes in
            let packet = packet(bytes, codec)
            if begins { munger.begin(packet, &numbering) }
            return room.withUnsafeMutableBytes {
                munger.write(packet.head, numbering, isNewest: isNewest, into: $0)
            }
        }
        return Array(room[..<length])
    }

    private var start: Numbering { Numbering(source: 0, out: 0, timestampOffset: 0) }

    @Test func vp8GoesOnAcrossSourcesAndWraps() throws {
        var munger = PictureMunger()
        var numbering = start
        let first = write(vp8(0x7fff, tl0: 255, key: true), &munger, &numbering, begins: true)
        #expect(descriptor(first + [0])?.pictureID == 0x7fff, "the first source keeps its numbers")
        var other = start
        let next = write(vp8(300, tl0: 9, key: true), &munger, &other, begins: true)
        #expect(descriptor(next + [0])?.pictureID == 0 && descriptor(next + [0])?.tl0PicIdx == 0)
        #expect(munger.pictureID == 0 && munger.tl0PicIdx == 0)
        // A late one is renumbered, and changes nothing.
        let late = write(vp8(299, tl0: 8), &munger, &other, isNewest: false)
        #expect(descriptor(late + [0])?.pictureID == 0x7fff && munger.pictureID == 0)
        #expect(late.count == next.count, "as long as it was")
    }

    private func vp9(_ payload: [UInt8]) -> VP9PayloadDescriptor? {
        payload.withUnsafeBytes { try? VP9PayloadDescriptor(parsing: $0.bytes) }
    }

    @Test func vp9KeepsTheWidthOfItsIds() {
        /// I, seven bits; and with F = 0, L = 1 the layers and TL0PICIDX.
        func payload(_ picture: UInt8, _ index: UInt8) -> [UInt8] { [0x80 | 0x20 | 0x08, picture, 0x00, index, 1] }
        var munger = PictureMunger()
        var numbering = start
        _ = write(payload(127, 255), &munger, &numbering, codec: .vp9, begins: true)
        var other = start
        let next = write(payload(5, 5), &munger, &other, codec: .vp9, begins: true)
        let head = vp9(next + [1])
        #expect(head?.pictureID == 0)
        #expect(head?.tl0PicIdx == 0)
    }

    @Test func aPictureIsLeftOutOnce() {
        var munger = PictureMunger()
        let counts = [vp8(5), vp8(5, starts: false), vp8(6), [0x00, 1, 2]].map { payload in
            payload.withUnsafeBytes { munger.leaveOut(packet($0, .vp8)) }
        }
        #expect(counts == [1, 0, 1, 0], "and one without an id leaves none")
    }

    @Test func blackPicturesFollowWhatWasSent() throws {
        var munger = PictureMunger()
        var black = munger.nextVP8()
        #expect(black == nil, "nothing was")
        var numbering = start
        _ = write(vp8(40, tl0: 3, key: true), &munger, &numbering, begins: true)
        black = munger.nextVP8()
        let next = try #require(black)
        #expect(next.pictureID == 41 && next.tl0PicIdx == 4 && next.startsPartition && next.partitionIndex == 0)
        black = munger.nextVP8()
        #expect(black?.pictureID == 42)
    }

    @Test func frameNumbersOfDependencyDescriptorsGoOn() {
        func sent(_ frame: UInt16, _ munger: inout PictureMunger, _ numbering: inout Numbering, begins: Bool) -> [UInt8]
        {
            let bytes: [UInt8] = [0xc0, UInt8(frame >> 8), UInt8(frame & 255)]
            var room = [UInt8](repeating: 0, count: 16)
            let length = bytes.withUnsafeBytes { raw in
                var packet = packet(UnsafeRawBufferPointer(start: nil, count: 0), .av1)
                packet.opaque.dependencyDescriptor = raw
                if begins { munger.begin(packet, &numbering) }
                return room.withUnsafeMutableBytes {
                    munger.writeDependency(
                        packet, numbering, targets: nil, decodeTargets: 0, isNewest: true, into: $0)
                }
            }
            return Array(room[..<length])
        }
        var munger = PictureMunger()
        var numbering = start
        let first = sent(0xffff, &munger, &numbering, begins: true)
        #expect(first.isEmpty, "it stays as it is")
        var other = start
        let next = [sent(700, &munger, &other, begins: true), sent(702, &munger, &other, begins: false)]
        #expect(next == [[0xc0, 0, 0], [0xc0, 0, 2]])
    }
}
