import Testing

@testable import RTCCore
@testable import RTCWire

/// What we offer of a simulcast and of RED, and what becomes of it.
@Suite struct SimulcastNegotiationTests {
    private static let send = SendDescription(
        streamID: "-", trackID: "cid-v", ssrc: 10, rtxSSRC: 11,
        layers: [
            SendLayer(rid: "f", ssrc: 10, rtxSSRC: 11), SendLayer(rid: "h", ssrc: 20, rtxSSRC: 21),
            SendLayer(rid: "q", ssrc: 30, rtxSSRC: 31),
        ])

    private func agent(codecs: [CodecCapability] = [.opus, .red, .vp8]) throws -> Negotiator {
        var configuration = try NegotiationFixtures.agent(seed: 5).configuration
        configuration.codecs = codecs
        configuration.videoExtensions = [.mid, .rid, .repairedRid]
        return Negotiator(configuration: configuration)
    }

    @Test func layersAreOfferedByRIDAndSentWhereTaken() throws {
        var agent = try agent()
        var server = try NegotiationFixtures.server()
        agent.addLine(kind: .video, direction: .sendonly, send: Self.send)
        let offer = try NegotiationFixtures.sent(try agent.createOffer())
        #expect(offer.media[0].rids.map(\.description) == ["f send", "h send", "q send"])
        #expect(offer.media[0].simulcast?.description == "send f;h;q")
        #expect(offer.media[0].ssrcs.isEmpty && offer.media[0].ssrcGroups.isEmpty)
        try server.applyOffer(offer)
        let answer = try NegotiationFixtures.sent(try server.createAnswer())
        #expect(answer.media[0].simulcast?.description == "recv f;h;q")
        try agent.applyAnswer(answer)
        let streams = agent.lines[0].sendStreams(codec: "VP8")
        #expect(streams.map { $0.rid?.description } == ["f", "h", "q"])
        #expect(streams.map(\.ssrc) == [10, 20, 30] && streams.map(\.rtxSSRC) == [11, 21, 31])
        #expect(streams.allSatisfy { $0.extensionMap.id(for: .rid) != 0 && $0.extensionMap.id(for: .repairedRid) != 0 })
    }

    @Test func aPeerWithoutSimulcastGetsOneStream() throws {
        var agent = try agent()
        var configuration = try NegotiationFixtures.server().configuration
        configuration.acceptsSimulcast = false
        var server = Negotiator(configuration: configuration)
        agent.addLine(kind: .video, direction: .sendonly, send: Self.send)
        try server.applyOffer(NegotiationFixtures.sent(try agent.createOffer()))
        try agent.applyAnswer(NegotiationFixtures.sent(try server.createAnswer()))
        let streams = agent.lines[0].sendStreams()
        #expect(streams.map(\.ssrc) == [10] && streams[0].rid == nil)
    }

    @Test func aRIDMustFitItsExtension() throws {
        for rid in ["", "a b", "f;h", "~f", String(repeating: "x", count: 17)] {
            var agent = try agent()
            var send = Self.send
            send.layers[1].rid = rid
            agent.addLine(kind: .video, direction: .sendonly, send: send)
            #expect(throws: NegotiationError.self) { _ = try agent.createOffer() }
        }
    }

    @Test func redNamesTheNumberOfWhatItCarries() throws {
        var agent = try agent()
        var server = try NegotiationFixtures.server(codecs: [.opus, .red, .vp8])
        let line = agent.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend)
        agent.setCodecs(line, ["red", "opus"])
        let offer = try NegotiationFixtures.sent(try agent.createOffer())
        let formats = offer.media[0].formats
        #expect(offer.media[0].rtpmaps.map(\.name) == ["red", "opus"] && offer.media[0].rtpmaps[0].channels == 2)
        let red = offer.media[0].formatParameters.first { $0.format == formats[0] }
        #expect(red?.parameters.description == "\(formats[1])/\(formats[1])")
        try server.applyOffer(offer)
        let answer = try NegotiationFixtures.sent(try server.createAnswer())
        #expect(answer.media[0].formats == formats)
        #expect(
            answer.media[0].formatParameters.first { $0.format == formats[0] }?.parameters.description
                == red?.parameters.description)
        try agent.applyAnswer(answer)
        #expect(agent.lines[0].sendCodec?.name == "red")
        // A server that doesn't know it leaves it out.
        var plain = try self.agent()
        var old = try NegotiationFixtures.server()
        plain.setCodecs(
            plain.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend), ["red", "opus"])
        try old.applyOffer(NegotiationFixtures.sent(try plain.createOffer()))
        try plain.applyAnswer(NegotiationFixtures.sent(try old.createAnswer()))
        #expect(plain.lines[0].codecs.map(\.name) == ["opus"])
    }
}
