import CallBridge
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// Losses and their repair, in virtual time.
@Suite struct MachineRecoveryTests {
    private static let lost = JoinFailure(.retryable, CallError(.network, .unreachable, "nobody answers"))

    /// A session that publishes a tone and has asked for less of somebody's camera.
    private func session(single: Bool = true, settings: SignallingSettings = .init()) -> MachineHarness {
        var session = MachineHarness(single: single, settings: settings) {
            $0.otherParticipants = [MachineSubscribingTests.ada]
        }
        if !single { session.stateChanged(.connected, .subscriber) }
        session.answerOffer()
        _ = session.publishTone("TR_mine")
        if !single { session.stateChanged(.connected, .publisher) }
        session.ask(.setSubscribed(false, trackID: "TR_ada"))
        session.ask(.setTrackSettings(TrackSettings(isDisabled: true), trackID: "TR_ada"))
        _ = session.takeLines()
        return session
    }

    @Test func aResumeTellsWhereWeStandAndLooksForPathsAnew() throws {
        var session = session()
        session.say { $0.refreshToken = "second" }
        session.take(.socketClosed(session.socket))
        #expect(session.takeLines() == ["report reconnecting", "dropSocket", "resume PA_me rrSignalDisconnected"])
        #expect(session.attempts.map(\.token) == ["second"])
        session.take(.resumed(.success(.with { $0.lastMessageSeq = 0 })))
        #expect(
            session.takeLines() == [
                "media setServers", "send syncState", "send pingReq", "media createOffer 3 restarting", "send offer",
            ])
        let state = try #require(session.sent("syncState").last).syncState
        #expect(state.offer.id == 2 && state.answer.id == 2)
        #expect(state.publishTracks.map(\.cid) == ["cid-TR_mine"])
        #expect(state.publishTracks.map(\.track.sid) == ["TR_mine"])
        #expect(state.subscription.trackSids == ["TR_ada"] && !state.subscription.subscribe)
        #expect(state.trackSidsDisabled == ["TR_ada"])
        #expect(state.dataChannels.map(\.label) == ["_reliable", "_lossy", "_data_track"])
        // Path and answer: only then the connection stands.
        session.answerOffer()
        #expect(
            session.takeLines() == [
                "media setAnswer", "send subscription", "send trackSetting", "send subscriptionPermission",
                "report reconnected",
            ])
        #expect(session.machine.repair.lifecycle.isConnected)
    }

    /// An interface goes away: media moves by itself, and the socket, which would be found dead only by its pings, is closed
    /// where it leads from the same address.
    @Test func anAddressThatIsGoneTakesTheSocketAlong() {
        var session = session()
        session.media(.event(.localAddressLost("10.0.0.2"), .publisher))
        #expect(session.takeLines() == ["dropSocket from 10.0.0.2"])
        session.take(.socketClosed(session.socket))
        session.stateChanged(.disconnected, .publisher)
        // The other connection says the same, and there is no socket any more.
        session.media(.event(.localAddressLost("10.0.0.2"), .subscriber))
        session.stateChanged(.connected, .publisher)
        session.take(.resumed(.success(.init())))
        session.answerOffer()
        let reports = session.takeLines().filter {
            $0.hasPrefix("report") || $0.hasPrefix("resume") || $0.contains(" from ")
        }
        #expect(reports == ["report reconnecting", "resume PA_me rrSignalDisconnected", "report reconnected"])
    }

    /// A socket that leads from elsewhere stays: media has moved, and nothing is made anew.
    @Test func aSocketFromAnotherAddressStays() {
        var session = session()
        session.media(.event(.localAddressLost("10.0.0.2"), .publisher))
        session.stateChanged(.disconnected, .publisher)
        session.stateChanged(.connected, .publisher)
        #expect(session.takeLines() == ["dropSocket from 10.0.0.2", "report reconnecting", "report reconnected"])
        #expect(session.attempts.isEmpty)
    }

    /// What is said meanwhile waits, in order; what meant the old socket only is not said.
    @Test func whatIsSaidMeanwhileWaitsForTheResume() {
        var session = session()
        session.answerPing()
        session.take(.socketClosed(session.socket))
        _ = session.takeLines()
        session.ask(.setMuted(true, trackID: "TR_mine"))
        session.ask(.setSubscribed(true, trackID: "TR_ada"))
        session.media(.event(.localCandidate(.init(candidate: "candidate:1", usernameFragment: "u2")), .publisher))
        #expect(session.takeLines().filter { $0.hasPrefix("send") } == [])
        session.take(.resumed(.success(.init())))
        session.answerOffer()
        let said = session.takeLines().filter { $0.hasPrefix("send") }
        #expect(
            said == [
                "send syncState", "send pingReq", "send offer", "send mute", "send subscription",
                "send subscriptionPermission",
            ])
    }

    /// The socket was dead and nobody knew it: what was said on it since the last answered ping is said again.
    @Test func whatADeadSocketSwallowedIsSaidAgain() {
        var session = session()
        session.ask(.setMuted(true, trackID: "TR_mine"))
        session.answerPing()
        session.ask(.setMuted(false, trackID: "TR_mine"))
        session.ask(.setSubscribed(true, trackID: "TR_ada"))
        session.take(.socketClosed(session.socket))
        session.ask(.setMuted(true, trackID: "TR_mine"))
        _ = session.takeLines()
        session.take(.resumed(.success(.init())))
        session.answerOffer()
        let said = session.takeLines().filter { $0.hasPrefix("send") }
        #expect(
            said == [
                "send syncState", "send pingReq", "send offer", "send mute", "send subscription", "send mute",
                "send subscriptionPermission",
            ])
        #expect(session.sent("mute").map(\.mute.muted) == [true, false, false, true])
    }

    /// What a resume tells takes little memory until then, and is the same.
    @Test func descriptionsAreFoldedAndToldWhole() throws {
        var session = MachineHarness()
        let sdp = String(repeating: "a=candidate:1 1 udp 2130706431 127.0.0.1 7882 typ host\r\n", count: 60)
        session.say {
            $0.answer = .with { ($0.type, $0.id, $0.sdp, $0.midToTrackID) = ("answer", 1, sdp, ["0": "TR"]) }
        }
        let answer = try #require(session.machine.negotiation.offers.lastAnswer)
        #expect(answer.message?.sdp == sdp)
        session.pass(seconds: 5)
        let folded = try #require(session.machine.negotiation.offers.lastAnswer)
        guard case .folded(let bytes) = folded else { throw CancellationError() }
        #expect(bytes.count < sdp.utf8.count / 8 && folded.message == answer.message)
        session.take(.socketClosed(session.socket))
        session.take(.resumed(.success(.init())))
        let state = try #require(session.sent("syncState").last).syncState
        #expect(state.answer.sdp == sdp && state.answer.id == 1 && state.offer.sdp == MachineHarness.sdp(1))
    }

    /// After a resume the list of participants is complete: who is not on it has gone.
    @Test func whoLeftMeanwhileIsGone() {
        var session = session()
        session.take(.socketClosed(session.socket))
        session.take(.resumed(.success(.init())))
        _ = session.takeLines()
        session.say { $0.update.participants = [.with { $0.sid = "PA_bob" }] }
        #expect(session.takeLines() == ["report participantJoined"], "a list without us is not the complete one")
        session.say { $0.update.participants = [.with { $0.sid = "PA_me" }, .with { $0.sid = "PA_bob" }] }
        #expect(session.takeLines() == ["report participantLeft"])
    }

    /// An unanswered ping is the loss of the socket: 15 s after the server's last word.
    @Test func aSilentServerIsLostAfterItsTime() {
        var session = session()
        session.pass(seconds: 14)
        #expect(session.takeLines() == ["send pingReq", "send pingReq"])
        session.pass(seconds: 1)
        #expect(session.takeLines() == ["report reconnecting", "dropSocket", "resume PA_me rrSignalDisconnected"])
    }

    /// Ten attempts with growing pauses, then the call is over; no time goes by in this test.
    @Test func attemptsEndInTheEnd() throws {
        var settings = SignallingSettings()
        settings.policy.maximumAttempts = 4
        var session = session(settings: settings)
        session.take(.socketClosed(session.socket))
        let id = session.ask(.changeProfile(.name("Ada")))
        for _ in 1...4 {
            session.pass(seconds: 10)
            session.take(.resumed(.failure(Self.lost)))
        }
        #expect(session.attempts.count == 4)
        #expect(session.takeLines().suffix(2) == ["settle 4 failed", "end systemShutdown"])
        let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
        #expect(error?.code == .providerLost && error?.message.contains("nobody answers") == true)
        #expect(session.machine.nextDeadline == nil)
        let late = session.ask(.setMuted(true, trackID: "TR_mine"))
        #expect(throws: CallError.self) { try session.answers[late]?.get() }
    }

    /// A relay that media goes through dies, and there is no other way: what ends the call names it.
    @Test func theEndNamesTheRelayThatIsSilent() throws {
        var settings = SignallingSettings()
        settings.policy.maximumAttempts = 1
        settings.timeouts.media = 10
        var session = session(settings: settings)
        session.media(.event(.relaySilent("the TURN server turn:t:1 does not answer"), .publisher))
        session.stateChanged(.disconnected, .publisher)
        #expect(session.takeLines() == ["report reconnecting"])
        session.stateChanged(.failed, .publisher)
        session.take(.resumed(.failure(JoinFailure(.unknownPath, CallError(.network, .unreachable, "gone")))))
        session.take(.joined(.success(MachineHarness.joined(single: true))))
        session.pass(seconds: 11)
        #expect(session.takeLines().last == "end systemShutdown")
        let detail = try #require(session.machine.repair.ending?.detail)
        #expect(detail.hasSuffix("media was not connected within 10 s; the TURN server turn:t:1 does not answer"))
    }

    /// One that comes back is no longer to blame.
    @Test func aRelayThatAnswersAgainIsForgotten() {
        var session = session()
        session.media(.event(.relaySilent("the TURN server turn:t:1 does not answer"), .publisher))
        session.stateChanged(.disconnected, .publisher)
        #expect(session.machine.repair.explained("lost") == "lost; the TURN server turn:t:1 does not answer")
        session.stateChanged(.connected, .publisher)
        #expect(session.machine.repair.explained("lost") == "lost")
    }

    /// A server that no longer has the session is joined afresh, and told everything again under the old ids.
    @Test func aFullReconnectTellsTheNewSessionEverything() throws {
        var session = session()
        session.take(.socketClosed(session.socket))
        session.take(
            .resumed(
                .failure(
                    JoinFailure(.refused(status: 404), CallError(.provider, .providerRefused, "no such session")))))
        #expect(
            session.takeLines().suffix(4) == ["report reconnecting", "send leave", "dropSocket", "join with first"])
        let joined = MachineHarness.joined(single: true, participant: "PA_new") {
            $0.otherParticipants = [MachineSubscribingTests.ada]
        }
        session.take(.joined(.success(joined)))
        session.stateChanged(.connected, .publisher)
        #expect(!session.lines.contains("send addTrack"), "not before media stands")
        session.answerOffer()
        #expect(!session.machine.repair.lifecycle.isConnected, "not before the track is published")
        session.acceptTrack("TR_other")
        #expect(
            session.takeLines() == [
                "media prepareChannels", "send pingReq", "media setAnswer", "send subscription", "send trackSetting",
                "send addTrack", "media addTrack", "media createOffer 2", "send offer",
                "send subscriptionPermission", "report reconnected",
            ])
        #expect(session.machine.localParticipant.id == "PA_me", "the bridge knows nothing of another session")
        #expect(session.machine.localParticipant.tracks.map(\.id) == ["TR_mine"])
        session.ask(.setMuted(true, trackID: "TR_mine"))
        #expect(session.sent("mute").last?.mute.sid == "TR_other", "the server knows it by another id")
    }

    /// A session that is lost again while it is being restored counts as a failed attempt.
    @Test func aSessionThatIsLostAtOnceIsTriedAgain() {
        var session = session()
        session.say { $0.leave.action = .reconnect }
        session.take(.joined(.success(MachineHarness.joined(single: true))))
        session.stateChanged(.connected, .publisher)
        session.answerOffer()
        #expect(session.takeLines().last == "send addTrack")
        session.take(.socketClosed(session.socket))
        #expect(session.machine.repair.lifecycle.attempt?.number == 2)
        session.pass(seconds: 1)
        #expect(session.takeLines().suffix(3) == ["send leave", "dropSocket", "join with first"])
        session.take(.joined(.success(MachineHarness.joined(single: true))))
        session.stateChanged(.connected, .publisher)
        session.answerOffer()
        session.acceptTrack("TR_third")
        #expect(session.machine.repair.lifecycle.isConnected)
    }

    /// What the lost session had not answered the next one is asked; what was withdrawn may come back in it.
    @Test func theNewSessionIsAskedWhatTheOldOneWas() throws {
        var session = session()
        let us = { (version: UInt32, mayPublish: Bool) in
            Livekit_ParticipantInfo.with {
                ($0.sid, $0.identity, $0.version) = ("PA_me", "me", version)
                $0.permission.canPublish = mayPublish
            }
        }
        session.say { $0.update.participants = [us(1, false)] }
        session.say { $0.trackUnpublished.trackSid = "TR_mine" }
        session.answerOffer()
        let track = LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "new")
        let id = session.ask(.publish(track, .microphone))
        session.say { $0.leave.action = .reconnect }
        _ = session.takeLines()
        session.take(.joined(.success(MachineHarness.joined(single: true))))
        session.stateChanged(.connected, .publisher)
        let asked = session.sent("addTrack").count
        session.answerOffer()
        #expect(session.sent("addTrack").dropFirst(asked).map(\.addTrack.cid) == ["new", "cid-TR_mine"])
        #expect(session.answers[id] == nil)
        session.say {
            $0.trackPublished.cid = "new"
            $0.trackPublished.track.sid = "TR_new"
        }
        #expect(try session.answers[id]?.get() != nil)
    }

    /// Whoever waits for an offer does not wait for ever.
    @Test(arguments: [true, false]) func whoWaitsForAnOfferIsAnswered(joinsAgain: Bool) throws {
        var session = session()
        session.isMediaWilling = false
        let id = session.ask(.unpublish(trackID: "TR_mine"))
        #expect(session.takeLines() == ["media removeTrack", "media createOffer 3"])
        if joinsAgain {
            session.say { $0.leave.action = .reconnect }
            session.take(.joined(.success(MachineHarness.joined(single: true))))
        } else {
            session.take(.leave)
        }
        #expect(try session.answers[id]?.get() != nil)
    }

    /// Media that does not come up in time is the end of the attempt, and of the session.
    @Test func mediaHasToStandInTime() {
        var session = session()
        session.stateChanged(.failed, .publisher)
        #expect(session.takeLines().last == "resume PA_me rrPublisherFailed")
        session.take(.resumed(.success(.init())))
        session.pass(seconds: 14.9)
        #expect(session.machine.repair.lifecycle.attempt?.mode == .quick)
        session.say { $0.pongResp = .init() }
        session.pass(seconds: 0.2)
        #expect(session.machine.repair.lifecycle.attempt?.mode == .full)
    }

    /// A path that comes back by itself is no loss; one that stays silent is.
    @Test func aSilentPathMayComeBack() {
        var session = session(single: false)
        session.stateChanged(.disconnected, .subscriber)
        session.pass(seconds: 4)
        session.stateChanged(.connected, .subscriber)
        #expect(session.takeLines() == ["report reconnecting", "report reconnected"])
        session.pass(seconds: 5)
        session.say { $0.pongResp = .init() }
        session.stateChanged(.disconnected, .subscriber)
        session.pass(seconds: 9.9)
        #expect(session.machine.repair.lifecycle.isConnected)
        session.pass(seconds: 0.2)
        #expect(session.takeLines().last == "resume PA_me rrSubscriberFailed")
    }

    /// A server that closes the media is given 2 s to say why.
    @Test func aClosedPathWaitsForTheReason() {
        for saysWhy in [true, false] {
            var session = session()
            session.stateChanged(.closed, .publisher)
            session.pass(seconds: 1.9)
            #expect(session.takeLines() == [])
            if saysWhy { session.say { $0.leave.reason = .roomDeleted } }
            session.pass(seconds: 0.2)
            #expect(
                session.takeLines().first == (saysWhy ? "end conversationEnded" : "report reconnecting"))
        }
    }
}
