import Testing

@testable import RTCCore
@testable import RTCWire

/// Ours against ours.
@Suite struct NegotiationTests {
    /// One offer of `a` and its answer, both through their text.
    @discardableResult
    private func exchange(_ a: inout Negotiator, _ b: inout Negotiator) throws -> (
        offer: SDPSession, answer: SDPSession
    ) {
        let offer = try NegotiationFixtures.sent(try a.createOffer())
        try b.applyOffer(offer)
        let answer = try NegotiationFixtures.sent(try b.createAnswer())
        try a.applyAnswer(answer)
        return (offer, answer)
    }

    private func expectAgreement(_ a: Negotiator, _ b: Negotiator) {
        for (one, other) in zip(a.lines, b.lines) {
            #expect(one.mid == other.mid && one.kind == other.kind)
            #expect(one.direction == other.direction.reversed)
            #expect(one.codecs.map(\.payloadType) == other.codecs.map(\.sendPayloadType))
            #expect(one.codecs.map(\.sendPayloadType) == other.codecs.map(\.payloadType))
            #expect(one.codecs.map(\.rtxPayloadType) == other.codecs.map(\.sendRTXPayloadType))
            #expect(one.codecs.map(\.feedback) == other.codecs.map(\.feedback))
            #expect(one.extensionMap.pairs.map(\.id) == other.extensionMap.pairs.map(\.id))
            #expect(one.extensionMap.pairs.map(\.kind) == other.extensionMap.pairs.map(\.kind))
        }
    }

