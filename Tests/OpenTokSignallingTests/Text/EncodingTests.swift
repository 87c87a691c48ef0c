import Testing

@testable import OpenTokSignalling

@Suite struct EncodingTests {
    @Test(
        "RFC 4648 section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(plain: String, encoded: String) throws {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes) == encoded)
        #expect(Base64.decode(encoded) == bytes)
        #expect(Base64.decode(Base64.encodeURL(bytes)) == bytes)
    }

    @Test func eitherAlphabet() {
        #expect(Base64.encode([0xfb, 0xff]) == "+/8=")
        #expect(Base64.encodeURL([0xfb, 0xff]) == "-_8")
        #expect(Base64.decode("+/8=") == Base64.decode("-_8"))
    }

    @Test(arguments: ["A", "AAAAA", "A A=", "é", "AA=A", "===="]) func noBase64(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func forms() throws {
        let pairs = try #require(PercentEncoding.decodeForm("a=1+2&b=%C5%BE%26&c&=d&&e=f=g", limit: 9))
        #expect(pairs.map(\.name) == ["a", "b", "c", "", "e"])
        #expect(pairs.map(\.value) == ["1 2", "ž&", "", "d", "f=g"])
        #expect(PercentEncoding.encodeForm([("a b", "ž&~"), ("c", "")]) == "a+b=%C5%BE%26~&c=")
    }

    @Test func whatIsNoForm() {
        for text in ["%", "%4", "%zz", "%ff", "a=%"] { #expect(PercentEncoding.decodeForm(text, limit: 9) == nil) }
        #expect(PercentEncoding.decodeForm("a&b&c", limit: 2) == nil)
        #expect(PercentEncoding.decodeSegment("a+b%2F") == "a+b/")
    }

    @Test("RFC 2202 section 3, RFC 4231 section 4.3")
    func codes() {
        let message = Array("what do ya want for nothing?".utf8)
        #expect(MessageCode.sha1(message, secret: "Jefe").prefix(4) == [0xef, 0xfc, 0xdf, 0x6a])
        #expect(MessageCode.sha256(message, secret: "Jefe").prefix(4) == [0x5b, 0xdc, 0xc1, 0x46])
    }

    @Test(
        "Days of leap years and centuries",
        arguments: [
            (0, "Thu Jan 01 00:00:00 UTC 1970"), (1_800_000_000, "Fri Jan 15 08:00:00 UTC 2027"),
            (951_782_399, "Mon Feb 28 23:59:59 UTC 2000"), (951_782_400, "Tue Feb 29 00:00:00 UTC 2000"),
            (951_868_800, "Wed Mar 01 00:00:00 UTC 2000"), (4_107_542_400, "Mon Mar 01 00:00:00 UTC 2100"),
            (4_107_542_399, "Sun Feb 28 23:59:59 UTC 2100"), (Int64.max, "Fri Dec 31 23:59:59 UTC 9999"),
        ])
    func dates(seconds: Int64, text: String) { #expect(CalendarDate(seconds: seconds).text == text) }
}
