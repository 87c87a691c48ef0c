import Testing

@testable import RTCCore
@testable import RTCWire

@Suite struct NegotiationErrorTests {
    private func offer() throws -> SDPSession {
        var agent = try NegotiationFixtures.agent(seed: 11)
        agent.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend)
        agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend)
        return try agent.createOffer()
    }

    /// The error of applying `offer` to a new server, which must be unchanged by it.
    private func refusal(_ offer: SDPSession, _ server: Negotiator) -> NegotiationError? {
        var server = server
        let lines = server.lines
        do {
            try server.applyOffer(offer)
            return nil
        } catch {
            #expect(server.lines == lines && server.state == .stable)
            return error
        }
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        var name: String
        var error: NegotiationError
        var apply: @Sendable (inout SDPSession) -> Void
        var testDescription: String { name }
    }

    private static let first = LineName(index: 0, mid: "0")
    private static let second = LineName(index: 1, mid: "1")

    static let damages: [Damage] = [
        Damage(name: "no ufrag", error: .invalidICECredentials(first)) { $0.media[0].remove("ice-ufrag") },
        Damage(name: "short pwd", error: .invalidICECredentials(first)) { $0.media[0].set("ice-pwd", "short") },
        Damage(name: "no fingerprint", error: .missingFingerprint(first)) { $0.media[0].remove("fingerprint") },
        Damage(name: "only sha-1", error: .missingFingerprint(first)) {
            $0.media[0].set(
                "fingerprint", SDPFingerprint(algorithm: "sha-1", value: Array(repeating: 1, count: 20)).description)
        },
        Damage(name: "unknown setup", error: .invalidSetup(first, found: "maybe")) {
            $0.media[0].set("setup", "maybe")
        },
        Damage(name: "holdconn", error: .invalidSetup(first, found: "holdconn")) {
            $0.media[0].set("setup", "holdconn")
        },
        Damage(name: "no rtcp-mux", error: .missingRTCPMux(second)) { $0.media[1].remove("rtcp-mux") },
        Damage(name: "mid twice", error: .duplicateMid(LineName(index: 1, mid: "0"))) { $0.media[1].set("mid", "0") },
        Damage(name: "mid with a space", error: .invalidMid(LineName(index: 1, mid: "a b"))) {
            $0.media[1].set("mid", "a b")
        },
        Damage(name: "no mid in a bundle", error: .invalidMid(LineName(index: 1, mid: ""))) {
            $0.media[1].remove("mid")
        },
    ]

    @Test(arguments: damages) func offersAreRefused(_ damage: Damage) throws {
        var damaged = try offer()
        damage.apply(&damaged)
        #expect(refusal(damaged, try NegotiationFixtures.server()) == damage.error)
        #expect(!damage.error.description.isEmpty)
    }

    private func connected() throws -> (agent: Negotiator, server: Negotiator) {
        var agent = try NegotiationFixtures.agent(seed: 12)
        var server = try NegotiationFixtures.server()
        agent.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend)
        agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend)
        try server.applyOffer(try agent.createOffer())
        try agent.applyAnswer(try server.createAnswer())
        return (agent, server)
    }

    @Test func renegotiationKeepsCertificateRolesAndLines() throws {
        var (agent, server) = try connected()
        let good = try agent.createOffer()
        let other = try NegotiationFixtures.fingerprint(7).description
        var bad = good
        bad.media[0].set("fingerprint", other)
        #expect(refusal(bad, server) == .fingerprintChanged(NegotiationErrorTests.first))
        bad = good
        bad.media[0].set("setup", "active")
        #expect(refusal(bad, server) == .dtlsRoleChanged(NegotiationErrorTests.first))
        bad = good
        bad.media.removeLast()
        #expect(refusal(bad, server) == .lineCount(expected: 2, found: 1))
        bad = good
        bad.media[1].kind = .audio
        #expect(refusal(bad, server) == .lineChanged(NegotiationErrorTests.second, expected: "video", found: "audio"))
        bad = good
        bad.media[1].set("mid", "x")
        #expect(
            refusal(bad, server)
                == .lineChanged(NegotiationErrorTests.second, expected: "mid \"1\"", found: "mid \"x\""))
        try server.applyOffer(good)
        var answer = try server.createAnswer()
        answer.media[0].set("fingerprint", other)
        #expect(throws: NegotiationError.fingerprintChanged(NegotiationErrorTests.first)) {
            try agent.applyAnswer(answer)
        }
        #expect(agent.state == .haveLocalOffer)
    }

    @Test func answersAreRefused() throws {
        var agent = try NegotiationFixtures.agent(seed: 13)
        var server = try NegotiationFixtures.server()
        agent.addLine(kind: .audio, direction: .sendonly, send: NegotiationFixtures.audioSend)
        agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend)
        try server.applyOffer(try agent.createOffer())
        let good = try server.createAnswer()
        func refusal(_ change: (inout SDPSession) -> Void) -> NegotiationError? {
            var answer = good
            change(&answer)
            var copy = agent
            do {
                try copy.applyAnswer(answer)
                return nil
            } catch { return error }
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.media.removeLast() } == .lineCount(expected: 2, found: 1))
        #expect(
            refusal { $0.media[0].set("setup", "actpass") }
                == .invalidSetup(NegotiationErrorTests.first, found: "actpass"))
        #expect(refusal { $0.media[0].remove("setup") } == .invalidSetup(NegotiationErrorTests.first, found: ""))
        #expect(refusal { $0.remove("group") } == .notBundled(NegotiationErrorTests.first))
        #expect(refusal { $0.set("group", "BUNDLE 0") } == .notBundled(NegotiationErrorTests.second))
        #expect(refusal { $0.media[1].remove("rtcp-mux") } == .missingRTCPMux(NegotiationErrorTests.second))
        #expect(refusal { $0.media[1].formats = ["0"] } == .noCommonCodec(NegotiationErrorTests.second))
        #expect(refusal { $0.media[0].port = 0 } == nil)
        #expect(refusal { $0.media[0].remove("mid") } == nil)
    }

    @Test func collisionsAndWrongOrder() throws {
        var (agent, server) = try connected()
        #expect(throws: NegotiationError.noOffer) { try agent.createAnswer() }
        let stray = try server.createOffer()
        #expect(throws: NegotiationError.noOffer) { try agent.applyAnswer(stray) }
        #expect(throws: NegotiationError.offerCollision) { try server.applyOffer(try agent.createOffer()) }
        server.rollback()
        #expect(server.state == .stable)
        let offer = try agent.createOffer()
        try server.applyOffer(offer)
        #expect(throws: NegotiationError.remoteOfferOpen) { try server.createOffer() }
        try agent.applyAnswer(try server.createAnswer())
        #expect(agent.state == .stable && server.state == .stable)
    }

    @Test func rollbackOfARemoteOffer() throws {
        var (agent, server) = try connected()
        let before = server.lines
        agent.addLine(kind: .video, direction: .recvonly)
        try server.applyOffer(try agent.createOffer())
        #expect(server.lines.count == 3)
        server.rollback()
        #expect(server.lines == before)
    }

    @Test func identifiersCannotBreakTheText() throws {
        var agent = try NegotiationFixtures.agent(seed: 1)
        agent.addLine(
            kind: .audio, send: SendDescription(streamID: "-", trackID: "x\r\na=candidate:1", ssrc: 1))
        #expect(throws: NegotiationError.invalidIdentifier("x\r\na=candidate:1")) { try agent.createOffer() }
        #expect(agent.state == .stable)
    }

    @Test func linesOutsideTheBundleAndUnknownKindsAreRejected() throws {
        var offer = try offer()
        offer.set("group", "BUNDLE 1")
        var text = SDPMedia(kind: .other("text"), port: 9, protocolName: "TCP/MSRP", formats: ["*"])
        text.add("mid", "t")
        offer.media.append(text)
        var server = try NegotiationFixtures.server()
        try server.applyOffer(offer)
        let answer = try NegotiationFixtures.sent(try server.createAnswer())
        #expect(answer.media.map(\.isRejected) == [true, false, true])
        #expect(answer.media[2].mediaLine == "text 0 TCP/MSRP *")
        #expect(answer.bundle == ["1"])
        #expect(server.lines.map(\.isStopped) == [true, false, true])
    }

    @Test func offersWithoutABundle() throws {
        var offer = try offer()
        offer.remove("group")
        var server = try NegotiationFixtures.server()
        try server.applyOffer(offer)
        let answer = try server.createAnswer()
        #expect(answer.media.map(\.isRejected) == [false, true])
        #expect(answer.bundle == nil)
    }

    @Test func theAnswerClaimsNothingThatWasNotOffered() throws {
        var offer = try offer()
        offer.remove("extmap-allow-mixed")
        offer.media[0].remove("rtcp-rsize")
        offer.set("group", "BUNDLE 1 0 1 x 0")
        var server = try NegotiationFixtures.server()
        try server.applyOffer(offer)
        let answer = try server.createAnswer()
        #expect(!answer.extmapAllowMixed)
        #expect(server.lines.allSatisfy { !$0.extensionMap.allowsMixed })
        #expect(answer.media.map(\.rtcpRsize) == [false, true])
        #expect(answer.bundle == ["1", "0"])
    }

    @Test func bundleOnlyLinesAreTaken() throws {
        var offer = try offer()
        offer.media[1].port = 0
        offer.media[1].add("bundle-only")
        var server = try NegotiationFixtures.server()
        try server.applyOffer(offer)
        #expect(try server.createAnswer().media[1].isRejected == false)
    }

    /// Numbers that mean two things, wildcards, duplicates and extension ids that no packet can carry.
    @Test func ambiguousNumbersAreLeftOut() throws {
        let offer = try SDPSession(
            parsing: try NegotiationFixtures.recorded("vp8-simulcast-offer.chromium156.sdp").description)
        var twice = offer
        twice.set("group", "BUNDLE 0 1")
        var second = offer.media[0]
        second.set("mid", "1")
        second.formats = ["97", "96", "97"]
        second.remove("rtpmap")
        second.remove("extmap")
        second.remove("rtcp-fb")
        for (name, value) in [
            ("rtpmap", "97 VP8/90000"), ("rtpmap", "96 VP8/90000"), ("rtcp-fb", "* nack pli"),
            ("extmap", "9 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"),
            ("extmap", "15 urn:ietf:params:rtp-hdrext:sdes:mid"),
            ("extmap", "300 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"),
        ] { second.add(name, value) }
        twice.media.append(second)
        var server = try NegotiationFixtures.server()
        try server.applyOffer(twice)
        #expect(server.lines[0].extensionMap.id(for: .mid) == 9)
        #expect(server.lines[1].codecs.map(\.payloadType) == [96])
        #expect(server.lines[1].codecs[0].feedback == .pli)
        #expect(server.lines[1].extensionMap.pairs.isEmpty)
    }
}
