import Testing

@testable import RTCWire

/// RFC 8285 sections 4.2 and 4.3, element by element.
@Suite struct RTPExtensionElementsTests {
    private func elements(_ profile: String, _ block: String) throws -> [[UInt8]] {
        let body = hex(block)
        let packet = hex("90600001 00000002 00000003" + profile) + [0, UInt8(body.count / 4)] + body
        let span = packet.span.bytes
        let header = try RTPHeader(parsing: span)
        var walk = RTPExtensionElements(header)
        var result: [[UInt8]] = []
        while let element = walk.next(in: span) { result.append([element.id] + packet[element.data]) }
        return result
    }

    @Test(
        arguments: [
            ("10aa 21bbcc 000000", [[1, 0xaa], [2, 0xbb, 0xcc]]), ("00 10aa 00 20bb 0000", [[1, 0xaa], [2, 0xbb]]),
            ("10aa f0bb 20cc 0000", [[1, 0xaa]]), ("10aa 01bb 20cc 0000", [[1, 0xaa]]), ("1faaaaaa", []),
            ("00000000", []), ("e0aa 0000", [[14, 0xaa]]), ("12aabbcc", [[1, 0xaa, 0xbb, 0xcc]]),
        ] as [(String, [[UInt8]])])
    func oneByteForm(_ block: String, expected: [[UInt8]]) throws { #expect(try elements("bede", block) == expected) }

    @Test(
        arguments: [
            ("0101aa 000000 0202bbcc 0000", [[1, 0xaa], [2, 0xbb, 0xcc]]), ("0100 ff01aa 000000", [[1], [255, 0xaa]]),
            ("01ffaaaa", []), ("0101aa 02", [[1, 0xaa]]), ("00000000", []), ("0f01aa00", [[15, 0xaa]]),
        ] as [(String, [[UInt8]])])
    func twoByteForm(_ block: String, expected: [[UInt8]]) throws {
        #expect(try elements("1000", block) == expected)
        // The application's bits change nothing.
        #expect(try elements("100f", block) == expected)
    }

    @Test(arguments: ["0000", "bedf", "2000", "1010"]) func otherProfilesHaveNoElements(_ profile: String) throws {
        #expect(try elements(profile, "10aa0000") == [])
    }
}

@Suite struct RTPExtensionMapUnitTests {
    @Test func longIdentifiers() {
        var map = RTPExtensionMap([(1, .mid), (200, .rid)])
        #expect(map.hasLongIdentifiers && map.kind(for: 200) == .rid && map.id(for: .rid) == 200)
        map.set(15, .rid)
        #expect(map.hasLongIdentifiers && map.kind(for: 15) == .rid && map.kind(for: 200) == nil)
        map.set(14, .rid)
        #expect(!map.hasLongIdentifiers && map.kind(for: 15) == nil)
    }

    @Test func zeroUnbinds() {
        var map = RTPExtensionMap([(1, .mid)])
        map.set(0, .mid)
        #expect(map.id(for: .mid) == 0 && map.kind(for: 1) == nil && map.pairs.isEmpty && map.kind(for: 0) == nil)
        #expect(map == RTPExtensionMap())
    }

    @Test func mixingIsPartOfTheValue() {
        var map = RTPExtensionMap([(1, .mid)])
        let plain = map
        map.allowsMixed = true
        #expect(map != plain && Set([map, plain, plain]).count == 2)
    }

    @Test func anIdentifierMeansOneThing() {
        var map = RTPExtensionMap([(3, .mid), (4, .rid)])
        map.set(3, .rid)
        #expect(map.kind(for: 3) == .rid && map.id(for: .mid) == 0 && map.kind(for: 4) == nil)
        #expect(map.pairs.map(\.id) == [3])
    }

    @Test func unknownURIs() {
        #expect(RTPExtensionKind(uri: "urn:ietf:params:rtp-hdrext:sdes:mid") == .mid)
        #expect(RTPExtensionKind(uri: "urn:ietf:params:rtp-hdrext:sdes:mi") == nil && RTPExtensionKind(uri: "") == nil)
    }
}

@Suite struct RTPElementPlaceTests {
    private func data(_ place: RTPElementPlace, _ count: Int) -> [UInt8] {
        let packet = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        return packet.withUnsafeBytes { Array(place.data(in: $0)) }
    }

    @Test func aPlaceNamesItsBytes() {
        #expect(data(RTPElementPlace(3..<6), 10) == [3, 4, 5] && data(RTPElementPlace(3..<6), 6) == [3, 4, 5])
        #expect(data(RTPElementPlace(), 10) == [] && data(RTPElementPlace(4..<4), 10) == [])
    }

