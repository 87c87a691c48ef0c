import RTCWire
import Testing

/// The m-line and what may stand below it, RFC 8866 section 5.14.
@Suite struct SDPMediaTests {
    private func section(_ lines: String...) -> SDPMedia {
        var media = SDPMedia(kind: .video, port: 9, protocolName: "UDP/TLS/RTP/SAVPF", formats: ["96"])
        for line in lines {
            let (name, value) = line.cut(at: UInt8(ascii: ":"))
            media.add(name, value)
        }
        return media
    }

    @Test(arguments: [
        "audio 9 UDP/TLS/RTP/SAVPF 111 63 0", "video 0 RTP/SAVP 96", "application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "audio 49170/2 RTP/AVP 31", "text 65535 TCP/MSRP *", "image 1 udptl",
    ])
    func mediaLinesComeBack(_ text: String) {
        #expect(SDPMedia(parsing: text)?.mediaLine == text)
    }

    @Test(arguments: [
        "", "audio", "audio 9", "audio x RTP/AVP 0", "audio 65536 RTP/AVP 0", "audio 9/ RTP/AVP 0", "audio 9/x RTP/AVP",
    ])
    func noMediaLine(_ text: String) { #expect(SDPMedia(parsing: text) == nil) }

    @Test func parts() throws {
        let media = try #require(SDPMedia(parsing: "audio 49170/2 RTP/AVP 31 32"))
        #expect(media.kind == .audio && media.port == 49_170 && media.portCount == 2)
        #expect(media.protocolName == "RTP/AVP" && media.formats == ["31", "32"] && media.lines.isEmpty)
        #expect(SDPMediaKind("message") == .other("message") && SDPMediaKind("message").text == "message")
        for kind in [SDPMediaKind.audio, .video, .application] { #expect(SDPMediaKind(kind.text) == kind) }
    }

    @Test(arguments: [
        ("UDP/TLS/RTP/SAVPF", true), ("TCP/TLS/RTP/SAVPF", true), ("RTP/SAVPF", true), ("RTP/SAVP", true),
        ("RTP/AVPF", false), ("RTP/AVP", false), ("UDP/DTLS/SCTP", false),
    ])
    func secureProtocols(_ name: String, isSecure: Bool) {
        #expect(SDPMedia(kind: .audio, port: 9, protocolName: name, formats: []).isSecureRTP == isSecure)
    }

    /// RFC 9143 section 6: a bundle-only line has port 0 and is alive.
    @Test func port0IsARejectionUnlessBundled() {
        var media = section()
        #expect(!media.isRejected)
        media.port = 0
        #expect(media.isRejected)
        media.add("bundle-only")
        #expect(!media.isRejected && media.isBundleOnly)
    }

    @Test func directionIsSendrecvWhereNothingIsSaid() {
        #expect(section().direction == .sendrecv && section().statedDirection == nil)
        for direction in MediaDirection.allCases {
            #expect(section("mid:1", direction.rawValue).direction == direction)
        }
        // Only the bare attribute counts.
        #expect(section("inactive:x", "recvonly").direction == .recvonly)
    }

    @Test func properties() {
        let media = section("rtcp-mux", "rtcp-rsize", "extmap-allow-mixed", "end-of-candidates")
        #expect(media.rtcpMux && media.rtcpRsize && media.extmapAllowMixed && media.endOfCandidates)
        #expect(!section().rtcpMux && !section().rtcpRsize && !section().extmapAllowMixed && !section().endOfCandidates)
    }

    @Test func transportAttributes() {
        let media = section(
            "ice-ufrag:abcd", "ice-pwd:0123456789012345678901", "ice-options:trickle ice2", "setup: actpass ",
            "fingerprint:md5 00:01", "fingerprint:broken", "fingerprint:x FF", "mid:a")
        #expect(media.iceUfrag == "abcd" && media.icePwd == "0123456789012345678901" && media.mid == "a")
        #expect(media.iceOptions == ["trickle", "ice2"] && media.setup == .actpass)
        #expect(media.fingerprints.map(\.algorithm) == ["md5", "x"])
        #expect(section("setup:active").setup == .active && section("setup:passive").setup == .passive)
        #expect(section("setup:holdconn").setup == .holdconn && section("setup:Active").setup == nil)
        #expect(section().iceOptions == [] && section().setup == nil)
    }

    @Test func dataChannelAttributes() {
        let media = section("sctp-port:5000", "max-message-size: 262144")
        #expect(media.sctpPort == 5000 && media.maxMessageSize == 262_144)
        #expect(section("max-message-size:0").maxMessageSize == 0)
        #expect(section("max-message-size:18446744073709551615").maxMessageSize == .max)
        #expect(section("max-message-size:18446744073709551616").maxMessageSize == nil)
        #expect(section("sctp-port").sctpPort == nil)
    }

    @Test func codecsAndWhatBelongsToThem() {
        let media = section(
            "rtpmap:96 VP8/90000", "rtpmap:97 rtx/90000", "fmtp:97 apt=96", "fmtp:97 rtx-time=3000", "fmtp:96",
            "rtcp-fb:96 nack", "rtcp-fb:* ccm fir", "extmap:1 urn:a", "extmap:x urn:b")
        #expect(media.rtpmaps.map(\.name) == ["VP8", "rtx"])
        #expect(media.formatParameters.map(\.format) == ["97", "97"])
        #expect(media.formatParameters[1].parameters["rtx-time"] == "3000")
        #expect(media.rtcpFeedback.map(\.payloadType) == [96, nil] && media.extmaps.map(\.id) == [1])
    }

    @Test func streamsAndLayers() {
        let media = section(
            "msid:s t", "ssrc:1 cname:c", "ssrc:2 cname:c", "ssrc-group:FID 1 2", "rid:f send", "rid:h send",
            "simulcast:send f;h", "candidate:1 1 udp 1 10.0.0.1 9 typ host", "candidate:broken")
        #expect(media.msids.map(\.trackID) == ["t"] && media.ssrcs.map(\.ssrc) == [1, 2])
        #expect(media.ssrcGroups.map(\.ssrcs) == [[1, 2]] && media.rids.map(\.id) == ["f", "h"])
        #expect(media.simulcast?.send.count == 2 && media.candidates.map(\.port) == [9])
    }

    // MARK: Editing

    @Test func attributesAreFoundInOrder() {
        let media = section("a:1", "b", "a:2", "a")
        #expect(media.value("a") == "1" && media.values("a") == ["1", "2"] && media.value("b") == nil)
        #expect(media.has("b") && !media.has("c") && media.attributes.map(\.name) == ["a", "b", "a", "a"])
        #expect(media.attributes[3] == SDPAttribute("a"))
    }

    @Test func settingReplacesTheFirst() {
        var media = section("a:1", "b", "a:2")
        media.set("a", "9")
        media.set("b", "x")
        media.set("c")
        #expect(media.values("a") == ["9", "2"] && media.value("b") == "x" && media.has("c"))
        media.remove("a")
        #expect(!media.has("a") && media.lines.count == 2)
    }

    @Test func fieldsAreNoAttributes() {
        var media = section("c:not this")
        media.lines.append(.field(type: UInt8(ascii: "c"), value: "IN IP4 0.0.0.0"))
        media.lines.append(.field(type: UInt8(ascii: "b"), value: "AS:2000"))
        #expect(media.connection == "IN IP4 0.0.0.0" && media.bandwidth == "AS:2000" && media.field("x") == nil)
        var text = ""
        for line in media.lines { line.write(into: &text) }
        #expect(text == "a=c:not thisc=IN IP4 0.0.0.0b=AS:2000")
    }
}

@Suite struct SDPSessionTests {
    private let origin = SDPOrigin(sessionID: 42, sessionVersion: 2)

    @Test func aNewOneHasItsFourLines() {
        #expect(SDPSession(origin: origin).description == "v=0\r\no=- 42 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n")
        #expect(SDPSession(origin: origin).sessionName == "-" && SDPSession(origin: origin).timing == "0 0")
    }

    /// RFC 8866 section 5.2.
    @Test func origins() {
        let parsed = SDPOrigin(parsing: "alice 2890844526 2890842807 IN IP6 2001:db8::1")
        #expect(parsed?.username == "alice" && parsed?.sessionID == "2890844526" && parsed?.addressType == "IP6")
        #expect(parsed?.description == "alice 2890844526 2890842807 IN IP6 2001:db8::1")
        #expect(SDPOrigin(parsing: origin.description) == origin)
        #expect(SDPOrigin(parsing: "- 1 2 IN IP4") == nil && SDPOrigin(parsing: "- 1 2 IN IP4 a b") == nil)
        #expect(SDPOrigin(sessionID: .max, sessionVersion: 0).sessionID == "18446744073709551615")
    }

    @Test func sectionsFollowInOrder() throws {
        var session = SDPSession(origin: origin)
        session.add("group", "BUNDLE 0 1")
        session.add("ice-lite")
        for (index, kind) in [SDPMediaKind.audio, .video].enumerated() {
            var media = SDPMedia(kind: kind, port: 9, protocolName: "UDP/TLS/RTP/SAVPF", formats: ["\(96 + index)"])
            media.add("mid", "\(index)")
            session.media.append(media)
        }
        let text = session.description
        #expect(
            text.hasSuffix("m=audio 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\nm=video 9 UDP/TLS/RTP/SAVPF 97\r\na=mid:1\r\n")
        )
        let again = try SDPSession(parsing: session.encoded())
        #expect(again == session && again.bundle == ["0", "1"] && again.iceLite && again.origin == origin)
        #expect(again.media(mid: "1")?.kind == .video && again.media(mid: "7") == nil)
    }

    @Test func theFirstBundleCounts() {
        var session = SDPSession(origin: origin)
        #expect(session.bundle == nil && session.groups.isEmpty)
        session.add("group", "LS a b")
        session.add("group", "BUNDLE b")
        session.add("group", "BUNDLE a")
        #expect(session.bundle == ["b"] && session.groups.count == 3)
    }

    /// Each error names the line, or what is wrong with it.
    @Test func errorsSayWhere() {
        let errors: [(SDPError, String)] = [
            (.tooLarge(bytes: 9, limit: 8), "9"), (.lineTooLong(line: 17, limit: 8), "17"),
            (.tooManyLines(line: 18, limit: 8), "18"), (.tooManyMedia(line: 19, limit: 8), "19"),
            (.invalidCharacter(line: 20), "20"), (.malformedLine(line: 21), "21"), (.missingVersion, "v=0"),
            (.invalidOrigin(line: 22), "22"), (.invalidMediaLine(line: 23), "23"),
            (.invalidCandidate(field: "rport"), "rport"),
        ]
        for (error, word) in errors { #expect(error.description.contains(word)) }
        #expect(Set(errors.map(\.0.description)).count == errors.count)
    }

    @Test(arguments: [
        ("v=1\r\n", SDPError.missingVersion), ("o=- 1 1 IN IP4 0\r\n", .missingVersion),
        ("v=0\r\n", .invalidOrigin(line: 1)),
        ("v=0\r\no=- 1\r\n", .invalidOrigin(line: 2)), ("v=0\r\no=- 1 1 IN IP4 0\r\nx\r\n", .malformedLine(line: 3)),
        ("v=0\no=- 1 1 IN IP4 0\nm=audio\n", .invalidMediaLine(line: 3)),
        ("v=0\no=- 1 1 IN IP4 0\no=- 1 1 IN IP4 0\n", .invalidOrigin(line: 3)),
        ("v=0\no=- 1 1 IN IP4 0\na=x\u{0}\n", .invalidCharacter(line: 3)),
        ("v=0\no=- 1 1 IN IP4 0\nA=x\n", .malformedLine(line: 3)), ("", .missingVersion), ("\r\n\r\n", .missingVersion),
    ])
    func whatIsRefusedAndWhy(_ text: String, error: SDPError) {
        #expect(throws: error) { try SDPSession(parsing: text) }
    }
}
