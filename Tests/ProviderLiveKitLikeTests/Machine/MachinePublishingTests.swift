import CallBridge
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// What we publish: the server's word, the media connection, the offer.
@Suite struct MachinePublishingTests {
    private func session(single: Bool = true) -> MachineHarness {
        var session = MachineHarness(single: single)
        session.answerOffer()
        _ = session.takeLines()
        return session
    }

    private func tone(_ id: String) -> LocalTrack { LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: id) }

    @Test func aTrackIsAskedForThenAddedThenOffered() throws {
        var session = session()
        let track = tone("cid")
        track.isMuted = true
        let id = session.ask(.publish(track, .screenShareAudio))
        #expect(session.takeLines() == ["send addTrack"])
        let request = try #require(session.sent("addTrack").last).addTrack
        #expect(request.cid == "cid" && request.type == .audio && request.source == .screenShareAudio && request.muted)
        session.acceptTrack("TR_1")
        #expect(session.takeLines() == ["media addTrack", "media createOffer 2", "send offer", "settle 1 published"])
        guard case .published(let published) = try session.answers[id]?.get() else { return #expect(Bool(false)) }
        #expect(published.id == "TR_1")
        #expect(session.machine.localParticipant.tracks == [published])
    }

    /// One offer at a time: what comes while one is out follows in one.
    @Test func offersWaitForTheAnswer() {
        var session = session()
        session.ask(.publish(tone("a"), .microphone))
        session.acceptTrack("TR_a")
        session.ask(.publish(tone("b"), .microphone))
        session.acceptTrack("TR_b")
        session.say { $0.mediaSectionsRequirement = .with { ($0.numAudios, $0.numVideos) = (1, 1) } }
        #expect(
            session.takeLines() == [
                "send addTrack", "media addTrack", "media createOffer 2", "send offer", "settle 1 published",
                "send addTrack", "media addTrack", "settle 2 published", "media addReceivers",
            ])
        session.say { $0.answer = .with { ($0.type, $0.id) = ("answer", 1) } }
        #expect(session.takeLines() == [], "that offer was answered before")
        session.answerOffer()
        #expect(session.takeLines() == ["media setAnswer", "media createOffer 3", "send offer"])
        session.answerOffer()
        #expect(session.takeLines() == ["media setAnswer"])
    }

    @Test func anUnansweredOfferIsTheEndOfTheSession() {
        var session = session()
        session.ask(.publish(tone("a"), .microphone))
        session.acceptTrack("TR_a")
        for _ in 0..<2 {
            session.say { $0.pongResp = .init() }
            session.pass(seconds: 4.9)
        }
        #expect(session.machine.repair.lifecycle.isConnected)
        session.pass(seconds: 0.3)
        #expect(
            session.takeLines().suffix(4) == ["report reconnecting", "send leave", "dropSocket", "join with first"])
    }

    @Test func refusalsAreToldAndSilenceIsOne() {
        var session = session()
        let refused = session.ask(.publish(tone("a"), .microphone))
        session.say {
            $0.requestResponse.reason = .notAllowed
            $0.requestResponse.addTrack.cid = "a"
        }
        let silent = session.ask(.publish(tone("b"), .microphone))
        session.say { $0.pongResp = .init() }
        session.pass(seconds: 10)
        let late = session.ask(.publish(tone("c"), .microphone))
        session.media(.trackRefused("c", "no such line"))
        session.isMediaWilling = false
        session.acceptTrack("TR_c")
        session.media(.trackRefused("c", "no codec"))
        for (id, words) in [(refused, "not allowed"), (silent, "within 10 s"), (late, "no codec")] {
            let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
            #expect(error?.message.contains(words) == true)
        }
        #expect(session.machine.publications.published.isEmpty)
    }

    @Test func aTrackIsPublishedOnce() {
        var session = session()
        let track = session.publishTone("TR_a")
        let again = session.ask(.publish(track, .microphone))
        #expect(throws: CallError.self) { try session.answers[again]?.get() }
    }

    @Test func aTrackThatIsTakenBackIsOfferedAgain() {
        var session = session()
        _ = session.publishTone("TR_a")
        _ = session.takeLines()
        session.ask(.unpublish(trackID: "TR_a"))
        #expect(
            session.takeLines() == ["media removeTrack", "media createOffer 3", "send offer", "settle 2 done"])
        #expect(session.machine.localParticipant.tracks == [])
    }

    @Test func mutingIsSaidAndDone() {
        var session = session()
        let track = session.publishTone("TR_a")
        session.ask(.setMuted(true, trackID: "TR_a"))
        #expect(track.isMuted && session.sent("mute").last?.mute.sid == "TR_a")
        session.say { $0.mute = .with { ($0.sid, $0.muted) = ("TR_a", false) } }
        #expect(!track.isMuted)
        #expect(session.sent("mute").last?.mute.muted == false, "the server is told that it is so")
        #expect(session.takeLines().last == "report localTrackMuted")
    }

    /// The permission is withdrawn and given again: the track comes back under its id, as it was muted meanwhile.
    @Test func whatThePermissionEndsComesBackWithIt() {
        var session = session()
        let track = session.publishTone("TR_a")
        _ = session.takeLines()
        let us = { (version: UInt32, mayPublish: Bool) in
            Livekit_ParticipantInfo.with {
                ($0.sid, $0.identity, $0.version) = ("PA_me", "me", version)
                $0.permission.canPublish = mayPublish
            }
        }
        session.say { $0.update.participants = [us(1, false)] }
        session.say { $0.trackUnpublished.trackSid = "TR_a" }
        session.answerOffer()
        session.ask(.setMuted(true, trackID: "TR_a"))
        #expect(
            session.takeLines() == [
                "report localPermissions", "report localTrackUnpublished", "media removeTrack", "media createOffer 3",
                "send offer", "media setAnswer", "settle 2 done",
            ])
        session.say { $0.update.participants = [us(2, true)] }
        #expect(track.isMuted && session.sent("addTrack").last?.addTrack.muted == true)
        session.acceptTrack("TR_again")
        #expect(
            session.takeLines() == [
                "report localPermissions", "send addTrack", "report localTrackPublished", "media addTrack",
                "media createOffer 4", "send offer",
            ])
        #expect(session.machine.localParticipant.tracks.map(\.id) == ["TR_a"])
        session.ask(.setMuted(false, trackID: "TR_a"))
        #expect(session.sent("mute").last?.mute.sid == "TR_again")
    }

    /// Only the layers that somebody looks at are sent, where that is wished.
    @Test func layersFollowWhoLooks() {
        var session = session()
        _ = session.publishTone("TR_a")
        _ = session.takeLines()
        session.say {
            $0.subscribedQualityUpdate.trackSid = "TR_a"
            $0.subscribedQualityUpdate.subscribedCodecs = [
                .with { $0.qualities = [.with { ($0.quality, $0.enabled) = (.high, false) }] }
            ]
        }
        #expect(session.takeLines() == ["media setActiveLayers"])
    }

    /// Whoever waits for the connection gets it, or is told why not.
    @Test func aTrackWaitsForTheConnection() {
        var session = session()
        session.take(.socketClosed(session.socket))
        let id = session.ask(.publish(tone("a"), .microphone))
        session.pass(seconds: 30)
        #expect(!session.takeLines().contains("send addTrack") && session.answers[id] == nil)
        session.take(.resumed(.success(.init())))
        session.answerOffer()
        #expect(session.takeLines().last == "send addTrack")
        session.take(.leave)
        let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
        #expect(error?.code == .providerLost)
    }

    @Test func ourNameIsSettledByTheServersWord() {
        var session = session()
        let (ok, refused, shown, silent) = (
            session.ask(.changeProfile(.name("Ada"))), session.ask(.changeProfile(.metadata("m"))),
            session.ask(.changeProfile(.attributes(["a": "1"]))), session.ask(.changeProfile(.name("Bob")))
        )
        let numbers = session.sent("updateMetadata").map(\.updateMetadata.requestID)
        #expect(numbers == [1, 2, 3, 4])
        session.say { $0.requestResponse = .with { ($0.requestID, $0.reason) = (1, .ok) } }
        session.say { $0.requestResponse = .with { ($0.requestID, $0.reason) = (2, .limitExceeded) } }
        session.say {
            $0.update.participants = [
                .with {
                    ($0.sid, $0.version) = ("PA_me", 1)
                    $0.attributes = ["a": "1"]
                }
            ]
        }
        session.pass(seconds: 5)
        #expect([ok, shown].allSatisfy { (try? session.answers[$0]?.get()) != nil })
        for (id, words) in [(refused, "limit"), (silent, "within 5 s")] {
            let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
            #expect(error?.message.contains(words) == true)
        }
    }
}