    /// In another, shorter packet, or beyond what a packet can be, there is nothing.
    @Test func aPlaceOutsideIsEmpty() {
        #expect(data(RTPElementPlace(3..<6), 5) == [] && data(RTPElementPlace(0..<256), 300) == [])
        #expect(RTPElementPlace(65_530..<65_536) == RTPElementPlace())
        #expect(data(RTPElementPlace(0..<255), 300).count == 255)
    }
}

@Suite struct ShortTokenUnitTests {
    @Test(arguments: [0, 17, 40]) func lengthsThatCannotBe(_ count: Int) {
        let bytes = [UInt8](repeating: 0x61, count: count)
        #expect(ShortToken(String(repeating: "a", count: count)) == nil)
        #expect(withSpan(bytes) { ShortToken($0) } == nil)
    }

    @Test func everyByteHasItsPlace() throws {
        for count in 1...16 {
            let bytes = (0..<count).map { UInt8($0 + 0x41) }
            let token = try #require(withSpan(bytes) { ShortToken($0) })
            #expect(token.count == count && (0..<count).map { token[$0] } == bytes)
            #expect(
                token.description == String(decoding: bytes, as: UTF8.self) && ShortToken(token.description) == token)
            let copy = written(count) { buffer in
                token.write(into: buffer, at: 0)
                return count
            }
            #expect(copy == bytes)
        }
    }

    /// A zero at the end is a byte as any other.
    @Test func zerosCount() {
        let (one, two) = (withSpan([0]) { ShortToken($0) }, withSpan([0, 0]) { ShortToken($0) })
        #expect(one != nil && one != two && two?.count == 2)
    }

    @Test func whatIsNoTextIsReplaced() throws {
        let token = try #require(withSpan([0xff, 0x61]) { ShortToken($0) })
        #expect(token.description == "\u{fffd}a")
    }
}

@Suite struct SequenceWalkTests {
    /// A walk with steps below half a circle is followed exactly, forwards and back.
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func aWalkIsFollowed(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var unwrapper = SequenceUnwrapper()
        var position = Int64(UInt16.random(in: 0 ... .max, using: &generator))
        var highest = position
        #expect(unwrapper.unwrap(UInt16(position)) == position)
        for _ in 0..<2000 {
            position = highest + Int64.random(in: -30_000...30_000, using: &generator)
            #expect(unwrapper.unwrap(UInt16(truncatingIfNeeded: position)) == position)
            highest = max(highest, position)
            #expect(unwrapper.highest == highest)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>) func timestampsLikewise(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var unwrapper = TimestampUnwrapper()
        var highest = Int64(UInt32.random(in: 0 ... .max, using: &generator))
        #expect(unwrapper.unwrap(UInt32(highest)) == highest)
        for _ in 0..<2000 {
            let next = highest + Int64.random(in: -2_000_000_000...2_000_000_000, using: &generator)
            #expect(unwrapper.unwrap(UInt32(truncatingIfNeeded: next)) == next)
            highest = max(highest, next)
        }
    }

    @Test func peekingDoesNotMove() {
        var unwrapper = SequenceUnwrapper(highest: 65_535)
        #expect(unwrapper.peek(2) == 65_538 && unwrapper.highest == 65_535 && unwrapper.unwrap(2) == 65_538)
        #expect(unwrapper.highest == 65_538 && SequenceUnwrapper().peek(7) == 7 && SequenceUnwrapper().highest == nil)
    }
}

/// RFC 4588 section 4.
@Suite struct RTXUnitTests {
    private let packet = hex("80e10009 00000064 0000cafe 1234 aabbcc")

    @Test func theOriginalIsBehindItsNumber() throws {
        let header = try rtpHeader(packet)
        let original = try #require(
            withSpan(packet) { RTX.restore(header, in: $0, ssrc: 0xbeef, payloadType: 96) })
        #expect(original.sequenceNumber == 0x1234 && original.ssrc == 0xbeef && original.payloadType == 96)
        #expect(original.timestamp == 100 && original.marker && original.payloadRange(in: packet.count) == 14..<17)
    }

    @Test func aPayloadTypeHasSevenBits() throws {
        let header = try rtpHeader(packet)
        #expect(withSpan(packet) { RTX.restore(header, in: $0, ssrc: 1, payloadType: 0xe0) }?.payloadType == 0x60)
    }

    /// Padding alone is a probe, and one byte is no number.
    @Test(arguments: [
        "a0e10009 00000064 0000cafe 00000004", "80e10009 00000064 0000cafe 12", "80e10009 00000064 0000cafe",
        "a0e10009 00000064 0000cafe 12340003",
    ])
    func whatRepeatsNothing(_ text: String) throws {
        let bytes = hex(text)
        let header = try rtpHeader(bytes)
        #expect(withSpan(bytes) { RTX.restore(header, in: $0, ssrc: 1, payloadType: 96) } == nil)
    }

    @Test func writing() {
        #expect(written { RTX.write(originalSequenceNumber: 0xfffe, into: $0) } == [0xff, 0xfe])
        #expect(written(1) { RTX.write(originalSequenceNumber: 1, into: $0) } == [])
    }
}
