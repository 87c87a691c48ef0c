import OpenTokSignalling
import RTCWire
import Testing

@testable import OpenTokClient

@Suite struct SubscriberTests {
    /// Somebody publishes a stream.
    private func appear(_ stage: inout ClientStage, _ stream: String = "s", of connection: String = "a") {
        stage.tell(.connectionCreated(.other(connection)))
        stage.tell(.streamCreated(.both(stream, of: connection)))
    }

    /// The connection that the latest request to subscribe is for.
    private func peer(_ stage: ClientStage) throws -> RaptorPeer {
        let requests = stage.requests.compactMap { request -> RaptorPeer? in
            if case .subscribe(let stream, let subscriber) = request {
                .subscriber(stream: stream, id: subscriber.id)
            } else {
                nil
            }
        }
        return try #require(requests.last)
    }

    @Test func streamsAreSubscribedToAsTheyAppear() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        appear(&stage)
        let peer = try peer(stage)
        stage.tell(.negotiate(peer, .candidate(RaptorCandidate(candidate: "early"))))
        #expect(stage.takeOutputs().compactMap(\.peerSummary).isEmpty, "a candidate may come before the offer")
        stage.tell(.negotiate(peer, .offer(sdp: "o")))
        let outputs = stage.takeOutputs()
        #expect(
            outputs.compactMap(\.peerSummary).map { $0.split(separator: ": ").last } == [
                "receive 0", "answer o", "candidate early",
            ])
        #expect(outputs.compactMap(\.summary) == ["subscriber s +audio1", "subscriber s +video1"])
        #expect(stage.requests.last == .negotiate(peer, .answer(sdp: "answer")))
    }

    @Test func whoMayNotSubscribeDoesNot() throws {
        var stage = try ClientStage.joined(role: .publisherOnly)
        appear(&stage)
        #expect(stage.requests.isEmpty)
        stage.command(.setSubscribed(true, stream: "s", channel: "audio1"), 3)
        #expect(stage.takeEvents().last == "failed 3 1501")
    }

    @Test func channelsAreChosenOneByOne() throws {
        var stage = try ClientStage.joined(automatic: false)
        appear(&stage)
        _ = stage.takeEvents()
        stage.command(.setSubscribed(true, stream: "s", channel: "audio1"), 1)
        let peer = try peer(stage)
        guard case .subscribe(_, let subscriber)? = stage.takeRequests().first else { return }
        #expect(subscriber.channels == [.init(id: "video1", .init(isActive: false))], "what is not wanted is not sent")
        stage.tell(.negotiate(peer, .offer(sdp: "o")))
        #expect(stage.takeEvents() == ["done 1", "subscriber s +audio1"])
        stage.command(.setSubscribed(true, stream: "s", channel: "video1"), 2)
        #expect(stage.takeEvents() == ["subscriber s +video1", "done 2"])
        stage.command(.setSubscribed(false, stream: "s", channel: "audio1"), 3)
        #expect(stage.takeEvents() == ["subscriber s -audio1", "done 3"])
        stage.command(.setSubscribed(false, stream: "s", channel: "video1"), 4)
        let outputs = stage.takeOutputs()
        #expect(outputs.compactMap(\.summary) == ["subscriber s -video1", "done 4"])
        #expect(outputs.compactMap(\.peerSummary).count == 1, "nothing is wanted: the connection is closed")
        guard case .unsubscribe? = stage.requests.last else {
            Issue.record("the server does not learn of it: \(stage.requests)")
            return
        }
    }

    @Test func aStreamThatEndsTakesItsSubscriptionAlong() throws {
        var stage = try ClientStage.joined()
        appear(&stage)
        let peer = try peer(stage)
        stage.tell(.negotiate(peer, .offer(sdp: "o")))
        _ = stage.takeOutputs()
        stage.tell(.streamDeleted(id: "s", .forceUnpublished))
        stage.tell(.negotiate(peer, .offer(sdp: "late")))
        stage.handle(.peer(.mediaEnded(.audio), peer))
        let outputs = stage.takeOutputs()
        #expect(
            outputs.compactMap(\.summary) == [
                "subscriber s -audio1", "subscriber s -video1", "-s s forceUnpublished",
            ])
        #expect(outputs.compactMap(\.peerSummary).count == 1)
    }

    @Test(arguments: [
        (OpenTokServerConnection.Refusal.notFound, 1604), (.tooMany, 1605), (.forbidden, 1501), (.invalid, 1501),
    ])
    func aRefusedSubscriptionSaysWhy(_ refusal: OpenTokServerConnection.Refusal, _ code: Int) throws {
        var stage = try ClientStage.joined(automatic: false)
        appear(&stage)
        _ = stage.takeEvents()
        stage.answering = { if case .subscribe = $0 { .refused(refusal) } else { .done } }
        stage.command(.setSubscribed(true, stream: "s", channel: "audio1"), 5)
        #expect(stage.takeEvents() == ["failed 5 \(code)", "subscriber s failed \(code)"])
    }

    @Test func mediaThatNeverComesIsAskedForAnewAndThenGivenUp() throws {
        var stage = try ClientStage.joined()
        stage.hasMedia = false
        appear(&stage)
        _ = stage.takeOutputs()
        stage.run(.seconds(61))
        let subscribers = stage.requests.compactMap { request -> String? in
            if case .subscribe(_, let subscriber) = request { subscriber.id } else { nil }
        }
        #expect(subscribers.count == 3 && Set(subscribers).count == 3, "each attempt is another subscriber")
        #expect(stage.takeEvents() == ["subscriber s failed 1542"])
        #expect(stage.machine.peers.states.isEmpty)
    }

    @Test func aFailedPathIsRepairedByTheServerOrReplaced() throws {
        var stage = try ClientStage.joined()
        appear(&stage)
        let first = try peer(stage)
        stage.tell(.negotiate(first, .offer(sdp: "o")))
        _ = stage.takeOutputs()
        stage.handle(.peer(.disconnected, first))
        stage.handle(.peer(.failed("silent"), first))
        #expect(stage.takeEvents() == ["reconnecting"])
        #expect(stage.requests.last == .negotiate(first, .generateOffer))
        stage.run(.seconds(6))
        let second = try peer(stage)
        #expect(second != first)
        #expect(stage.takeEvents() == ["subscriber s -audio1", "subscriber s -video1"], "the loss goes on")
        stage.tell(.negotiate(second, .offer(sdp: "o")))
        #expect(stage.takeEvents() == ["subscriber s +audio1", "subscriber s +video1", "reconnected"])
    }

    @Test func inARelayedSessionTheOtherSideMayBeTheOneThatIsLost() throws {
        var stage = try ClientStage.joined(.relayed)
        appear(&stage, "s", of: "a")
        let first = try peer(stage)
        appear(&stage, "t", of: "b")
        let second = try peer(stage)
        for peer in [first, second] { stage.tell(.negotiate(peer, .offer(sdp: "o"))) }
        _ = stage.takeOutputs()
        stage.handle(.peer(.disconnected, first))
        #expect(stage.takeEvents().isEmpty)
        stage.handle(.peer(.disconnected, second))
        #expect(stage.takeEvents() == ["reconnecting"])
        stage.handle(.peer(.connected, first))
        #expect(stage.takeEvents() == ["reconnected"])
    }

    // MARK: Video

    @Test func videoIsDisabledBehindAWarningAndEnabledByItself() throws {
        var stage = try ClientStage.joined()
        appear(&stage)
        guard case .subscriber(_, let id) = try peer(stage) else { return }
        _ = stage.takeOutputs()
        var warning = RaptorChannelProperties()
        warning.hasDisableWarning = true
        stage.tell(.streamUpdated(stream: "s", channel: "video1", warning))
        func set(_ isActive: Bool, _ channel: String = "video1") {
            stage.tell(
                .subscriberUpdated(stream: "s", subscriber: id, channel: channel, .init(isActive: isActive)))
        }
        set(true)
        set(false)
        set(false)
        set(true)
        set(true)
        #expect(
            stage.takeEvents() == ["subscriber s disableWarning", "subscriber s disabled", "subscriber s enabled"])
        set(false)
        #expect(
            stage.takeEvents() == ["subscriber s disableWarning", "subscriber s disabled"], "never without a warning")
        set(false, "audio1")
        #expect(stage.takeEvents().isEmpty)
    }

    @Test func aLiftedWarningIsNoChangeOfTheVideo() {
        var video = VideoStanding()
        #expect(video.warn(false).isEmpty)
        #expect(video.warn(true) == [.disableWarning])
        #expect(video.warn(true).isEmpty)
        #expect(video.warn(false) == [.disableWarningLifted])
        #expect(video.setActive(true).isEmpty)
        #expect(video.setActive(false) == [.disableWarning, .disabled])
        #expect(video.warn(false).isEmpty && video.isDisabled, "while it is disabled a warning means nothing")
        #expect(video.setActive(true) == [.enabled])
    }

    @Test func whatAPublisherSwitchesIsToldOnce() throws {
        var stage = try ClientStage.joined(automatic: false)
        appear(&stage)
        _ = stage.takeEvents()
        for isActive in [false, false, true] {
            stage.tell(.streamUpdated(stream: "s", channel: "video1", .init(isActive: isActive)))
        }
        stage.tell(.streamUpdated(stream: "s", channel: "video1", .init(width: 320, height: 180)))
        stage.tell(.streamUpdated(stream: "s", channel: "nothing", .init(isActive: false)))
        #expect(stage.takeEvents() == ["s/video1 active false", "s/video1 active true", "s/video1 changed"])
    }

    @Test func preferencesGoToTheServerAndComeAlongWithALaterSubscription() throws {
        var stage = try ClientStage.joined()
        appear(&stage)
        let peer = try peer(stage)
        stage.tell(.negotiate(peer, .offer(sdp: "o")))
        var wish = RaptorSubscriberPreferences(preferredWidth: 320, preferredHeight: 180)
        wish.preferredFrameRate = 15
        stage.command(.prefer(wish, stream: "s", channel: "video1"), 1)
        guard case .subscriber(_, let id) = peer else { return }
        #expect(stage.requests.last == .updateSubscriber(stream: "s", subscriber: id, channel: "video1", wish))
        stage.handle(.peer(.broken("bad"), peer))
        let again = stage.requests.compactMap { request -> RaptorSubscriber? in
            if case .subscribe(_, let subscriber) = request { subscriber } else { nil }
        }
        #expect(again.last?.channels == [.init(id: "video1", wish)])
        stage.command(.prefer(wish, stream: "nothing", channel: "video1"), 2)
        #expect(stage.takeEvents().last == "failed 2 1112")
    }
}
