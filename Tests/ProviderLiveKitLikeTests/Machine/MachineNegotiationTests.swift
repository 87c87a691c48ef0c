import CallBridge
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// Descriptions and candidates.
@Suite struct MachineNegotiationTests {
    private func candidate(_ ufrag: String, relay: Bool = false) -> MediaInput {
        let text = "candidate:1 1 udp 1 192.0.2.1 9 typ " + (relay ? "relay" : "host")
        return .event(.localCandidate(.init(candidate: text, usernameFragment: ufrag)), .publisher)
    }

    @Test func aJoinPingsAndOpensChannels() {
        var single = MachineHarness { $0.room.name = "room" }
        #expect(single.takeLines() == ["report roomUpdated", "media prepareChannels", "send pingReq"])
        var dual = MachineHarness(single: false) { $0.fastPublish = true }
        #expect(
            dual.takeLines() == [
                "media prepareChannels", "send pingReq", "media createOffer 1", "send offer",
            ], "a server that publishes fast wants an offer early")
    }

    /// A candidate follows the description that it belongs to.
    @Test func candidatesWaitForTheirDescription() {
        var session = MachineHarness()
        session.answerOffer()
        session.isMediaWilling = false
        session.ask(.publish(LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "a"), .microphone))
        session.acceptTrack("TR_a")
        session.media(.trackAdded("a"))
        _ = session.takeLines()
        session.media(candidate("u2"))
        session.media(candidate("u1"))
        #expect(session.takeLines() == ["send trickle"])
        session.media(.offerMade(number: 2, sdp: MachineHarness.sdp(2)))
        #expect(session.takeLines() == ["send offer", "send trickle", "settle 1 published"])
    }

    @Test func aServerMayAllowRelaysOnly() {
        var session = MachineHarness { $0.clientConfiguration.forceRelay = .enabled }
        _ = session.takeLines()
        session.media(candidate("u1"))
        session.media(candidate("u1", relay: true))
        #expect(session.takeLines() == ["send trickle"])
    }

    /// What replaced connections still report does not matter.
    @Test func reportsOfOldConnectionsAreLate() {
        var session = MachineHarness()
        session.answerOffer()
        let old = session.machine.negotiation.connections
        session.say { $0.leave.action = .reconnect }
        session.take(.joined(.success(MachineHarness.joined(single: true))))
        _ = session.takeLines()
        session.take(.media(.event(.failed("gone"), .publisher), connections: old))
        session.take(.media(.offerMade(number: 1, sdp: ""), connections: old))
        #expect(session.takeLines() == [])
    }

    @Test func theServersOfferIsAnsweredWithTwoConnections() {
        var session = MachineHarness(single: false)
        _ = session.takeLines()
        session.say { $0.offer = .with { ($0.type, $0.id, $0.sdp) = ("offer", 4, "its offer") } }
        #expect(session.takeLines() == ["media answer", "send answer"])
        #expect(session.sent("answer").last?.answer.id == 4)
        session.take(.socketClosed(session.socket))
        session.take(.resumed(.success(.init())))
        let state = session.sent("syncState").last?.syncState
        #expect(state?.offer.sdp == "its offer" && state?.answer.sdp == "our answer")
    }

    @Test(arguments: ["offer", "answer", "sections", "relay"]) func whatMediaCantDoIsALoss(what: String) {
        var session = MachineHarness(single: false)
        session.media(.event(.connected(srtpProfile: "p"), .subscriber))
        session.isMediaWilling = false
        switch what {
        case "offer": session.media(.offerRefused("no"))
        case "sections": session.media(.sectionsRefused("no"))
        case "relay": session.media(.event(.noRelay("no"), .subscriber))
        default:
            session.say { $0.mediaSectionsRequirement = .init() }
            session.media(.offerMade(number: 1, sdp: ""))
            session.answerOffer()
            session.media(.answerRefused(.init(), "no"))
        }
        #expect(session.takeLines().last == "join with first")
    }

    /// Where no relay was ever had, the credentials are wrong: trying again would not help.
    @Test func aRelayThatNeverWorkedEndsTheCall() {
        var session = MachineHarness()
        session.media(.event(.noRelay("no relay"), .publisher))
        #expect(session.takeLines().last == "end systemShutdown")
    }
}
