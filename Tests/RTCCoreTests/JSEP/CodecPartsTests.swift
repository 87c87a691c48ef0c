import RTCWire
import Testing

@testable import RTCCore

/// Which codec of the other side is ours, and what an answer says of it: RFC 8829 section 5.3.1 and the codecs' own rules.
@Suite struct CodecCapabilityTests {
    private func remote(
        _ name: String, _ clockRate: Int, channels: Int = 1, _ parameters: SDPFormatParameters = ""
    ) -> RemoteCodec {
        RemoteCodec(
            payloadType: 100, name: name, clockRate: clockRate, channels: channels, parameters: parameters,
            feedback: [])
    }

    @Test func nameClockAndChannelsMakeACodec() {
        #expect(CodecCapability.opus.matches(remote("OPUS", 48_000, channels: 2)))
        #expect(!CodecCapability.opus.matches(remote("opus", 48_000)))
        #expect(!CodecCapability.opus.matches(remote("opus", 16_000, channels: 2)))
        #expect(
            CodecCapability.vp8.matches(remote("vp8", 90_000)) && !CodecCapability.vp8.matches(remote("VP9", 90_000)))
    }

    /// RFC 9628 section 6.1: without a profile-id it is 0.
    @Test func profilesOfVP9() {
        #expect(CodecCapability.vp9().matches(remote("VP9", 90_000)))
        #expect(CodecCapability.vp9().matches(remote("VP9", 90_000, "profile-id=0")))
        #expect(!CodecCapability.vp9().matches(remote("VP9", 90_000, "profile-id=2")))
        #expect(CodecCapability.vp9(profile: 2).matches(remote("VP9", 90_000, "profile-id=2")))
        #expect(!CodecCapability.vp9(profile: 2).matches(remote("VP9", 90_000)))
    }

    /// RFC 6184 section 8.1: profile and packetization mode count, the level does not.
    @Test(arguments: [
        ("packetization-mode=1;profile-level-id=42e01f", true), ("packetization-mode=1;profile-level-id=42E034", true),
        ("packetization-mode=0;profile-level-id=42e01f", false), ("profile-level-id=42e01f", false),
        ("packetization-mode=1;profile-level-id=640c1f", false), ("packetization-mode=1", false),
    ])
    func h264(_ parameters: String, matches: Bool) {
        let codec = remote("H264", 90_000, SDPFormatParameters(parsing: parameters))
        #expect(CodecCapability.h264().matches(codec) == matches)
    }

    @Test func aForwarderTakesAnyProfile() throws {
        let taken = CodecCapability.forwardedInAnswers
        for parameters in ["profile-id=0", "profile-id=3", ""] {
            #expect(taken.contains { $0.matches(remote("VP9", 90_000, SDPFormatParameters(parsing: parameters))) })
        }
        let high = remote("H264", 90_000, "packetization-mode=1;profile-level-id=64002a")
        let capability = try #require(taken.first { $0.matches(high) })
        #expect(capability.answerParameters(to: high)["profile-level-id"] == "64002a")
    }

    /// An answer has our wishes, and the offerer's values where both must agree.
    @Test func answers() {
        let vp9 = remote("VP9", 90_000, "profile-id=0;max-fr=30")
        #expect(CodecCapability.vp9().answerParameters(to: vp9).description == "profile-id=0")
        let opus = remote("opus", 48_000, channels: 2, "minptime=20;stereo=1")
        #expect(CodecCapability.opus.answerParameters(to: opus).description == "minptime=10;useinbandfec=1")
        let red = remote("red", 48_000, channels: 2, "109/109")
        #expect(CodecCapability.red.answerParameters(to: red).description == "109/109")
    }
}

@Suite struct CodecFeedbackTests {
    @Test func namesComeInTheOrderOfBrowsers() {
        let all: CodecFeedback = [.pli, .nack, .fir, .remb, .transportCC]
        #expect(all.names == ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"])
        #expect(CodecFeedback(names: all.names) == all && CodecFeedback(names: all.names.reversed()) == all)
    }

    @Test func otherNamesArePassedOver() {
        #expect(CodecFeedback(names: ["nack rpsi", "ccm", "trr-int 100", "NACK"]) == [])
        #expect(CodecFeedback(names: ["nack", "nack", "x"]) == .nack && CodecFeedback([]).names == [])
    }

