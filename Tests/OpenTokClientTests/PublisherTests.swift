import OpenTokSignalling
import RTCWire
import Testing

@testable import OpenTokClient

@Suite struct PublisherTests {
    /// A stream that the server has taken and the router has connected.
    private func publishing(_ stage: inout ClientStage, _ stream: RaptorStream = .both("s")) {
        stage.command(.publish(stream), 1)
        var created = stream
        created.connection = "me"
        stage.tell(.streamCreated(created))
        stage.tell(.negotiate(.stream(stream.id), .generateOffer))
        stage.tell(.negotiate(.stream(stream.id), .answer(sdp: "yes")))
    }

    @Test func aRoutedStreamIsCreatedWhenItsConnectionStands() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.command(.publish(.both("s")), 1)
        var created = RaptorStream.both("s", of: "me")
        stage.tell(.streamCreated(created))
        #expect(stage.takeEvents().isEmpty, "not before media is connected")
        stage.tell(.negotiate(.stream("s"), .generateOffer))
        #expect(stage.requests.last == .negotiate(.stream("s"), .offer(sdp: "offer")))
        stage.tell(.negotiate(.stream("s"), .answer(sdp: "yes")))
        let outputs = stage.takeOutputs()
        #expect(outputs.compactMap(\.peerSummary) == ["s: send s 0", "s: offer", "s: set yes"])
        #expect(outputs.compactMap(\.summary) == ["publisher s created", "done 1"])
        created.name = "again"
        stage.tell(.streamCreated(created))
        #expect(stage.takeEvents().isEmpty, "the session reports streams of others alone")
    }

    @Test func aRelayedStreamHasAConnectionForEachSubscriber() throws {
        var stage = try ClientStage.joined(.relayed)
        _ = stage.takeEvents()
        stage.command(.publish(.both("s")), 1)
        stage.tell(.streamCreated(.both("s", of: "me")))
        #expect(stage.takeEvents() == ["publisher s created", "done 1"], "there may be nobody to connect with")
        for id in ["x", "y"] { stage.tell(.negotiate(.subscriber(stream: "s", id: id), .generateOffer), from: id) }
        stage.tell(.negotiate(.subscriber(stream: "s", id: "y"), .answer(sdp: "yes")), from: "y")
        stage.tell(.subscriberDeleted(stream: "s", subscriber: "x"))
        let outputs = stage.takeOutputs()
        #expect(
            outputs.compactMap(\.peerSummary) == [
                "s<x: send s 0", "s<x: offer", "s<y: send s 0", "s<y: offer", "s<y: set yes", "s<x: close",
            ])
        #expect(outputs.compactMap(\.summary) == ["publisher s subscribed"])
    }

    @Test func candidatesWaitForTheDescriptionThatTheyBelongTo() throws {
        var stage = try ClientStage.joined()
        stage.hasMedia = false
        stage.command(.publish(.sound("s")), 1)
        stage.tell(.negotiate(.stream("s"), .generateOffer))
        stage.handle(.peer(.candidate(RaptorCandidate(candidate: "mine")), .stream("s")))
        stage.tell(.negotiate(.stream("s"), .candidate(RaptorCandidate(candidate: "theirs"))))
        #expect(!stage.requests.contains { if case .negotiate = $0 { true } else { false } })
        stage.handle(.peer(.offerMade(sdp: "o"), .stream("s")))
        #expect(
            stage.takeRequests().suffix(2) == [
                .negotiate(.stream("s"), .offer(sdp: "o")),
                .negotiate(.stream("s"), .candidate(RaptorCandidate(candidate: "mine"))),
            ])
        stage.tell(.negotiate(.stream("s"), .answer(sdp: "a")))
        #expect(
            stage.takeOutputs().compactMap(\.peerSummary) == [
                "s: send s 0", "s: offer", "s: set a", "s: candidate theirs",
            ])
    }

    @Test func aStreamThatTheServerRefusesIsNone() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.answering = { if case .publish = $0 { .refused(.tooMany) } else { .done } }
        stage.command(.publish(.both("s")), 1)
        #expect(stage.takeEvents() == ["failed 1 1500"])
        stage.tell(.streamCreated(.both("s", of: "me")))
        stage.tell(.negotiate(.stream("s"), .generateOffer))
        #expect(stage.takeOutputs().isEmpty)
    }

    @Test func mediaThatDoesNotConnectInTimeEndsTheAttempt() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.hasMedia = false
        stage.command(.publish(.both("s")), 1)
        stage.tell(.negotiate(.stream("s"), .generateOffer))
        stage.run(.seconds(19))
        #expect(stage.takeEvents().isEmpty)
        stage.run(.seconds(2))
        #expect(stage.takeEvents() == ["failed 1 1500"])
        #expect(stage.requests.last == .unpublish(stream: "s"))
    }

    @Test(arguments: [RaptorReason.forceUnpublished, .mediaStopped, .networkDisconnected])
    func aStreamThatIsTakenAwayIsDestroyedOnce(_ reason: RaptorReason) throws {
        var stage = try ClientStage.joined()
        publishing(&stage)
        _ = stage.takeOutputs()
        stage.tell(.streamDeleted(id: "s", reason))
        stage.tell(.streamDeleted(id: "s", reason))
        let outputs = stage.takeOutputs()
        #expect(outputs.compactMap(\.summary) == ["publisher s destroyed \(reason.rawValue)"])
        #expect(outputs.compactMap(\.peerSummary) == ["s: close"])
    }

    @Test func whatIsTakenBackIsNotReportedAsDestroyed() throws {
        var stage = try ClientStage.joined()
        publishing(&stage)
        _ = stage.takeOutputs()
        stage.command(.unpublish(stream: "s"), 2)
        stage.tell(.streamDeleted(id: "s", .clientDisconnected))
        let outputs = stage.takeOutputs()
        #expect(outputs.compactMap(\.summary) == ["done 2"])
        #expect(outputs.compactMap(\.peerSummary) == ["s: close"])
        stage.command(.unpublish(stream: "s"), 3)
        #expect(stage.takeEvents() == ["failed 3 1113"])
    }

    @Test func channelsAreSwitchedForEverybody() throws {
        var stage = try ClientStage.joined()
        publishing(&stage)
        _ = stage.takeOutputs()
        _ = stage.takeRequests()
        stage.command(.setActive(false, stream: "s", channel: "video1"), 2)
        #expect(stage.takeEvents() == ["active false s/video1", "done 2"])
        #expect(
            stage.requests == [.updateStream(stream: "s", channel: "video1", RaptorChannelProperties(isActive: false))])
        stage.command(.setActive(false, stream: "s", channel: "video2"), 3)
        #expect(stage.takeEvents() == ["failed 3 1113"])
    }

    @Test func aLostPathIsLookedForAnewAFewTimes() throws {
        var stage = try ClientStage.joined()
        publishing(&stage)
        _ = stage.takeOutputs()
        stage.hasMedia = false
        stage.handle(.peer(.disconnected, .stream("s")))
        #expect(stage.takeEvents() == ["reconnecting"])
        stage.handle(.peer(.failed("silent"), .stream("s")))
        #expect(stage.takeOutputs().compactMap(\.peerSummary) == ["s: restart"])
        stage.handle(.peer(.offerMade(sdp: "again"), .stream("s")))
        stage.tell(.negotiate(.stream("s"), .answer(sdp: "yes")))
        stage.handle(.peer(.connected, .stream("s")))
        #expect(stage.takeEvents() == ["reconnected"])
        for _ in 0...3 { stage.handle(.peer(.failed("silent"), .stream("s"))) }
        #expect(stage.takeEvents() == ["reconnecting", "publisher s destroyed mediaStopped", "reconnected"])
        #expect(stage.machine.publishers["s"] == nil)
    }

    // MARK: Force mute

    @Test func forceMuteStopsTheSoundOfLaterStreamsToo() throws {
        var stage = try ClientStage.joined()
        publishing(&stage)
        publishing(&stage, .both("t"))
        _ = stage.takeOutputs()
        _ = stage.takeRequests()
        stage.tell(.muteForced(ForceMute(isActive: true, excludedStreams: ["t"])))
        #expect(stage.takeEvents() == ["muteForced true", "active false s/audio1", "publisher s muted audio1"])
        #expect(
            stage.takeRequests() == [
                .updateStream(stream: "s", channel: "audio1", RaptorChannelProperties(isActive: false))
            ])
        stage.command(.publish(.both("u")), 4)
        #expect(stage.takeEvents() == ["active false u/audio1", "publisher u muted audio1"])
        guard case .publish(let sent)? = stage.takeRequests().first else {
            Issue.record("nothing is published")
            return
        }
        #expect(sent.channels.map(\.properties.isActive) == [false, true])
        stage.tell(.muteForced(ForceMute(isActive: false)))
        stage.command(.publish(.both("v")), 5)
        #expect(stage.takeEvents() == ["muteForced false"], "what is muted stays so, what comes now is not")
    }

    @Test func aMutedStreamIsMutedOnceAndMaySoundAgain() throws {
        var stage = try ClientStage.joined()
        publishing(&stage)
        _ = stage.takeOutputs()
        stage.tell(.streamMuted("s"))
        stage.tell(.streamMuted("s"))
        #expect(stage.takeEvents() == ["active false s/audio1", "publisher s muted audio1"])
        stage.command(.setActive(true, stream: "s", channel: "audio1"), 2)
        #expect(stage.takeEvents() == ["active true s/audio1", "done 2"])
        stage.tell(.streamMuted("s"))
        #expect(stage.takeEvents().count == 2)
    }
}
