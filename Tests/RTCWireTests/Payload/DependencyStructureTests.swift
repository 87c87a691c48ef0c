import Testing

@testable import RTCWire

/// The structure alone at its bounds, AV1 RTP specification section A.8.2.
@Suite struct DependencyStructureTests {
    private struct Read {
        var structure: DependencyStructure
        var position: Int
    }

    /// Reads binary text, blanks passed over, the last byte filled with zeros.
    private func read(_ text: String) throws -> Read {
        let digits = text.compactMap(\.wholeNumberValue)
        let bytes = stride(from: 0, to: digits.count, by: 8).map { start in
            (0..<8).reduce(0 as UInt8) { $0 << 1 | UInt8(start + $1 < digits.count ? digits[start + $1] : 0) }
        }
        let span = bytes.span.bytes
        var reader = BitReader(span)
        let structure = try DependencyStructure(&reader, in: span)
        return Read(structure: structure, position: reader.position)
    }

    private func binary(_ value: Int, _ count: Int) -> String {
        (0..<count).reversed().map { value >> $0 & 1 == 1 ? "1" : "0" }.joined()
    }

    /// A structure of one target: offset 0, layers, required everywhere, no references, no chains, no sizes.
    private func plain(_ layers: String, templates: Int) -> String {
        "000000 00000" + layers + String(repeating: "11", count: templates) + String(repeating: "0", count: templates)
            + "0" + "0"
    }

    @Test func oneTemplate() throws {
        let text = plain("11", templates: 1)
        let read = try read(text)
        #expect(read.position == text.filter { $0 != " " }.count)
        #expect(read.structure.templates == [.init(spatialID: 0, temporalID: 0, indications: 3)])
        #expect(read.structure.allTargets == 1 && read.structure.chainCount == 0 && read.structure.sizes.isEmpty)
    }

    /// 0 stays, 1 is the next temporal layer, 2 the next spatial one, whose temporal layers begin anew.
    @Test func layersGoUp() throws {
        let structure = try read(plain("00 01 10 01 01 11", templates: 6)).structure
        #expect(structure.templates.map(\.spatialID) == [0, 0, 0, 1, 1, 1])
        #expect(structure.templates.map(\.temporalID) == [0, 0, 1, 0, 1, 2])
        #expect(structure.targetLayers.map(\.spatial) == [1] && structure.targetLayers.map(\.temporal) == [2])
    }

    @Test func theHighestLayers() throws {
        #expect(try read(plain("101010 11", templates: 4)).structure.templates.last?.spatialID == 3)
        let temporal = String(repeating: "01", count: 7)
        #expect(try read(plain(temporal + "11", templates: 8)).structure.templates.last?.temporalID == 7)
        let more = [temporal + "01", "10101010"]
        for layers in more {
            #expect(throws: WireError.invalidValue) { try read(plain(layers + "11", templates: 9)) }
        }
    }

    @Test func sixtyFourTemplates() throws {
        let same = String(repeating: "00", count: 63)
        let structure = try read(plain(same + "11", templates: 64)).structure
        #expect(structure.templates.count == 64)
        #expect((0..<64).allSatisfy { structure.template($0) != nil })
        #expect(throws: WireError.invalidValue) { try read(plain(same + "00" + "11", templates: 65)) }
    }

    /// A template's own references end with a zero; sixteen are read, since no codec keeps more frames.
    @Test(arguments: [0, 1, 16, 17]) func references(_ count: Int) throws {
        let list = (0..<count).map { "1" + binary($0 % 16, 4) }.joined() + "0"
        let text = "000000 00000 11 11" + list + "0" + "0"
        guard count <= DependencyDescriptor.maximumReferences else {
            #expect(throws: WireError.invalidValue) { try read(text) }
            return
        }
        let references = try read(text).structure.templates[0].references
        #expect(references == (0..<count).map { UInt16($0 % 16 + 1) })
    }