    @Test func whatCongestionControlAsksFor() {
        let table: [(CongestionFeedback, Bool, CodecFeedback)] = [
            (.none, true, []), (.none, false, []), (.transportWide, true, [.remb, .transportCC]),
            (.transportWide, false, [.remb, .transportCC]), (.receiverEstimate, true, .transportCC),
            (.receiverEstimate, false, .remb), (.transportWideElseEstimate, true, .transportCC),
            (.transportWideElseEstimate, false, [.remb, .transportCC]),
        ]
        for (kind, remoteSends, expected) in table { #expect(kind.feedback(remoteSends: remoteSends) == expected) }
    }

    /// An answer keeps numbers alive that a later offer will need.
    @Test func answersKeepTheNumbers() {
        let kind = CongestionFeedback.receiverEstimate
        #expect(kind.extensions(remoteSends: false) == [.absSendTime])
        #expect(kind.answeredExtensions(remoteSends: false) == [.absSendTime, .transportSequenceNumber])
        #expect(kind.answeredExtensions(remoteSends: true) == [.transportSequenceNumber])
        let both = CongestionFeedback.transportWideElseEstimate
        #expect(both.answeredExtensions(remoteSends: false) == [.absSendTime, .transportSequenceNumber])
        #expect(both.answeredExtensions(remoteSends: true) == [.transportSequenceNumber])
        #expect(CongestionFeedback.none.answeredExtensions(remoteSends: false) == [])
    }
}

/// Numbers of our offers, RFC 9143 section 9.1 and RFC 5761 section 4.
@Suite struct NumberTableTests {
    @Test func fixedNumbersAreTheUsualOnes() throws {
        var table = NumberTable(numbering: .fixed)
        #expect(try table.payloadTypes(of: 0, .vp8) == .init(primary: 96, rtx: 97))
        #expect(try table.payloadTypes(of: 1, .opus) == .init(primary: 111, rtx: nil))
        #expect(try table.payloadTypes(of: 2, .pcmu) == .init(primary: 0, rtx: nil))
        #expect(try table.payloadTypes(of: 0, .vp8) == .init(primary: 96, rtx: 97))
        #expect(try table.id(of: .mid) == 1 && table.id(of: .rid) == 2 && table.id(of: .mid) == 1)
    }

    /// Two codecs that want one number get two.
    @Test func aTakenNumberIsNotGivenAgain() throws {
        var table = NumberTable(numbering: .fixed)
        let first = try table.payloadTypes(of: 0, .vp8)
        let second = try table.payloadTypes(of: 1, .vp8)
        #expect(Set([first.primary, first.rtx, second.primary, second.rtx]).count == 4)
    }

    /// 64...95 look like RTCP with the marker bit.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func drawnNumbersAreNeverRTCPs(_ seed: UInt64) throws {
        var table = NumberTable(numbering: .random(seed: seed))
        var given: [UInt8] = []
        for index in 0..<61 {
            let codec = CodecCapability(kind: .video, name: "X\(index)", clockRate: 90_000)
            given.append(try table.payloadTypes(of: index, codec).primary)
        }
        #expect(Set(given).count == 61 && given.allSatisfy { (35...63).contains($0) || (96...127).contains($0) })
        #expect(throws: NegotiationError.numbersExhausted) {
            try table.payloadTypes(of: 99, CodecCapability(kind: .video, name: "Y", clockRate: 90_000))
        }
    }

    @Test func whatTheOtherSideUsesIsLeftToIt() throws {
        var table = NumberTable(numbering: .fixed)
        table.learn(.init(primary: 111, rtx: nil), of: 7)
        table.learn(RTPExtensionMap([(1, .rid), (5, .mid)]))
        #expect(try table.payloadTypes(of: 0, .opus).primary != 111)
        #expect(try table.payloadTypes(of: 7, .vp8) == .init(primary: 111, rtx: nil))
        #expect(try table.id(of: .rid) == 1 && table.id(of: .mid) == 5)
        #expect(try ![1, 5].contains(table.id(of: .audioLevel)))
    }

    @Test func extensionIdsEndAt14() throws {
        var table = NumberTable(numbering: .random(seed: 3))
        let kinds = RTPExtensionKind.allCases
        let given = try kinds.prefix(14).map { try table.id(of: $0) }
        #expect(Set(given) == Set(1...14))
        #expect(throws: NegotiationError.numbersExhausted) { try table.id(of: kinds[14]) }
    }
}

