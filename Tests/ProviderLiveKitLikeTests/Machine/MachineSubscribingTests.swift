import CallBridge
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// What we receive: wishes, and what the server says of others.
@Suite struct MachineSubscribingTests {
    /// Somebody with a camera.
    static let ada = Livekit_ParticipantInfo.with {
        ($0.sid, $0.identity, $0.version) = ("PA_ada", "ada", 1)
        $0.tracks = [
            .with {
                ($0.sid, $0.type, $0.width, $0.height) = ("TR_ada", .video, 1280, 720)
            }
        ]
    }

    private func session(adaptive: Bool = false) -> MachineHarness {
        var settings = SignallingSettings()
        settings.streaming.adaptiveStream = adaptive
        var session = MachineHarness(settings: settings) { $0.otherParticipants = [Self.ada] }
        session.answerOffer()
        _ = session.takeLines()
        return session
    }

    @Test func aWishIsSaidOnce() {
        var session = session()
        session.ask(.setTrackSettings(TrackSettings(quality: .low), trackID: "TR_ada"))
        session.ask(.setTrackSettings(TrackSettings(quality: .low), trackID: "TR_ada"))
        session.ask(.setSubscribed(false, trackID: "TR_ada"))
        #expect(
            session.takeLines() == [
                "send trackSetting", "settle 1 done", "settle 2 done", "send subscription", "settle 3 done",
            ])
        #expect(session.sent("trackSetting").last?.trackSetting.quality == .low)
        #expect(session.sent("subscription").last?.subscription.participantTracks.first?.participantSid == "PA_ada")
    }

    @Test func aLayoutNeedsAdaptiveStreaming() {
        var session = session(adaptive: true)
        session.ask(.setVideoLayout(.visible(.init(width: 320, height: 180)), trackID: "TR_ada"))
        #expect(session.sent("trackSetting").last?.trackSetting.width == 320)
        session.ask(.setVideoLayout(.hidden, trackID: "TR_ada"))
        #expect(session.sent("trackSetting").last?.trackSetting.disabled == true)
        var without = self.session()
        let refused = without.ask(.setVideoLayout(.hidden, trackID: "TR_ada"))
        #expect(throws: CallError.self) { try without.answers[refused]?.get() }
    }

    @Test func aTrackOfNobodyIsRefused() {
        var session = session()
        for command: SignallingCommand in [
            .setSubscribed(true, trackID: "TR_none"), .setTrackSettings(.init(), trackID: "TR_none"),
            .unpublish(trackID: "TR_none"), .setMuted(true, trackID: "TR_none"),
        ] {
            let id = session.ask(command)
            let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
            #expect(error?.message.contains("TR_none") == true)
        }
        #expect(session.takeLines().filter { $0.hasPrefix("send") } == [])
    }

    /// Media that comes before its owner is known waits for the name.
    @Test func mediaIsNamedWhenItsOwnerIsKnown() {
        var session = session()
        let track = RemoteTrack(kind: .audio, mid: "7", streamID: "PA_bob|TR_bob", trackID: "x")
        session.media(.event(.trackAdded(track), .publisher))
        #expect(session.takeLines() == [])
        session.say {
            $0.update.participants = [
                .with {
                    $0.sid = "PA_bob"
                    $0.tracks = [.with { $0.sid = "TR_bob" }]
                }
            ]
        }
        #expect(session.takeLines() == ["report participantJoined", "report trackSubscribed"])
        session.media(.event(.trackRemoved(track), .publisher))
        #expect(session.takeLines() == ["report trackUnsubscribed"])
    }

    /// Where listeners don't matter, they are not kept; who publishes is, to the end.
    @Test func listenersAreLeftOutWhereNobodyAsksForThem() {
        var settings = SignallingSettings()
        settings.knowsListeners = false
        var session = MachineHarness(settings: settings) {
            $0.otherParticipants = [Self.ada, .with { ($0.sid, $0.identity) = ("PA_eve", "eve") }]
        }
        session.answerOffer()
        #expect(session.takeLines().filter { $0 == "report participantJoined" }.count == 1)
        #expect(session.machine.roster.contains(identity: "ada") && !session.machine.roster.contains(identity: "eve"))
        session.say { $0.update.participants = [.with { ($0.sid, $0.identity, $0.version) = ("PA_eve", "eve", 2) }] }
        #expect(session.takeLines() == [])
        var silent = Self.ada
        (silent.version, silent.tracks) = (2, [])
        session.say { $0.update.participants = [silent] }
        #expect(session.takeLines() == ["report trackUnpublished"])
        silent.state = .disconnected
        session.say { $0.update.participants = [silent] }
        #expect(session.takeLines() == ["report participantLeft"])
    }

    @Test func whatTheServerSaysOfOthersIsTold() {
        var session = session()
        session.say { $0.speakersChanged.speakers = [.with { ($0.sid, $0.active, $0.level) = ("PA_ada", true, 0.5) }] }
        session.say { $0.connectionQuality.updates = [.with { $0.participantSid = "PA_me" }] }
        session.say { $0.streamStateUpdate.streamStates = [.with { ($0.trackSid, $0.state) = ("TR_ada", .paused) }] }
        session.say { $0.subscriptionPermissionUpdate.trackSid = "TR_ada" }
        session.say { $0.subscriptionResponse = .with { ($0.trackSid, $0.err) = ("TR_ada", .seTrackNotfound) } }
        session.say { $0.subscriptionResponse = .with { ($0.trackSid, $0.err) = ("TR_none", .seTrackNotfound) } }
        session.say { $0.roomUpdate.room.name = "another" }
        #expect(
            session.takeLines() == [
                "report speakersChanged", "report connectionQuality", "report streamPaused",
                "report subscriptionPermission", "report subscriptionFailed", "report roomUpdated",
            ])
    }
}
