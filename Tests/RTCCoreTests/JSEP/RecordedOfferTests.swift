import Testing

@testable import RTCCore
@testable import RTCWire

/// Our server in the place of the recorded one: the same offers come in, the answers must have the same structure.
@Suite struct RecordedOfferTests {
    /// mids, kinds, directions and order as the real server answered; payload types and ids out of the offer.
    private func expectAlike(_ answer: SDPSession, _ real: SDPSession, offer: SDPSession) throws {
        #expect(answer.media.map(\.mid) == real.media.map(\.mid))
        #expect(answer.media.map(\.kind) == real.media.map(\.kind))
        #expect(answer.media.map(\.isRejected) == real.media.map(\.isRejected))
        #expect(answer.bundle == real.bundle)
        for (section, (theirs, offered)) in zip(answer.media, zip(real.media, offer.media)) {
            #expect(section.direction == theirs.direction)
            #expect(section.setup == .active)
            #expect(section.msids == theirs.msids)
            #expect(section.ssrcGroups == theirs.ssrcGroups)
            #expect(Set(section.ssrcs.map(\.ssrc)) == Set(theirs.ssrcs.map(\.ssrc)))
            #expect(section.rids == theirs.rids)
            #expect(section.simulcast == theirs.simulcast)
            #expect(section.rtcpMux == theirs.rtcpMux && section.rtcpRsize == theirs.rtcpRsize)
            #expect(section.sctpPort == theirs.sctpPort)
            #expect(Set(section.formats).isSubset(of: offered.formats))
            #expect(Set(section.formats).isSubset(of: theirs.formats))
            #expect(Set(section.extmaps).isSubset(of: offered.extmaps))
            let known = Dictionary(offered.rtpmaps.map { ($0.payloadType, $0) }) { first, _ in first }
            #expect(section.rtpmaps.allSatisfy { known[$0.payloadType] == $0 })
        }
    }

    @Test func singleConnectionSession() throws {
        var server = try NegotiationFixtures.server()
        for round in [2, 4, 6, 8, 10, 12] {
            let number = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
            let offer = try NegotiationFixtures.recorded(
                "lk-python-v1-\(number(round))-offer.python-livekit1.2.0-libwebrtc.sdp")
            let real = try NegotiationFixtures.recorded(
                "lk-python-v1-\(number(round + 1))-answer.livekit-server1.13.5-pion.sdp")
            let change = try server.applyOffer(offer)
            #expect(change.isFirst == (round == 2))
            // In the recorded session the client resumed before its fifth offer.
            #expect(change.restartedICE == (round == 10))
            if change.restartedICE {
                server.restartICE(ICECredentials(ufrag: "srv2", pwd: "server2server2server2ser"))
            }
            for section in real.media.enumerated() { place(section.element, on: section.offset, &server) }
            let answer = try NegotiationFixtures.sent(try server.createAnswer())
            try expectAlike(answer, real, offer: offer)
        }
        #expect(server.remoteTransport?.credentials.ufrag == "SfAE")
        #expect(server.remoteTransport?.localRole == .client)
        #expect(server.line(mid: "8")?.remote?.rids.map(\.id) == ["f", "h", "q"])
        #expect(server.line(ssrc: 3_643_085_256)?.mid == "7")
        #expect(server.line(remoteTrackID: "99080d99-8b6c-48a9-864e-203f797e3628")?.index == 7)
    }

    /// As the real server does: packet numbers are taken on lines that the client only receives on, so that its later
    /// offers have them for what it publishes; what we send goes without and is judged by the client's estimate.
    @Test func packetNumbersStayKnown() throws {
        var server = try NegotiationFixtures.server(congestionFeedback: .receiverEstimate)
        let offer = try NegotiationFixtures.recorded("lk-python-v1-02-offer.python-livekit1.2.0-libwebrtc.sdp")
        let real = try NegotiationFixtures.recorded("lk-python-v1-03-answer.livekit-server1.13.5-pion.sdp")
        _ = try server.applyOffer(offer)
        server.setSend(3, NegotiationFixtures.subscription("TR_v", ssrc: 7))
        let answer = try NegotiationFixtures.sent(try server.createAnswer())
        for line in 3...5 {
            let kinds = answer.media[line].extmaps.compactMap { RTPExtensionKind(uri: $0.uri) }
            #expect(kinds.contains(.transportSequenceNumber) && kinds.contains(.absSendTime))
            let theirs = real.media[line].extmaps.compactMap { RTPExtensionKind(uri: $0.uri) }
            #expect(theirs.contains(.transportSequenceNumber) && theirs.contains(.absSendTime))
        }
        let stream = try #require(server.lines[3].sendStream())
        #expect(stream.extensionMap.id(for: .transportSequenceNumber) == 0)
        #expect(stream.extensionMap.id(for: .absSendTime) == 2)
    }