/// What one m-section of the other side says.
@Suite struct RemoteMediaTests {
    private func media(_ lines: String..., formats: [String] = ["96", "97", "0"]) -> RemoteMedia {
        var section = SDPMedia(kind: .video, port: 9, protocolName: "UDP/TLS/RTP/SAVPF", formats: formats)
        for line in lines {
            let (name, value) = line.cut(at: UInt8(ascii: ":"))
            section.add(name, value)
        }
        return RemoteMedia(section, session: SDPSession(origin: SDPOrigin(sessionID: 1, sessionVersion: 1)))
    }

    @Test func retransmissionIsFoldedIntoItsCodec() {
        let codecs = media(
            "rtpmap:96 VP8/90000", "rtpmap:97 RTX/90000", "fmtp:97 apt=96", "rtcp-fb:* nack", "rtcp-fb:96 nack pli",
            "rtcp-fb:97 ccm fir"
        ).codecs
        #expect(codecs.map(\.name) == ["VP8", "PCMU"] && codecs.map(\.rtxPayloadType) == [97, nil])
        #expect(codecs[0].feedback == [.nack, .pli] && codecs[1].feedback == .nack)
        #expect(codecs[1].clockRate == 8000 && codecs[1].payloadType == 0)
    }

    /// A retransmission of nothing is no codec; what the m-line doesn't list isn't there.
    @Test func whatIsNotListedIsNotThere() {
        let codecs = media("rtpmap:97 rtx/90000", "fmtp:97 apt=x", "rtpmap:98 VP9/90000", formats: ["97", "96", "97"])
            .codecs
        #expect(codecs.isEmpty)
    }

    @Test func sourcesWithTheirRetransmissions() {
        let media = media(
            "ssrc-group:FID 1 2", "ssrc-group:FID 5", "ssrc:1 cname:c", "ssrc:2 cname:c", "ssrc:1 msid:s t",
            "ssrc:3 cname:d")
        #expect(media.sources.map(\.ssrc) == [1, 3] && media.sources.map(\.rtxSSRC) == [2, nil])
        #expect(media.sources.map(\.cname) == ["c", "d"])
        #expect(media.msid == SDPStreamID(streamID: "s", trackID: "t"))
    }

    /// Of extensions those stay that we know, whose ids a packet can carry, and that go both ways in the clear.
    @Test func extensionsOfUseStay() {
        let media = media(
            "extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid", "extmap:2 urn:example:other",
            "extmap:15 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
            "extmap:3/sendonly urn:ietf:params:rtp-hdrext:ssrc-audio-level",
            "extmap:4 urn:ietf:params:rtp-hdrext:encrypt urn:ietf:params:rtp-hdrext:ssrc-audio-level",
            "extmap:4096 urn:ietf:params:rtp-hdrext:toffset", "extmap:200 urn:3gpp:video-orientation")
        #expect(media.extensions.map(\.id) == [1, 200])
        #expect(media.extensions.map(\.kind) == [.mid, .videoOrientation])
    }

    @Test func sourcesAreBounded() {
        var section = SDPMedia(kind: .video, port: 9, protocolName: "UDP/TLS/RTP/SAVPF", formats: ["96"])
        for ssrc in 1...200 { section.add("ssrc", "\(ssrc) cname:x") }
        let media = RemoteMedia(section, session: SDPSession(origin: SDPOrigin(sessionID: 1, sessionVersion: 1)))
        #expect(media.sources.count == RemoteMedia.sourceLimit)
    }

    @Test func onlyRidsThatAreSentCount() {
        let media = media("rid:f send", "rid:h recv", "rid:q send", "simulcast:send f;q")
        #expect(media.rids.map(\.id) == ["f", "q"] && media.simulcast?.send.count == 2)
        #expect(media.direction == .sendrecv && !media.hasRTCPMux && media.isSecureRTP)
    }
}
