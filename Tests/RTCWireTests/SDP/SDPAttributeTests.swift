import Testing

@testable import RTCWire

/// One attribute after the other, as browsers and servers write them: what is read, and that it is written back.
@Suite struct SDPAttributeTests {
    // MARK: a=rtpmap, RFC 8866 section 6.6

    @Test(arguments: [
        ("111 opus/48000/2", 111, "opus", 48_000, 2), ("96 VP8/90000", 96, "VP8", 90_000, 1),
        ("0 PCMU/8000", 0, "PCMU", 8000, 1), ("127 H264/90000", 127, "H264", 90_000, 1),
        ("13  CN/8000", 13, "CN", 8000, 1), ("9 G722/8000/1", 9, "G722", 8000, 1),
    ])
    func rtpmap(_ text: String, payloadType: UInt8, name: String, clockRate: Int, channels: Int) throws {
        let map = try #require(SDPRTPMap(parsing: text))
        #expect(map == SDPRTPMap(payloadType: payloadType, name: name, clockRate: clockRate, channels: channels))
        #expect(SDPRTPMap(parsing: map.description) == map)
    }

    @Test func rtpmapLeavesOneChannelOut() {
        #expect(SDPRTPMap(payloadType: 9, name: "G722", clockRate: 8000).description == "9 G722/8000")
        #expect(SDPRTPMap(payloadType: 63, name: "red", clockRate: 48_000, channels: 2).description == "63 red/48000/2")
    }