    /// A server that wants to know of each packet numbers what it sends to clients that tell, and asks others for their estimate.
    @Test(arguments: [true, false]) func whoTellsOfPacketsIsSentNumbers(tells: Bool) throws {
        var server = try NegotiationFixtures.server(congestionFeedback: .transportWideElseEstimate)
        var offer = try NegotiationFixtures.recorded("lk-python-v1-02-offer.python-livekit1.2.0-libwebrtc.sdp")
        if !tells {
            let lines = offer.description.split(separator: "\r\n").filter { !$0.hasSuffix(" transport-cc") }
            offer = try SDPSession(parsing: lines.joined(separator: "\r\n") + "\r\n")
        }
        _ = try server.applyOffer(offer)
        server.setSend(3, NegotiationFixtures.subscription("TR_v", ssrc: 7))
        let answer = try NegotiationFixtures.sent(try server.createAnswer())
        let asked = Set(answer.media[3].rtcpFeedback.map(\.name))
        #expect(asked.contains("goog-remb") && asked.contains("transport-cc") == tells)
        let stream = try #require(server.lines[3].sendStream())
        #expect((stream.extensionMap.id(for: .transportSequenceNumber) != 0) == tells)
        #expect(stream.extensionMap.id(for: .absSendTime) == 2)
    }

    /// Gives a line what the real server sent on it.
    private func place(_ real: SDPMedia, on line: Int, _ server: inout Negotiator) {
        guard let msid = real.msids.first, let ssrc = real.ssrcs.first?.ssrc else {
            server.clearSend(line)
            if real.direction == .inactive { server.setDirection(line, .inactive) }
            return
        }
        server.setSend(
            line,
            SendDescription(
                streamID: msid.streamID, trackID: msid.trackID ?? "",
                ssrc: real.ssrcGroups.first?.ssrcs.first ?? ssrc, rtxSSRC: real.ssrcGroups.first?.ssrcs.last,
                cname: msid.streamID))
    }

    @Test func publisherConnectionOfTheDualSession() throws {
        var server = try NegotiationFixtures.server()
        for (offerName, answerName) in [("02", "03"), ("05", "06"), ("07", "08"), ("09", "10")] {
            let offer = try NegotiationFixtures.recorded(
                "lk-python-v0-\(offerName)-offer.python-livekit1.2.0-libwebrtc.sdp")
            let real = try NegotiationFixtures.recorded(
                "lk-python-v0-\(answerName)-answer.livekit-server1.13.5-pion.sdp")
            try server.applyOffer(offer)
            try expectAlike(try NegotiationFixtures.sent(try server.createAnswer()), real, offer: offer)
        }
        #expect(server.lines.map(\.direction) == [.sendrecv, .recvonly, .recvonly])
        let video = server.lines[2]
        #expect(video.codecs.map(\.name) == ["VP8"])
        #expect(video.codecs[0].feedback == [.nack, .pli, .fir])
        #expect(video.codecs[0].remoteFeedback == [.nack, .pli, .fir, .transportCC, .remb])
        #expect(video.extensionMap.id(for: .rid) == 10)
        #expect(video.extensionMap.id(for: .repairedRid) == 11)
    }

    @Test func chromiumPublishesToUs() throws {
        var server = try NegotiationFixtures.server()
        for (offerName, answerName) in [("03", "04"), ("05", "06")] {
            let offer = try NegotiationFixtures.recorded(
                "lk-chromium-v0-\(offerName)-offer.chromium156-livekit-client2.21.0.sdp")
            let real = try NegotiationFixtures.recorded(
                "lk-chromium-v0-\(answerName)-answer.livekit-server1.13.5-pion.sdp")
            try server.applyOffer(offer)
            try expectAlike(try NegotiationFixtures.sent(try server.createAnswer()), real, offer: offer)
        }
        // Both fmtp lines of one payload type count.
        #expect(server.lines[2].codecs[0].remoteParameters["x-google-start-bitrate"] == "549")
        #expect(server.lines[2].codecs[0].rtxPayloadType == 97)
        #expect(server.lines[1].codecs[0].remoteParameters["stereo"] == "1")
    }