    @Test func singleConnectionWithDrawnNumbers() throws {
        var payloadTypes = Set<UInt8>()
        var ids = Set<UInt8>()
        for seed in 1...40 as ClosedRange<UInt64> {
            var agent = try NegotiationFixtures.agent(seed: seed)
            var server = try NegotiationFixtures.server()
            for _ in 0..<3 { agent.addLine(kind: .audio, direction: .recvonly) }
            for _ in 0..<3 { agent.addLine(kind: .video, direction: .recvonly) }
            agent.addLine(kind: .application)
            try exchange(&agent, &server)
            agent.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend)
            agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend)
            let (offer, answer) = try exchange(&agent, &server)
            expectAgreement(agent, server)
            #expect(server.lines.map(\.direction.sends) == [true, true, true, true, true, true, true, false, false])
            #expect(server.lines[8].remote?.sources.first?.rtxSSRC == 2002)
            #expect(server.lines[7].remoteStreamID == SDPStreamID(streamID: "-", trackID: "cid-a"))
            #expect(answer.media.map(\.formats) == offer.media.map(\.formats))
            #expect(agent.remoteTransport?.localRole == .server && server.remoteTransport?.localRole == .client)
            payloadTypes.formUnion(agent.lines[8].codecs.map(\.payloadType))
            ids.insert(agent.lines[8].extensionMap.id(for: .mid))
            #expect(agent.lines[8].codecs.allSatisfy { (96...127).contains($0.payloadType) })
            #expect((1...14).contains(agent.lines[8].extensionMap.id(for: .mid)))
        }
        #expect(payloadTypes.count > 10 && ids.count > 6)
    }

    @Test func numbersStayFromOfferToOffer() throws {
        var agent = try NegotiationFixtures.agent(seed: 9)
        agent.addLine(kind: .video, direction: .recvonly)
        let first = try agent.createOffer()
        agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend)
        let second = try agent.createOffer()
        #expect(second.media[0].formats == first.media[0].formats)
        #expect(second.media[1].formats == first.media[0].formats)
        #expect(second.media[1].extmaps == first.media[0].extmaps)
        #expect(second.origin?.sessionID == first.origin?.sessionID)
        #expect(second.origin?.sessionVersion == "2")
    }

    @Test func moreCodecsThanHighPayloadTypes() throws {
        var configuration = try NegotiationFixtures.agent(seed: 3).configuration
        configuration.codecs = (0..<20).map { index in
            CodecCapability(kind: .video, name: "X\(index)", clockRate: 90000, hasRTX: true)
        }
        var agent = Negotiator(configuration: configuration)
        agent.addLine(kind: .video)
        let formats = try agent.createOffer().media[0].formats.compactMap { UInt8($0) }
        #expect(Set(formats).count == 40)
        #expect(formats.prefix(32).allSatisfy { $0 >= 96 })
        #expect(formats.dropFirst(32).allSatisfy { (35...63).contains($0) })
        configuration.codecs += (20..<40).map {
            CodecCapability(kind: .video, name: "X\($0)", clockRate: 90000, hasRTX: true)
        }
        var greedy = Negotiator(configuration: configuration)
        greedy.addLine(kind: .video)
        #expect(throws: NegotiationError.numbersExhausted) { try greedy.createOffer() }
    }

    /// A subscription on a line of the offerer, taken back, and another one in its place.
    @Test func subscriptionsComeAndGoOnOneLine() throws {
        var agent = try NegotiationFixtures.agent(seed: 4)
        var server = try NegotiationFixtures.server()
        agent.addLine(kind: .audio, direction: .recvonly)
        agent.addLine(kind: .video, direction: .recvonly)
        let idle = try exchange(&agent, &server).answer
        #expect(idle.media[1].direction == .sendonly && idle.media[1].msids.isEmpty)
        #expect(server.idleLine(.video) == 1)

        server.setSend(1, NegotiationFixtures.subscription("TR_1", ssrc: 30, rtx: 31))
        #expect(server.needsNegotiation && server.idleLine(.video) == nil)
        let bound = try exchange(&agent, &server).answer
        #expect(!server.needsNegotiation)
        #expect(bound.media[1].msids == [SDPStreamID(streamID: "PA_p|TR_1", trackID: "TR_1")])
        #expect(bound.media[1].ssrcGroups == [SDPSourceGroup(semantics: "FID", ssrcs: [30, 31])])
        #expect(bound.media[1].ssrcs.map(\.attribute) == ["cname", "msid", "cname", "msid"])
        #expect(agent.lines[1].remoteStreamID?.trackID == "TR_1")
        #expect(agent.lines[1].remote?.sources.first?.cname == "PA_p|TR_1")
        #expect(ReceiveMap(agent.lines).lines[1].sources == [ReceiveMap.Source(ssrc: 30, rtxSSRC: 31)])

        server.clearSend(1)
        let cleared = try exchange(&agent, &server).answer
        #expect(cleared.media[1].direction == .inactive)
        #expect(cleared.media[1].msids.isEmpty && cleared.media[1].ssrcs.isEmpty)
        #expect(agent.lines[1].remoteStreamID == nil)
        #expect(server.idleLine(.video) == 1)

        server.setSend(1, NegotiationFixtures.subscription("TR_2", ssrc: 40, rtx: 41))
        let again = try exchange(&agent, &server).answer
        #expect(again.media[1].direction == .sendonly)
        #expect(agent.lines[1].remoteStreamID?.trackID == "TR_2")
        #expect(server.lines[1].sendStream()?.payloadType == agent.lines[1].codecs[0].payloadType)
    }

    @Test func subscriberConnectionOfTheServer() throws {
        var agent = try NegotiationFixtures.agent(seed: 5)
        var server = try NegotiationFixtures.server()
        server.addLine(kind: .application)
        try exchange(&server, &agent)
        let line = server.addLine(
            kind: .video, direction: .sendonly, send: NegotiationFixtures.subscription("TR_v", ssrc: 20, rtx: 21))
        try exchange(&server, &agent)
        expectAgreement(server, agent)
        #expect(agent.lines[line].direction == .recvonly)
        #expect(agent.remoteTransport?.localRole == .client)
        server.clearSend(line)
        try exchange(&server, &agent)
        #expect(agent.lines[line].direction == .inactive)
        #expect(server.idleLine(.video) == line)
        server.setSend(line, NegotiationFixtures.subscription("TR_w", ssrc: 22, rtx: 23))
        try exchange(&server, &agent)
        #expect(agent.lines[line].direction == .recvonly)
        #expect(agent.line(ssrc: 23)?.index == line)
    }

    @Test func aLineIsFreeOnlyOnceItsEndHasBeenToldByAnOfferer() throws {
        var agent = try NegotiationFixtures.agent(seed: 16)
        var server = try NegotiationFixtures.server()
        let line = server.addLine(
            kind: .video, direction: .sendonly, send: NegotiationFixtures.subscription("TR_v", ssrc: 20, rtx: 21))
        #expect(!server.lines[line].isFree)
        // An offer that another replaces may have been taken.
        let offer = try server.createOffer()
        server.clearSend(line)
        #expect(!server.lines[line].isFree)
        _ = try server.createOffer()
        #expect(!server.lines[line].isFree)
        try agent.applyOffer(offer)
        _ = try agent.createAnswer()
        try exchange(&server, &agent)
        #expect(server.lines[line].isFree && server.idleLine(.video) == line)
        // What is agreed on says that it sends, until the next exchange.
        server.setSend(line, NegotiationFixtures.subscription("TR_w", ssrc: 22, rtx: 23))
        try exchange(&server, &agent)
        server.clearSend(line)
        #expect(!server.lines[line].isFree && server.idleLine(.video) == nil)
        try exchange(&server, &agent)
        #expect(server.lines[line].isFree)
    }

    @Test func aLineIsFreeOnlyOnceItsEndHasBeenToldByAnAnswerer() throws {
        var agent = try NegotiationFixtures.agent(seed: 17)
        var server = try NegotiationFixtures.server()
        let line = agent.addLine(kind: .video, direction: .recvonly)
        try server.applyOffer(try agent.createOffer())
        #expect(server.idleLine(.video) == line)
        server.setSend(line, NegotiationFixtures.subscription("TR_v", ssrc: 20, rtx: 21))
        try agent.applyAnswer(try server.createAnswer())
        // Its place is taken in the next answer but one.
        server.clearSend(line)
        try server.applyOffer(try agent.createOffer())
        #expect(server.idleLine(.video) == nil)
        try agent.applyAnswer(try server.createAnswer())
        #expect(agent.lines[line].direction == .inactive)
        #expect(server.idleLine(.video) == line)
    }

    @Test func stoppedLinesAreUsedAgain() throws {
        var agent = try NegotiationFixtures.agent(seed: 6)
        var server = try NegotiationFixtures.server()
        let line = agent.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend)
        agent.addLine(kind: .video, direction: .recvonly)
        try exchange(&agent, &server)
        agent.stop(line)
        let stopping = try exchange(&agent, &server)
        #expect(stopping.offer.media[line].isRejected && stopping.answer.media[line].isRejected)
        #expect(stopping.offer.bundle == ["1"] && stopping.answer.bundle == ["1"])
        #expect(agent.lines[line].isStopped && server.lines[line].isStopped)
        #expect(ReceiveMap(server.lines).lines.isEmpty)

        #expect(agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend) == line)
        let reused = try exchange(&agent, &server)
        #expect(reused.offer.media.count == 2)
        #expect(reused.offer.media[line].kind == .video)
        #expect(reused.answer.media[line].mid == "2")
        #expect(server.lines[line].direction == .recvonly)
        expectAgreement(agent, server)
        // The line that the server ends itself is rejected in its answer.
        server.stop(line)
        try exchange(&agent, &server)
        #expect(agent.lines[line].isStopped)
    }

    @Test func bothSidesMayOffer() throws {
        var agent = try NegotiationFixtures.agent(seed: 7)
        var server = try NegotiationFixtures.server()
        agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend)
        try exchange(&agent, &server)
        server.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.subscription("TR_a", ssrc: 50))
        let (offer, answer) = try exchange(&server, &agent)
        #expect(offer.bundle == ["0", "1"] && answer.media[1].direction == .recvonly)
        // The server keeps the numbers that the agent drew.
        #expect(
            offer.media[0].formats
                == agent.lines[0].codecs.flatMap { codec in
                    [codec.payloadType, codec.rtxPayloadType].compactMap { $0.map { String($0) } }
                })
        expectAgreement(agent, server)
    }

    @Test func iceRestartOfTheOfferer() throws {
        var agent = try NegotiationFixtures.agent(seed: 8)
        var server = try NegotiationFixtures.server()
        agent.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend)
        try exchange(&agent, &server)
        agent.restartICE(ICECredentials(ufrag: "next", pwd: "nextnextnextnextnextne"))
        #expect(agent.needsNegotiation)
        let change = try server.applyOffer(try agent.createOffer())
        #expect(change.restartedICE)
        #expect(server.remoteTransport?.generation == 1)
        #expect(throws: NegotiationError.localRestartNeeded) { try server.createAnswer() }
        server.restartICE(ICECredentials(ufrag: "srv2", pwd: "server2server2server2s"))
        #expect(try agent.applyAnswer(try server.createAnswer()).restartedICE)
        #expect(agent.remoteTransport?.credentials.ufrag == "srv2")
        #expect(try server.applyOffer(try agent.createOffer()).restartedICE == false)
        #expect(try agent.applyAnswer(try server.createAnswer()).restartedICE == false)
    }

    @Test func candidatesStandInTheTaggedSection() throws {
        var server = try NegotiationFixtures.server()
        var agent = try NegotiationFixtures.agent(seed: 2)
        server.localCandidates = [
            ICECandidate(
                foundation: "1", priority: 9, address: TransportAddress(ipv4: 0x7F00_0001, port: 4000), type: .host)
        ]
        server.localCandidatesComplete = true
        agent.addLine(kind: .audio, direction: .recvonly)
        agent.addLine(kind: .video, direction: .recvonly)
        let (_, answer) = try exchange(&agent, &server)
        #expect(answer.media[0].endOfCandidates && !answer.media[1].endOfCandidates)
        #expect(agent.remoteTransport?.candidates == server.localCandidates)
        #expect(agent.remoteTransport?.endOfCandidates == true)
    }
}
