import Testing

@testable import RTCWire

@Suite struct H264PacketizerTests {
    /// NAL units of an access unit, each behind a start code of three or four bytes.
    private func accessUnit(_ units: [[UInt8]]) -> [UInt8] {
        units.enumerated().flatMap { ($0.offset % 2 == 0 ? [0, 0, 0, 1] : [0, 0, 1]) + $0.element }
    }

    private func packets(_ bytes: [UInt8], _ room: Int) -> [(payload: [UInt8], isLast: Bool)] {
        bytes.withUnsafeBytes { bytes in
            var packetizer = H264Packetizer(bytes, maximumPayload: room)
            var result: [(payload: [UInt8], isLast: Bool)] = []
            var scratch = [UInt8](repeating: 0, count: max(room, 16))
            scratch.withUnsafeMutableBytes { scratch in
                while let packet = packetizer.next(into: scratch) {
                    result.append((Array(scratch[..<packet.count]), packet.isLast))
                }
            }
            return result
        }
    }

    /// What RFC 6184 section 5 makes of packets.
    private func units(_ packets: [[UInt8]]) throws -> [[UInt8]] {
        var result: [[UInt8]] = []
        for packet in packets {
            switch packet[0] & 0x1f {
            case 24:
                var rest = packet.dropFirst()
                while rest.count > 2 {
                    let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
                    result.append(Array(rest.dropFirst(2).prefix(length)))
                    rest = rest.dropFirst(2 + length)
                }
                #expect(rest.isEmpty)
            case 28:
                if packet[1] & 0x80 != 0 { result.append([packet[0] & 0xe0 | packet[1] & 0x1f]) }
                try #require(!result.isEmpty)
                result[result.count - 1] += packet[2...]
            default: result.append(packet)
            }
        }
        return result
    }

    @Test func parameterSetsShareAPacketAndAPictureIsCut() throws {
        let (sps, pps) = ([UInt8](repeating: 0x67, count: 12), [UInt8](repeating: 0x68, count: 4))
        let picture: [UInt8] = [0x65] + (0..<2_500).map { UInt8(truncatingIfNeeded: $0) | 1 }
        let packets = packets(accessUnit([sps, pps, picture]), 1_000)
        #expect(packets.count == 4)
        let aggregate: [UInt8] = [0x78, 0, 12] + sps + [0, 4] + pps
        #expect(packets[0].payload == aggregate, "STAP-A, of the highest importance")
        #expect(packets.dropFirst().map { $0.payload[0] } == [0x7c, 0x7c, 0x7c], "FU-A")
        #expect(packets.dropFirst().map { $0.payload[1] } == [0x85, 0x05, 0x45], "start, middle, end")
        #expect(packets.map(\.isLast) == [false, false, false, true])
        let lengths = packets.dropFirst().map(\.payload.count)
        #expect((lengths.max() ?? 0) - (lengths.min() ?? 0) <= 2, "near each other in size")
        let first = try packets[0].payload.withUnsafeBytes { try H264Payload(parsing: $0.bytes) }
        let second = try packets[1].payload.withUnsafeBytes { try H264Payload(parsing: $0.bytes) }
        #expect(first.hasParameterSet && first.unitCount == 2 && second.startsIDR)
    }

    @Test func whatFitsGoesAsItIs() {
        let unit: [UInt8] = [0x41, 1, 2, 3]
        let packets = packets(accessUnit([unit]), 1_200)
        #expect(packets.map(\.payload) == [unit] && packets.map(\.isLast) == [true])
        #expect(self.packets([], 1_200).isEmpty && self.packets([0, 0, 1], 1_200).isEmpty)
        #expect(self.packets([1, 2, 3, 4], 1_200).isEmpty, "no start code, no unit")
    }

    @Test func anythingComesOutAsItWentIn() throws {
        var random = SystemRandomNumberGenerator()
        for room in [16, 17, 40, 100, 1_150] {
            for _ in 0..<100 {
                let units = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    [UInt8.random(in: 1...23, using: &random)]
                        + (0..<Int.random(in: 1...900, using: &random)).map { _ in
                            UInt8.random(in: 1...255, using: &random)
                        }
                }
                let packets = packets(accessUnit(units), room)
                #expect(packets.allSatisfy { $0.payload.count <= room } && packets.last?.isLast == true)
                #expect(packets.dropLast().allSatisfy { !$0.isLast })
                #expect(try self.units(packets.map(\.payload)) == units)
            }
        }
    }

    @Test(arguments: [true, false]) func aVP9DescriptorIsReadAgain(isKeyFrame: Bool) throws {
        let picture = VP9SentPicture(pictureID: 0x7ffe, isKeyFrame: isKeyFrame, width: 640, height: 360)
        for (isFirst, isLast) in [(true, false), (false, false), (false, true), (true, true)] {
            var bytes = [UInt8](repeating: 0xff, count: 32)
            let length = bytes.withUnsafeMutableBytes { picture.write(isFirst: isFirst, isLast: isLast, into: $0) }
            #expect(length <= picture.longestDescriptor)
            try bytes.withUnsafeBytes { bytes in
                let read = try VP9PayloadDescriptor(parsing: bytes.bytes)
                #expect(read.pictureID == 0x7ffe && read.pictureIDWidth == .fifteenBits && read.isFlexible)
                #expect(read.startsFrame == isFirst && read.endsFrame == isLast && read.hasLayers)
                #expect(read.startsKeyFrame == (isKeyFrame && isFirst) && read.spatialID == 0 && read.temporalID == 0)
                #expect(read.referenceCount == (isKeyFrame ? 0 : 1) && (isKeyFrame || read.references[0] == 1))
                #expect(try read.encodedLength(in: bytes.bytes) == length)
                guard let offset = read.structureOffset else { return #expect(!isKeyFrame || !isFirst) }
                let structure = try VP9ScalabilityStructure(parsing: bytes.bytes, at: offset)
                #expect(structure.widths[0] == 640 && structure.heights[0] == 360 && structure.spatialLayers == 1)
            }
        }
    }
}
