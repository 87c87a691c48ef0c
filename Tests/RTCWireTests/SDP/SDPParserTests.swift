import Testing

@testable import RTCWire

@Suite struct SDPParserTests {
    static let head = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var error: SDPError
        var testDescription: String { name }
    }

    static let malformed: [Case] = [
        Case(name: "empty", text: "", error: .missingVersion),
        Case(name: "blank lines only", text: "\r\n\r\n", error: .missingVersion),
        Case(name: "no version", text: "o=- 1 2 IN IP4 0.0.0.0\r\n", error: .missingVersion),
        Case(name: "version 1", text: "v=1\r\n", error: .missingVersion),
        Case(name: "JSON", text: "{\"type\":\"offer\"}", error: .missingVersion),
        Case(name: "no origin", text: "v=0\r\ns=-\r\n", error: .invalidOrigin(line: 2)),
        Case(name: "short origin", text: "v=0\r\no=- 1 2 IN\r\n", error: .invalidOrigin(line: 2)),
        Case(name: "two origins", text: head + "o=- 1 2 IN IP4 0.0.0.0\r\n", error: .invalidOrigin(line: 5)),
        Case(
            name: "origin in a section", text: head + "m=audio 9 X 0\r\no=- 1 2 IN IP4 0.0.0.0\r\n",
            error: .invalidOrigin(line: 6)),
        Case(name: "no equals sign", text: head + "hello\r\n", error: .malformedLine(line: 5)),
        Case(name: "upper-case letter", text: head + "A=x\r\n", error: .malformedLine(line: 5)),
        Case(name: "one letter", text: head + "a\r\n", error: .malformedLine(line: 5)),
        Case(name: "blank line inside", text: "v=0\r\n\r\no=- 1 2 IN IP4 0.0.0.0\r\n", error: .malformedLine(line: 2)),
        Case(name: "space first", text: head + " a=x\r\n", error: .malformedLine(line: 5)),
        Case(name: "bare CR", text: head + "a=x\ra=y\r\n", error: .invalidCharacter(line: 5)),
        Case(name: "NUL", text: head + "a=x\u{0}y\r\n", error: .invalidCharacter(line: 5)),
        Case(name: "m-line without port", text: head + "m=audio\r\n", error: .invalidMediaLine(line: 5)),
        Case(name: "port too large", text: head + "m=audio 65536 X 0\r\n", error: .invalidMediaLine(line: 5)),
        Case(name: "negative port", text: head + "m=audio -1 X 0\r\n", error: .invalidMediaLine(line: 5)),
        Case(name: "bad port count", text: head + "m=audio 9/x X 0\r\n", error: .invalidMediaLine(line: 5)),
    ]

    /// Answers of a livekit-server say `stereo=1` twice.
    @Test func duplicateParametersAreTaken() {
        let parameters = SDPFormatParameters(parsing: "minptime=10;stereo=1;usedtx=1;stereo=1;usedtx=0")
        #expect(parameters["stereo"] == "1" && parameters["usedtx"] == "1" && parameters["minptime"] == "10")
    }

    @Test(arguments: malformed) func refuses(_ example: Case) {
        #expect(throws: example.error) { try SDPSession(parsing: example.text) }
        #expect(!example.error.description.isEmpty)
    }

    @Test func refusesInvalidUTF8() {
        let bytes = Array((SDPParserTests.head + "a=x").utf8) + [0xFF, 0xFE]
        #expect(throws: SDPError.invalidCharacter(line: 5)) { try SDPSession(parsing: bytes) }
    }

    @Test func keepsItsBounds() {
        var limits = SDPLimits()
        let large = SDPParserTests.head + String(repeating: "a=x\r\n", count: 60_000)
        #expect(throws: SDPError.tooLarge(bytes: large.utf8.count, limit: 262_144)) { try SDPSession(parsing: large) }
        let wide = SDPParserTests.head + "a=" + String(repeating: "x", count: 32 * 1024)
        #expect(throws: SDPError.lineTooLong(line: 5, limit: 32 * 1024)) { try SDPSession(parsing: wide) }
        let long = SDPParserTests.head + String(repeating: "a=x\r\n", count: 2045)
        #expect(throws: SDPError.tooManyLines(line: 2049, limit: 2048)) { try SDPSession(parsing: long) }
        let many = SDPParserTests.head + String(repeating: "m=audio 9 X 0\r\n", count: 513)
        #expect(throws: SDPError.tooManyMedia(line: 517, limit: 512)) { try SDPSession(parsing: many) }
        limits.formats = 2
        #expect(throws: SDPError.tooManyMedia(line: 5, limit: 2)) {
            try SDPSession(parsing: SDPParserTests.head + "m=audio 9 X 0 8 9\r\n", limits: limits)
        }
    }

    @Test func takes512Lines() throws {
        let text = SDPParserTests.head + String(repeating: "m=audio 9 X 0\r\na=inactive\r\n", count: 512)
        #expect(try SDPSession(parsing: text).media.count == 512)
    }

    @Test func takesBareLineFeedsAndAMissingLastLineEnd() throws {
        let text = "v=0\no=- 1 2 IN IP4 127.0.0.1\ns=-\nt=0 0\nm=audio 9 UDP/TLS/RTP/SAVPF 0\na=mid:a"
        let session = try SDPSession(parsing: text)
        #expect(session.media(mid: "a")?.formats == ["0"])
        #expect(session.description == text.split(separator: "\n").map { $0 + "\r\n" }.joined())
    }

    @Test func keepsUnknownLinesInOrder() throws {
        let text =
            SDPParserTests.head + """
                i=talk\r
                z=0 0\r
                a=x-vendor:1:2:3\r
                m=text 9/2 TCP/MSRP *\r
                k=prompt\r
                a=accept-types:text/plain\r
                y=future\r
                a=\r
                a=:\r

                """
        let session = try SDPSession(parsing: text)
        #expect(session.description == text)
        #expect(session.value("x-vendor") == "1:2:3")
        #expect(session.media[0].kind == .other("text"))
        #expect(session.media[0].portCount == 2)
    }

    @Test func editsAttributes() throws {
        var session = try SDPSession(parsing: SDPParserTests.head + "m=audio 9 X 0\r\na=mid:0\r\na=sendrecv\r\n")
        session.media[0].set("mid", "7")
        session.media[0].remove("sendrecv")
        session.media[0].add("recvonly")
        #expect(session.description == SDPParserTests.head + "m=audio 9 X 0\r\na=mid:7\r\na=recvonly\r\n")
        #expect(session.media[0].direction == .recvonly)
    }

    /// Values that don't parse are passed over by the accessors, and kept in the text.
    @Test(arguments: [
        "rtpmap:300 x/1", "rtpmap:96 x", "rtpmap:96 x/0", "rtpmap:96 x/90000/0", "rtpmap:", "rtpmap:96",
        "rtcp-fb:200 nack", "rtcp-fb:96", "extmap:0 urn:x", "extmap:70000 urn:x", "extmap:1/up urn:x", "extmap:1",
        "msid:", "ssrc:x cname:y", "ssrc:4294967296 cname:y", "ssrc-group:", "ssrc-group:FID 1 x", "rid:f",
        "rid:f sideways", "simulcast:send", "simulcast:up 1", "simulcast:send 1 send 2", "fmtp:96",
        "fingerprint:sha-256 AB", "fingerprint:sha-256 GG:00", "fingerprint:sha-1", "setup:maybe", "sctp-port:99999",
        "candidate:1 1 udp", "candidate:1 0 udp 1 127.0.0.1 9 typ host", "group:",
    ]) func passesOverMalformedValues(_ line: String) throws {
        let text = SDPParserTests.head + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=\(line)\r\n"
        let session = try SDPSession(parsing: text)
        let section = session.media[0]
        #expect(session.description == text)
        #expect(section.rtpmaps.isEmpty && section.rtcpFeedback.isEmpty && section.extmaps.isEmpty)
        #expect(section.msids.isEmpty && section.ssrcs.isEmpty && section.ssrcGroups.isEmpty && section.rids.isEmpty)
        #expect(section.simulcast == nil && section.formatParameters.isEmpty && section.fingerprints.isEmpty)
        #expect(section.setup == nil && section.sctpPort == nil && section.candidates.isEmpty)
    }

    @Test func simulcastWithAlternativesAndPauses() {
        let simulcast = SDPSimulcast(parsing: "send 1,~4;2 recv 3")
        #expect(simulcast?.send.map { $0.map(\.rid) } == [["1", "4"], ["2"]])
        #expect(simulcast?.send[0][1].isPaused == true)
        #expect(simulcast?.description == "send 1,~4;2 recv 3")
    }

    @Test func formatParameters() {
        var parameters = SDPFormatParameters(parsing: " minptime=10; useinbandfec=1;;x ")
        #expect(parameters["MinPTime"] == "10")
        #expect(parameters.description == "minptime=10;useinbandfec=1;x")
        parameters["minptime"] = nil
        parameters.merge("usedtx=1;useinbandfec=0")
        #expect(parameters.description == "useinbandfec=0;x;usedtx=1")
        #expect(SDPFormatParameters(parsing: "111/111").description == "111/111")
        let many = SDPFormatParameters(parsing: (0..<1000).map { "p\($0)=1" }.joined(separator: ";"))
        parameters.merge(many)
        #expect(many.entries.count == 64 && parameters.entries.count == 64)
    }

    @Test func directions() {
        for direction in MediaDirection.allCases {
            #expect(direction.reversed.reversed == direction)
            #expect(direction.intersection(.sendrecv) == direction)
            #expect(direction.intersection(.inactive) == .inactive)
        }
        #expect(MediaDirection.sendonly.reversed == .recvonly)
        #expect(MediaDirection.sendonly.intersection(.recvonly) == .inactive)
    }
}