    /// Thirty-two targets, the most there are: their indications fill the 64 bits, and the mask all of its own.
    @Test func thirtyTwoTargets() throws {
        let indications = (0..<32).map { binary($0 % 4, 2) }.joined()
        let structure = try read("000000 11111 11" + indications + "0" + "00000" + "0").structure
        #expect(structure.decodeTargets == 32 && structure.allTargets == .max)
        let read = (0..<32).map { structure.templates[0].indication($0).rawValue }
        #expect(read == (0..<32).map { UInt8($0 % 4) })
        #expect(structure.targetLayers.count == 32)
    }

    @Test(arguments: [(0, 1), (1, 3), (4, 31), (30, 0x7fff_ffff)] as [(Int, UInt32)])
    func masks(_ count: Int, mask: UInt32) throws {
        let text = "000000" + binary(count, 5) + "11" + String(repeating: "11", count: count + 1)
        let filled = text + "0" + String(repeating: "0", count: 6) + "0"
        #expect(try read(filled).structure.allTargets == mask)
    }

    /// A target that no frame is part of shows nothing; others show the highest of their own.
    @Test func layersOfTargets() throws {
        let structure = try read("000000 00001 01 10 11  00 11 00 11 00 00  000 0 0").structure
        #expect(structure.targetLayers.map(\.temporal) == [0, 1] && structure.targetLayers.map(\.spatial) == [0, 0])
        #expect(structure.templates.map { $0.indication(0) } == [.notPresent, .notPresent, .notPresent])
    }

    /// Two chains for two targets: which of them protects each, then per template the distance in each.
    @Test func chains() throws {
        let structure = try read("000000 00001 11  11 11  0  11  1 0  0101 1111  0").structure
        #expect(structure.chainCount == 2 && structure.protectedBy == [1, 0])
        #expect(structure.templates[0].chains == [5, 15])
    }

    /// A size for each spatial layer, of one less than its pixels.
    @Test func sizes() throws {
        let text = "000000 00000 10 11  11 11  00  0  1" + binary(319, 16) + binary(179, 16) + binary(65_535, 16)
        let structure = try read(text + binary(0, 16)).structure
        #expect(structure.sizes == [.init(width: 320, height: 180), .init(width: 65_536, height: 1)])
        #expect(throws: WireError.truncated) { try read(text) }
    }

    /// Identifiers count from the offset on and go round at 64.
    @Test(arguments: [0, 1, 40, 62, 63]) func identifiers(_ offset: Int) throws {
        let structure = try read(binary(offset, 6) + "00000 01 01 11 111111 000 0 0").structure
        for step in 0..<64 {
            let found = structure.template(UInt8((offset + step) % 64))
            #expect(found?.temporalID == (step < 3 ? UInt8(step) : nil))
        }
    }

    /// Every bit of it counts for equality but what follows from others; equal ones have one hash.
    @Test func equality() throws {
        let text =
            "000101 00001 01 11  10 10 01 00  1 0001 0  1 0000 0  10  0010 0001  1" + binary(639, 16) + binary(359, 16)
        let structure = try read(text).structure
        #expect(try read(text).structure == structure)
        #expect(Set([structure, try read(text).structure]).count == 1)
        // Offset, an indication, a reference, a chain's distance, a width, a height.
        let digits = text.filter { $0 != " " }
        for position in [0, 15, 27, 40, 61, 77] {
            var other = Array(digits)
            other[position] = other[position] == "0" ? "1" : "0"
            #expect(try read(String(other)).structure != structure, "bit \(position)")
        }
    }

    /// Whatever is cut off is missed.
    @Test func cuts() throws {
        let text =
            "000101 00001 01 11  10 10 01 00  1 0001 0  1 0000 0  10  0010 0001  1" + binary(639, 16) + binary(359, 16)
        let digits = Array(text.filter { $0 != " " })
        for count in stride(from: 0, to: digits.count - 7, by: 8) {
            #expect(throws: WireError.truncated) { try read(String(digits[..<count])) }
        }
    }
}
