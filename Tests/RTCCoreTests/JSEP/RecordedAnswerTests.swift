import Testing

@testable import RTCCore
@testable import RTCWire

/// Our participant against the recorded server, and our server against the recorded participant where it offers.
@Suite struct RecordedAnswerTests {
    @Test func theAgentAnswersTheSubscriberConnection() throws {
        var agent = try NegotiationFixtures.agent(seed: 1)
        let first = try NegotiationFixtures.recorded("lk-python-v0-01-offer.livekit-server1.13.5-pion.sdp")
        #expect(try agent.applyOffer(first).isFirst)
        let opening = try NegotiationFixtures.sent(try agent.createAnswer())
        let real = try NegotiationFixtures.recorded("lk-python-v0-04-answer.python-livekit1.2.0-libwebrtc.sdp")
        #expect(opening.media.map(\.mid) == real.media.map(\.mid))
        #expect(opening.media[0].sctpPort == 5000)

        let offer = try NegotiationFixtures.recorded("lk-python-v0-11-offer.livekit-server1.13.5-pion.sdp")
        #expect(try agent.applyOffer(offer).restartedICE == false)
        let answer = try NegotiationFixtures.sent(try agent.createAnswer())
        let theirs = try NegotiationFixtures.recorded("lk-python-v0-12-answer.python-livekit1.2.0-libwebrtc.sdp")
        #expect(answer.media.map(\.direction) == theirs.media.map(\.direction))
        #expect(answer.bundle == theirs.bundle)
        #expect(answer.media[1].formats == ["111"])
        #expect(answer.media[2].formats == ["96", "97"])
        // The offer has neither mid nor level extension: sources are bound by a=ssrc.
        #expect(agent.lines[1].extensionMap.id(for: .mid) == 0)
        #expect(agent.lines[1].extensionMap.id(for: .audioLevel) == 0)
        #expect(agent.lines[1].extensionMap.id(for: .absCaptureTime) == 2)
        #expect(agent.line(ssrc: 1_975_134_890)?.index == 1)
        #expect(agent.line(ssrc: 3_708_613_118)?.index == 2)
        #expect(agent.lines[2].remoteStreamID?.streamID == "PA_XSdPDs2HN36o|TR_VCZFEknN2apdKc")
        #expect(agent.remoteTransport?.endOfCandidates == true)

        let map = ReceiveMap(agent.lines)
        #expect(map.lines.map(\.index) == [1, 2])
        #expect(map.lines[1].sources == [ReceiveMap.Source(ssrc: 3_921_632_784, rtxSSRC: 3_708_613_118)])
        #expect(map.lines[1].codecs.map(\.payloadType) == [96, 97])
        #expect(map.lines[1].codecs[1].apt == 96)
        #expect(map.lines[1].codecs[0].nack && map.lines[1].codecs[0].pli && map.lines[1].codecs[0].fir)
    }

    /// The recorded answer fits an offer of the same shape with the usual numbers.
    @Test func theAgentTakesTheServersAnswer() throws {
        var configuration = try NegotiationFixtures.agent(seed: 0).configuration
        configuration.numbering = .fixed
        var agent = Negotiator(configuration: configuration)
        for _ in 0..<3 { agent.addLine(kind: .audio, direction: .recvonly) }
        for _ in 0..<3 { agent.addLine(kind: .video, direction: .recvonly) }
        agent.addLine(kind: .application)
        #expect(agent.needsNegotiation)
        _ = try agent.createOffer()
        let answer = try NegotiationFixtures.recorded("lk-python-v1-01-answer.livekit-server1.13.5-pion.sdp")
        #expect(try agent.applyAnswer(answer).isFirst)
        #expect(!agent.needsNegotiation)
        #expect(agent.state == .stable)
        #expect(agent.remoteTransport?.localRole == .server)
        #expect(agent.remoteTransport?.credentials.ufrag == "IJwJAnWZbOevCueP")
        #expect(agent.lines.map(\.direction) == Array(repeating: .recvonly, count: 6) + [.sendrecv])
        #expect(agent.lines[0].remoteStreamID?.trackID == "TR_AMpsLWfNtwyR7B")
        #expect(agent.lines[1].remoteStreamID == nil)
        #expect(
            agent.lines[3].remote?.sources.map { [$0.ssrc, $0.rtxSSRC ?? 0] } == [[2_834_689_570, 69_068_507]])
        #expect(agent.lines[0].codecs.map(\.payloadType) == [111])
        #expect(agent.lines[3].codecs[0].rtxPayloadType == 97)
    }

    @Test func theServerOffersSubscriptions() throws {
        var server = try NegotiationFixtures.server()
        server.addLine(kind: .application)
        let opening = try server.createOffer()
        #expect(opening.media[0].setup == .actpass)
        try server.applyAnswer(
            try NegotiationFixtures.recorded("lk-python-v0-04-answer.python-livekit1.2.0-libwebrtc.sdp"))
        let audio = server.addLine(
            kind: .audio, direction: .sendonly, send: NegotiationFixtures.subscription("TR_a", ssrc: 10))
        let video = server.addLine(
            kind: .video, direction: .sendonly, send: NegotiationFixtures.subscription("TR_v", ssrc: 20, rtx: 21))
        let offer = try NegotiationFixtures.sent(try server.createOffer())
        #expect(offer.bundle == ["0", "1", "2"])
        #expect(offer.media[video].ssrcGroups == [SDPSourceGroup(semantics: "FID", ssrcs: [20, 21])])
        #expect(offer.media[video].msids == [SDPStreamID(streamID: "PA_p|TR_v", trackID: "TR_v")])
        try server.applyAnswer(
            try NegotiationFixtures.recorded("lk-python-v0-12-answer.python-livekit1.2.0-libwebrtc.sdp"))
        #expect(server.lines.map(\.direction) == [.sendrecv, .sendonly, .sendonly])
        let stream = try #require(server.lines[video].sendStream())
        #expect(stream.ssrc == 20 && stream.rtxSSRC == 21 && stream.payloadType == 96 && stream.rtxPayloadType == 97)
        #expect(server.lines[audio].sendStream()?.cname == "PA_p|TR_a")
    }
}
