import Foundation
import LiveKitProtocol
import RTCWire
import Testing

@testable import callagent

/// What `netem` changes in signalling, and what it leaves alone.
@Suite struct SignalRewriterTests {
    private static let relay = TransportAddress(ipv4: 0x7f00_0001, port: 4000)
    private static let candidates = CandidateRewriter {
        TransportAddress(ipv4: relay.ipv4, port: relay.port + UInt16($0.port % 10))
    }

    private static let sdp = [
        "v=0", "o=- 1 2 IN IP4 127.0.0.1", "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "a=candidate:1 1 udp 2130706431 192.0.2.5 7882 typ host generation 0",
        "a=candidate:2 1 tcp 1671430143 192.0.2.5 7881 typ host tcptype passive",
        "a=candidate:3 1 UDP 1694498815 198.51.100.3 7883 typ srflx raddr 192.0.2.5 rport 7882",
        "a=candidate:4 1 udp 1 a1b2.local 7882 typ host", "a=end-of-candidates", "a=mid:0", "",
    ].joined(separator: "\r\n")

    @Test func aServersDescriptionLeadsToRelays() {
        let lines = Self.candidates.fromServer(sdp: Self.sdp).components(separatedBy: "\r\n")
        #expect(
            lines == [
                "v=0", "o=- 1 2 IN IP4 127.0.0.1", "m=audio 9 UDP/TLS/RTP/SAVPF 111",
                "a=candidate:1 1 udp 2130706431 127.0.0.1 4002 typ host generation 0",
                "a=candidate:3 1 udp 1694498815 127.0.0.1 4003 typ srflx raddr 0.0.0.0 rport 0",
                "a=end-of-candidates", "a=mid:0", "",
            ])
    }

    @Test func aClientsDescriptionTellsNoAddress() {
        let hidden = CandidateRewriter.fromClient(sdp: Self.sdp)
        #expect(!hidden.contains("candidate:"))
        #expect(hidden.contains("a=end-of-candidates\r\na=mid:0\r\n"))
        #expect(CandidateRewriter.fromClient(sdp: "a=candidate:1 x\nb") == "b")
        #expect(CandidateRewriter.fromClient(sdp: "") == "")
    }

    @Test func messagesOfTheServerAreChanged() throws {
        var rewriter = SignalRewriter(candidates: Self.candidates)
        var response = Livekit_SignalResponse()
        response.answer.sdp = Self.sdp
        response.answer.id = 7
        let changedAnswer = rewriter.fromServer(response.wireBytes)
        let answer = try Livekit_SignalResponse(wireBytes: try #require(changedAnswer))
        #expect(answer.answer.sdp == Self.candidates.fromServer(sdp: Self.sdp))
        #expect(answer.answer.id == 7)
        response.offer.sdp = Self.sdp
        let changedOffer = rewriter.fromServer(response.wireBytes)
        let offer = try Livekit_SignalResponse(wireBytes: try #require(changedOffer))
        #expect(offer.offer.sdp == answer.answer.sdp)
    }

    private func trickle(_ candidate: String, isFinal: Bool = false) -> [UInt8] {
        var response = Livekit_SignalResponse()
        response.trickle.candidateInit = #"{"candidate":"\#(candidate)","sdpMid":"0","sdpMLineIndex":0}"#
        response.trickle.final = isFinal
        return response.wireBytes
    }

    @Test func trickledCandidatesOfTheServerAreChanged() throws {
        var rewriter = SignalRewriter(candidates: Self.candidates)
        let changed = rewriter.fromServer(trickle("candidate:1 1 udp 5 192.0.2.5 7884 typ host"))
        let told = try Livekit_SignalResponse(wireBytes: try #require(changed)).trickle.candidateInit
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(told.utf8)) as? [String: Any])
        #expect(fields["candidate"] as? String == "candidate:1 1 udp 5 127.0.0.1 4004 typ host")
        #expect(fields["sdpMid"] as? String == "0")
        #expect(rewriter.fromServer(trickle("candidate:1 1 tcp 5 192.0.2.5 7881 typ host tcptype passive")) == nil)
        #expect(rewriter.fromServer(trickle("nonsense")) == nil)
        // The end of candidates is told.
        #expect(rewriter.fromServer(trickle("")) == trickle(""))
    }

    @Test(arguments: ["nonsense", "candidate:1 1 tcp 5 192.0.2.5 7881 typ host tcptype passive"])
    func theEndIsToldWithTheCandidateBefore(last: String) throws {
        var rewriter = SignalRewriter(candidates: Self.candidates)
        // Where there was none, nothing is told: an empty candidate would end a client of Rust.
        #expect(rewriter.fromServer(trickle(last, isFinal: true)) == nil)
        let answers = [trickle("candidate:1 1 udp 5 192.0.2.5 7884 typ host"), trickle(last, isFinal: true)]
            .map { rewriter.fromServer($0) }
        let (first, bytes) = (try #require(answers[0]), try #require(answers[1]))
        let told = try Livekit_SignalResponse(wireBytes: first).trickle
        let end = try Livekit_SignalResponse(wireBytes: bytes).trickle
        #expect(end.final && end.candidateInit == told.candidateInit)
    }

    @Test func messagesOfTheClientTellNoAddress() throws {
        var request = Livekit_SignalRequest()
        request.offer.sdp = Self.sdp
        let offer = try Livekit_SignalRequest(wireBytes: try #require(SignalRewriter.fromClient(request.wireBytes)))
        #expect(!offer.offer.sdp.contains("candidate:"))
        request.syncState.offer.sdp = Self.sdp
        request.syncState.answer.sdp = Self.sdp
        let state = try Livekit_SignalRequest(wireBytes: try #require(SignalRewriter.fromClient(request.wireBytes)))
        #expect(!state.syncState.offer.sdp.contains("candidate:") && !state.syncState.answer.sdp.contains("candidate:"))
        request.trickle.candidateInit = #"{"candidate":"candidate:1 1 udp 5 192.0.2.5 7884 typ host"}"#
        #expect(SignalRewriter.fromClient(request.wireBytes) == nil)
        request.trickle.candidateInit = #"{"candidate":""}"#
        #expect(SignalRewriter.fromClient(request.wireBytes) == request.wireBytes)
    }

    @Test func allElsePassesAsItCame() {
        var rewriter = SignalRewriter(candidates: Self.candidates)
        var request = Livekit_SignalRequest()
        request.ping = 5
        #expect(SignalRewriter.fromClient(request.wireBytes) == request.wireBytes)
        for bytes in [[], [0xff, 0xff, 1], Array("text".utf8)] {
            #expect(SignalRewriter.fromClient(bytes) == bytes)
            #expect(rewriter.fromServer(bytes) == bytes)
        }
    }

    @Test func aFirstOfferInTheRequestTellsNoAddress() throws {
        var join = Livekit_JoinRequest()
        join.participantSid = "PA_1"
        func target() -> String {
            var wrapped = Livekit_WrappedJoinRequest()
            wrapped.joinRequest = Data(join.wireBytes)
            return "/rtc/v1?access_token=t&join_request=" + Base64.encodePaddedURL(wrapped.wireBytes)
        }
        join.publisherOffer.sdp = "v=0\r\na=mid:0\r\n"
        #expect(SignalRewriter.fromClient(target: target()) == target())
        join.publisherOffer.sdp = Self.sdp
        let changed = SignalRewriter.fromClient(target: target())
        let items = try #require(URLComponents(string: changed)?.queryItems)
        #expect(items.first { $0.name == "access_token" }?.value == "t")
        let text = try #require(items.first { $0.name == "join_request" }?.value)
        let read = try #require(SignalReading.joinRequest(text))
        #expect(read.publisherOffer.sdp == CandidateRewriter.fromClient(sdp: Self.sdp))
        #expect(read.participantSid == "PA_1")
        #expect(SignalRewriter.fromClient(target: "/rtc?join_request=%%%") == "/rtc?join_request=%%%")
    }

    @Test func aTokenNamesItsOwner() {
        let token = AccessToken.join(room: "r", identity: "ada", key: "k", secret: "s", now: 0)
        #expect(SignalRewriter.name(target: "/rtc?access_token=\(token)", authorization: nil) == "ada")
        #expect(SignalRewriter.name(target: "/rtc", authorization: "Bearer \(token)") == "ada")
        #expect(SignalRewriter.name(target: "/rtc?access_token=x", authorization: nil) == nil)
        #expect(SignalRewriter.name(target: "/rtc", authorization: nil) == nil)
    }

    @Test func aSessionsLocationIsAPath() {
        #expect(NetemForward.absolute("/whip/r/session/1?x", beside: "/whip/r") == "/whip/r/session/1")
        #expect(NetemForward.absolute("session/1", beside: "/whip/r") == "/whip/session/1")
        #expect(NetemForward.path("/whip/r?access_token=t") == "/whip/r")
    }
}