    @Test(arguments: [
        "", "96", "128 VP8/90000", "-1 VP8/90000", "96 VP8", "96 VP8/-1", "96 VP8/x", "96 opus/48000/256",
    ])
    func noRTPMap(_ text: String) { #expect(SDPRTPMap(parsing: text) == nil) }

    // MARK: a=rtcp-fb, RFC 4585 section 4.2

    @Test(arguments: [
        ("96 nack", 96, "nack"), ("96 nack pli", 96, "nack pli"), ("96  ccm  fir", 96, "ccm fir"),
        ("* transport-cc", nil, "transport-cc"), ("111 goog-remb", 111, "goog-remb"),
        ("96 trr-int 100", 96, "trr-int 100"),
    ])
    func feedback(_ text: String, payloadType: UInt8?, name: String) throws {
        let feedback = try #require(SDPFeedback(parsing: text))
        #expect(feedback == SDPFeedback(payloadType: payloadType, name: name))
        #expect(SDPFeedback(parsing: feedback.description) == feedback)
    }

    @Test(arguments: ["", "96", "*", "128 nack", "x nack", "** nack"])
    func noFeedback(_ text: String) { #expect(SDPFeedback(parsing: text) == nil) }

    // MARK: a=extmap, RFC 8285 section 8

    @Test(arguments: [
        ("1 urn:x", 1, nil, "urn:x", nil), ("3/sendonly urn:y", 3, MediaDirection.sendonly, "urn:y", nil),
        ("255 urn:z 25@600/24", 255, nil, "urn:z", "25@600/24"),
        (
            "4096/inactive urn:ietf:params:rtp-hdrext:encrypt urn:a b", 4096, .inactive,
            "urn:ietf:params:rtp-hdrext:encrypt", "urn:a b"
        ),
    ])
    func extensionMapping(_ text: String, id: Int, direction: MediaDirection?, uri: String, attributes: String?) throws
    {
        let mapping = try #require(SDPExtensionMapping(parsing: text))
        #expect(mapping == SDPExtensionMapping(id: id, uri: uri, direction: direction, attributes: attributes))
        #expect(mapping.description == text)
    }

    /// Section 4.2: 15 is reserved; what stands above 255 is a place-holder.
    @Test(arguments: [
        ("1 u", true), ("14 u", true), ("15 u", false), ("16 u", true), ("255 u", true), ("256 u", false),
        ("4096 u", false), ("2/sendrecv u", true), ("2/recvonly u", false),
        ("2 urn:ietf:params:rtp-hdrext:encrypt u", false),
    ])
    func usableMappings(_ text: String, isUsable: Bool) {
        #expect(SDPExtensionMapping(parsing: text)?.isUsable == isUsable)
    }

    // MARK: a=fingerprint, RFC 8122 section 5

    @Test(arguments: [("sha-1", 20), ("sha-224", 28), ("sha-256", 32), ("sha-384", 48), ("sha-512", 64), ("md5", 16)])
    func fingerprints(_ algorithm: String, length: Int) throws {
        let value = (0..<length).map { UInt8(truncatingIfNeeded: 0xf8 + $0) }
        let text = SDPFingerprint(algorithm: algorithm, value: value).description
        #expect(text.hasPrefix("\(algorithm) F8:F9:FA") && text.utf8.count == algorithm.utf8.count + 3 * length)
        let fingerprint = try #require(SDPFingerprint(parsing: text.asciiLowercased))
        #expect(fingerprint.algorithm == algorithm && fingerprint.value == value)
        let upper = text.replacingSha()
        #expect(SDPFingerprint(parsing: upper) == fingerprint)
    }

    @Test(arguments: [
        "", "sha-256", "sha-256 ", "sha-256 0", "sha-256 00:0", "sha-256 00 11", "sha-1 00:11", "x 0g", "x 000",
        "x +1", "x \(Array(repeating: "00", count: 65).joined(separator: ":"))",
    ])
    func noFingerprint(_ text: String) { #expect(SDPFingerprint(parsing: text) == nil) }

    // MARK: a=ssrc, a=ssrc-group, RFC 5576 sections 4.1 and 4.2

    @Test(arguments: [
        ("4294967295 cname:a b:c", UInt32.max, "cname", "a b:c"), ("7 msid:s t", 7, "msid", "s t"),
        ("1 mslabel:", 1, "mslabel", ""),
        ("5 label", 5, "label", nil),
    ])
    func source(_ text: String, ssrc: UInt32, attribute: String, value: String?) throws {
        let source = try #require(SDPSource(parsing: text))
        #expect(source == SDPSource(ssrc: ssrc, attribute: attribute, value: value) && source.description == text)
    }

    @Test func sourceGroup() {
        let group = SDPSourceGroup(parsing: "FID 1 4294967295")
        #expect(
            group == SDPSourceGroup(semantics: "FID", ssrcs: [1, .max]) && group?.description == "FID 1 4294967295")
        #expect(SDPSourceGroup(parsing: "SIM")?.ssrcs == [])
        #expect(SDPSourceGroup(parsing: "FID 1 -2") == nil && SDPSourceGroup(parsing: " ") == nil)
    }

    // MARK: a=msid, a=group, a=rid, a=simulcast

    @Test func streamIDs() {
        #expect(SDPStreamID(parsing: "stream track") == SDPStreamID(streamID: "stream", trackID: "track"))
        #expect(SDPStreamID(parsing: "- t extra")?.description == "- t")
        #expect(SDPStreamID(parsing: "alone")?.trackID == nil && SDPStreamID(parsing: "alone")?.description == "alone")
        #expect(SDPStreamID(parsing: "  ") == nil)
    }

    @Test func groups() {
        #expect(SDPGroup(parsing: "BUNDLE 0 1 a") == SDPGroup(semantics: "BUNDLE", mids: ["0", "1", "a"]))
        #expect(SDPGroup(parsing: "LS")?.mids == [] && SDPGroup(parsing: "") == nil)
        #expect(SDPGroup(semantics: "BUNDLE", mids: ["0", "1"]).description == "BUNDLE 0 1")
    }

    @Test(arguments: [
        ("f send", "f", true, nil), ("q recv", "q", false, nil),
        ("h send pt=96,97;max-width=640", "h", true, "pt=96,97;max-width=640"),
        ("1 send a b", "1", true, "a b"),
    ])
    func rid(_ text: String, id: String, sends: Bool, restrictions: String?) throws {
        let rid = try #require(SDPRID(parsing: text))
        #expect(rid == SDPRID(id: id, sends: sends, restrictions: restrictions) && rid.description == text)
    }

    /// RFC 8853 section 5.1.
    @Test(arguments: ["send q;h;f", "recv 1", "send 1,~4;2 recv 3", "recv a send ~b"])
    func simulcastComesBack(_ text: String) throws {
        let simulcast = try #require(SDPSimulcast(parsing: text))
        #expect(SDPSimulcast(parsing: simulcast.description) == simulcast)
    }

    @Test func simulcastDirections() {
        let simulcast = SDPSimulcast(parsing: "recv a send ~b,c;d")
        #expect(simulcast?.receive == [[.init(rid: "a", isPaused: false)]])
        #expect(
            simulcast?.send == [
                [.init(rid: "b", isPaused: true), .init(rid: "c", isPaused: false)], [.init(rid: "d", isPaused: false)],
            ])
        #expect(simulcast?.description == "send ~b,c;d recv a")
    }

    @Test(arguments: ["", "send", "send a recv", "recv a recv b", "both a", "send a recv b send c"])
    func noSimulcast(_ text: String) { #expect(SDPSimulcast(parsing: text) == nil) }
}

extension String {
    /// The hash function's name in capitals, as some peers write it.
    fileprivate func replacingSha() -> String {
        hasPrefix("sha") ? "SHA" + dropFirst(3) : self
    }
}

@Suite struct SDPFormatParametersTests {
    @Test func namesAreComparedWithoutCase() {
        let parameters: SDPFormatParameters = "Profile-Level-ID=42e01f;packetization-mode=1"
        #expect(parameters["profile-level-id"] == "42e01f" && parameters["PACKETIZATION-MODE"] == "1")
        #expect(parameters["mode"] == nil)
    }

    @Test func aValueMayHoldEqualSigns() {
        #expect(
            SDPFormatParameters(parsing: "sprop-parameter-sets=Z0IACg==,aM4=")["sprop-parameter-sets"]
                == "Z0IACg==,aM4=")
    }

    @Test func emptyPartsAreNone() {
        #expect(SDPFormatParameters(parsing: "").isEmpty && SDPFormatParameters(parsing: ";; ;=x").isEmpty)
        #expect(SDPFormatParameters(parsing: "a=").entries == [.init(name: "a", value: "")])
    }

    @Test func settingKeepsThePlaceAndTheSpelling() {
        var parameters: SDPFormatParameters = "Apt=96;x=1"
        parameters["apt"] = "97"
        parameters["y"] = "2"
        #expect(parameters.description == "Apt=97;x=1;y=2")
        parameters["X"] = nil
        parameters["absent"] = nil
        #expect(parameters.description == "Apt=97;y=2")
    }

    /// RED's and telephone-event's own forms are names without values.
    @Test(arguments: ["111/111", "0-16", "0-15,66,70"]) func ownForms(_ text: String) {
        let parameters = SDPFormatParameters(parsing: text)
        #expect(parameters.entries == [.init(name: text, value: nil)] && parameters.description == text)
        #expect(parameters[text] == nil)
    }

    @Test func theFirstOfTwoCounts() {
        #expect(SDPFormatParameters(parsing: "a=1;a=2")["a"] == "1")
    }
}

@Suite struct SDPTextTests {
    @Test func fieldsPassOverRunsOfSeparators() {
        #expect("a  b c ".fields() == ["a", "b", "c"] && "".fields() == [] && "   ".fields() == [])
        #expect("a;b;;c".fields(separator: UInt8(ascii: ";")) == ["a", "b", "c"])
        #expect("a b  c d".fields(limit: 2) == ["a", "b  c d"] && "a".fields(limit: 5) == ["a"])
    }

    @Test func cutting() {
        #expect("a:b:c".cut(at: UInt8(ascii: ":")) == ("a", "b:c") && "abc".cut(at: UInt8(ascii: ":")) == ("abc", nil))
        #expect(":x".cut(at: UInt8(ascii: ":")) == ("", "x") && "x:".cut(at: UInt8(ascii: ":")) == ("x", ""))
    }

    @Test func lowercasingIsASCIIOnly() {
        #expect("VP8-Ä".asciiLowercased == "vp8-Ä" && "abc".asciiLowercased == "abc" && "@[".asciiLowercased == "@[")
    }

    @Test func trimming() {
        #expect(" \t a b\t ".trimmed == "a b" && "".trimmed == "" && " \t".trimmed == "" && "x".trimmed == "x")
    }

    @Test func visibleTokens() {
        #expect("abc-1".isVisibleToken && "é".isVisibleToken && String(repeating: "x", count: 256).isVisibleToken)
        for text in ["", "a b", "a\u{7f}", "a\n", "\u{0}", String(repeating: "x", count: 257)] {
            #expect(!text.isVisibleToken)
        }
    }
}
