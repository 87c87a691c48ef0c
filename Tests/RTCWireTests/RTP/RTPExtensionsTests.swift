import RTCWire
import Testing

struct RTPExtensionsTests {
    private let map = RTPExtensionMap([
        (1, .audioLevel), (2, .absSendTime), (3, .transportSequenceNumber), (4, .mid), (10, .rid),
        (13, .absCaptureTime),
        (5, .playoutDelay), (14, .transmissionOffset), (6, .videoOrientation), (16, .repairedRid),
    ])

    private func parse(_ profile: String, _ elements: String) throws -> RTPExtensions {
        let data = hex(elements)
        let words = (data.count + 3) / 4
        let padding = [UInt8](repeating: 0, count: 4 * words - data.count)
        let packet = hex("9000 0001 00000000 00000000 \(profile)") + [0, UInt8(words)] + data + padding
        return try withSpan(packet) { bytes throws(WireError) in
            let header = try RTPHeader(parsing: bytes)
            return RTPExtensions(parsing: bytes, header: header, map: map)
        }
    }

    @Test func oneByteForm() throws {
        let e = try parse("bede", "10 85  22 010203  31 beef  00 00  42 616263  a0 66  52 00a014  e2 ffffff  60 03")
        #expect(e.audioLevel == AudioLevel(level: 5, voice: true))
        #expect(e.absSendTime == 0x010203 && e.transportSequenceNumber == 0xbeef)
        #expect(e.mid == ShortToken("abc") && e.rid == ShortToken("f"))
        #expect(e.playoutDelay == PlayoutDelay(minimum: 10, maximum: 20))
        #expect(e.transmissionOffset == -1 && e.videoOrientation == 3)
    }

    @Test func captureTimeWithAndWithoutOffset() throws {
        let short = try parse("bede", "d7 0102030405060708")
        #expect(short.absCaptureTime == AbsoluteCaptureTime(ntp: 0x0102_0304_0506_0708))
        let long = try parse("bede", "df 0102030405060708 fffffffffffffffe")
        #expect(long.absCaptureTime == AbsoluteCaptureTime(ntp: 0x0102_0304_0506_0708, clockOffset: -2))
    }

    @Test func twoByteFormWithEmptyElementAndAppBits() throws {
        let e = try parse("1005", "01 00  02 03 0a0b0c  00  10 02 6869  04 00")
        #expect(e.absSendTime == 0x0a0b0c && e.repairedRid == ShortToken("hi"))
        #expect(e.audioLevel == nil && e.mid == nil)
    }

    @Test func oneByteIdentifier15EndsTheWalk() throws {
        let e = try parse("bede", "10 05  f0 00  22 010203")
        #expect(e.audioLevel?.level == 5 && e.absSendTime == nil)
    }

    @Test func elementBehindTheBlockEndsTheWalk() throws {
        #expect(try parse("bede", "10 05 4f 61").mid == nil)
        #expect(try parse("1000", "01 01 05 04 09 61 62").mid == nil)
        #expect(try parse("1000", "00 00 00 04") == RTPExtensions())
    }

    @Test func unboundWrongSizedAndForeignElementsAreSkipped() throws {
        #expect(try parse("bede", "70 01  21 0102  10 05").audioLevel?.level == 5)
        #expect(try parse("bede", "21 0102").absSendTime == nil)
        #expect(try parse("abac", "10 05") == RTPExtensions())
    }

    @Test func writesTheOneByteForm() {
        var e = RTPExtensions()
        e.mid = ShortToken("0")
        e.audioLevel = AudioLevel(level: 127, voice: false)
        e.absSendTime = 0x010203
        let block = written { e.write(into: $0, map: map) }
        #expect(block == hex("bede 0002 40 30 10 7f 22 010203"))
    }

    @Test func writesTheTwoByteFormOnlyWhereAllowed() {
        var e = RTPExtensions()
        e.mid = ShortToken("0")
        e.repairedRid = ShortToken("hi")
        #expect(written { e.write(into: $0, map: map) } == hex("bede 0001 40 30 0000"))
        var mixed = map
        mixed.allowsMixed = true
        #expect(written { e.write(into: $0, map: mixed) } == hex("1000 0002 04 01 30 10 02 6869 00"))
    }

    @Test func unboundValuesAreNotWritten() {
        var e = RTPExtensions()
        e.mid = ShortToken("0")
        #expect(e.encodedLength(map: RTPExtensionMap()) == 0)
        #expect(written { e.write(into: $0, map: RTPExtensionMap()) } == [])
    }
}

struct RTPExtensionMapTests {
    @Test func looksUpBothWays() {
        var map = RTPExtensionMap()
        for (index, kind) in RTPExtensionKind.allCases.enumerated() { map.set(UInt8(index * 3 + 1), kind) }
        for (index, kind) in RTPExtensionKind.allCases.enumerated() {
            #expect(map.id(for: kind) == UInt8(index * 3 + 1) && map.kind(for: UInt8(index * 3 + 1)) == kind)
        }
        #expect(map.kind(for: 0) == nil && map.kind(for: 2) == nil && map.kind(for: 255) == nil)
        #expect(map.pairs.count == RTPExtensionKind.allCases.count)
    }

    @Test func laterBindingDisplacesEarlier() {
        var map = RTPExtensionMap([(3, .mid), (3, .rid)])
        #expect(map.id(for: .mid) == 0 && map.kind(for: 3) == .rid)
        map.set(200, .rid)
        #expect(map.kind(for: 3) == nil && map.kind(for: 200) == .rid)
        map.set(0, .rid)
        #expect(map == RTPExtensionMap())
    }

    @Test func everyKindHasItsURI() {
        for kind in RTPExtensionKind.allCases { #expect(RTPExtensionKind(uri: kind.uri) == kind) }
        #expect(RTPExtensionKind(uri: "urn:ietf:params:rtp-hdrext:encrypt") == nil)
    }
}

struct ShortTokenTests {
    @Test(arguments: ["a", "0", "audio-1", "12345678", "123456789", "0123456789abcdef", "ü-é"])
    func keepsText(text: String) throws {
        let token = try #require(ShortToken(text))
        #expect(token.description == text && token.count == text.utf8.count)
        #expect(withSpan(Array(text.utf8)) { ShortToken($0) } == token)
    }

    @Test func lengthIsPartOfTheValue() {
        #expect(ShortToken("a") != ShortToken("a\0"))
        #expect(ShortToken("") == nil && ShortToken("0123456789abcdefg") == nil)
        #expect(withSpan([]) { ShortToken($0) } == nil)
    }
}
