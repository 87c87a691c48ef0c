import RTCWire
import Testing
import WHIPSignalling

struct TrickleFragmentTests {
    /// RFC 9725 section 4.3.1.
    private static let trickle = """
        a=group:BUNDLE 0 1
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        a=mid:0
        a=ice-ufrag:EsAw
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
        a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1
        a=candidate:3471623853 1 udp 2122194687 198.51.100.2 61765 typ host generation 0 ufrag EsAw network-id 2
        a=candidate:473322822 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 0 ufrag EsAw network-id 1
        a=end-of-candidates

        """
    /// RFC 9725 section 4.3.2: credentials of the whole session.
    private static let restart =
        "a=ice-options:trickle ice2\r\na=ice-ufrag:ysXw\r\na=ice-pwd:vw5LmwG4y/e6dPP/zAP9Gp5k\r\n"

    @Test func readsCandidates() throws {
        let fragment = try TrickleFragment(parsing: Self.trickle.utf8)
        #expect(fragment.credentials?.ufrag == "EsAw")
        #expect(fragment.credentials?.pwd == "P2uYro0UCOQ4zxjKXaWCBui1")
        #expect(fragment.ufrag == "EsAw")
        let section = try #require(fragment.media.first)
        #expect(section.mid == "0")
        #expect(section.candidates.map(\.port) == [61764, 61765, 9])
        #expect(section.endOfCandidates)
        #expect(fragment.description == Self.trickle.replacing("\n", with: "\r\n"))
    }

    @Test func readsCredentialsOfTheSession() throws {
        let fragment = try TrickleFragment(parsing: Self.restart.utf8)
        #expect(fragment.credentials?.ufrag == "ysXw")
        #expect(fragment.media.isEmpty)
        #expect(fragment.description == Self.restart)
    }

    @Test func writesWhatARestartIsAnsweredWith() throws {
        let line = try #require(SDPMedia(parsing: "audio 9 UDP/TLS/RTP/SAVPF 111"))
        let candidate = try ICECandidate(parsing: "1 1 udp 1 192.0.2.9 4000 typ host")
        let fragment = TrickleFragment(credentials: ("u", "p"), mediaLine: line, candidates: [candidate])
        #expect(
            fragment.description
                == "a=ice-ufrag:u\r\na=ice-pwd:p\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\n"
                + "a=candidate:1 1 udp 1 192.0.2.9 4000 typ host\r\na=end-of-candidates\r\n")
        #expect(try TrickleFragment(parsing: fragment.description.utf8) == fragment)
    }

    @Test(arguments: [
        ("v=0\r\n", TrickleFragmentError.malformedLine(1)), ("a=mid:0\r\na=\r\n", .malformedLine(2)),
        ("m=audio\r\n", .malformedMediaLine(1)), ("a=x\rb\n", .notText), ("a=\0\n", .notText),
        ("a=candidate:1 1 udp\n", .malformedCandidate(1, .invalidCandidate(field: "number of fields"))),
        (String(repeating: "a=x\n", count: 600), .tooManyLines),
        (String(repeating: "a", count: 40_000), .tooLarge(bytes: 40_000)),
    ])
    func refuses(text: String, error: TrickleFragmentError) {
        #expect(throws: error) { try TrickleFragment(parsing: text.utf8) }
        #expect(!error.description.isEmpty)
    }

    @Test func refusesWhatIsNoText() {
        #expect(throws: TrickleFragmentError.notText) { try TrickleFragment(parsing: [0x61, 0x3d, 0xff]) }
    }

    @Test func survivesMutations() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var bytes = Array(Self.trickle.utf8)
            for _ in 0..<Int.random(in: 1...6) {
                bytes[Int.random(in: bytes.indices)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { WHIPFuzzing.fragment($0) }
            bytes.insert(UInt8.random(in: 0...15), at: 0)
            bytes.withUnsafeBytes { WHIPFuzzing.session($0) }
        }
    }
}