    @Test func chromiumInASingleConnection() throws {
        var server = try NegotiationFixtures.server()
        for round in [2, 4, 6, 8] {
            let offer = try NegotiationFixtures.recorded(
                "lk-chromium-v1-0\(round)-offer.chromium156-livekit-client2.21.0.sdp")
            let real = try NegotiationFixtures.recorded(
                "lk-chromium-v1-0\(round + 1)-answer.livekit-server1.13.5-pion.sdp")
            try server.applyOffer(offer)
            for section in real.media.enumerated() { place(section.element, on: section.offset, &server) }
            try expectAlike(try NegotiationFixtures.sent(try server.createAnswer()), real, offer: offer)
        }
    }

    @Test func otherCodecsAreAcceptedWhereTheConfigurationSaysSo() throws {
        let offer = try NegotiationFixtures.recorded("lk-python-v1-02-offer.python-livekit1.2.0-libwebrtc.sdp")
        var server = try NegotiationFixtures.server(codecs: [
            .opus, .pcmu, .pcma, .vp8, .h264(), .h264(profileLevelID: "42001f", packetizationMode: 0), .vp9(), .av1,
        ])
        try server.applyOffer(offer)
        let answer = try server.createAnswer()
        #expect(answer.media[0].formats == ["111", "0", "8"])
        #expect(answer.media[3].formats == ["96", "97", "107", "108", "109", "114", "45", "46", "98", "99"])
        #expect(
            answer.media[3].formatParameters.first { $0.format == "109" }?.parameters.description
                == "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f")
        #expect(answer.media[3].formatParameters.first { $0.format == "97" }?.parameters["apt"] == "96")
    }

    @Test func theAnnouncedCodecLimitsTheAnswer() throws {
        let offer = try NegotiationFixtures.recorded("lk-python-v1-06-offer.python-livekit1.2.0-libwebrtc.sdp")
        var server = try NegotiationFixtures.server(codecs: [.opus, .pcmu, .vp8, .vp9()])
        try server.applyOffer(offer)
        server.setCodecs(3, ["vp9"])
        server.setCodecs(7, ["PCMU", "opus"])
        server.setParameters(7, codec: "opus", "usedtx=1")
        server.setCodecs(8, ["H264"])
        let answer = try server.createAnswer()
        #expect(answer.media[3].formats == ["98", "99"])
        #expect(answer.media[7].formats == ["0", "111"])
        #expect(answer.media[7].formatParameters.first?.parameters["usedtx"] == "1")
        #expect(answer.media[8].isRejected)
        #expect(answer.media[8].mid == "8")
        #expect(answer.bundle?.contains("8") == false)
        #expect(server.lines[8].isStopped)
    }

    @Test(arguments: [
        "sdp-all-offer.chromium156.sdp", "aiortc1.16.0-offer.sdp", "vp8-rtx-offer.chromium156.sdp",
        "opus-dtx-offer.chromium156.sdp", "datachannel-offer.chromium156.sdp", "vp8-simulcast-offer.chromium156.sdp",
        "vp8-ulpfec-offer.chromium156.sdp", "opus-red-dtmf-offer.chromium156.sdp",
    ]) func everyPeerGetsAnAnswer(_ name: String) throws {
        let offer = try NegotiationFixtures.recorded(name)
        var server = try NegotiationFixtures.server()
        try server.applyOffer(offer)
        let answer = try NegotiationFixtures.sent(try server.createAnswer())
        #expect(answer.media.count == offer.media.count)
        #expect(answer.bundle == offer.bundle)
        #expect(server.remoteTransport?.fingerprint.algorithm == "sha-256")
        #expect(server.remoteTransport?.candidates.isEmpty == false)
        for line in server.lines where line.isRTP { #expect(line.codecs.count == 1) }
    }

    @Test func codecsThatWeDoNotKnowAreRejected() throws {
        var server = try NegotiationFixtures.server()
        try server.applyOffer(try NegotiationFixtures.recorded("h264-offer.chromium156.sdp"))
        let answer = try server.createAnswer()
        #expect(answer.media.map(\.isRejected) == [false, true])
        #expect(answer.media[0].formats == ["111"])
        #expect(answer.bundle == ["0"])
    }
}
