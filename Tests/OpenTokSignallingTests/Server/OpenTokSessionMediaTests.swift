import Testing

@testable import OpenTokSignalling

/// Streams, subscribers and descriptions, routed and relayed.
@Suite struct OpenTokSessionMediaTests {
    private static func called(_ mode: MediaMode) -> SessionStage {
        var stage = SessionStage(mode)
        stage.join("p")
        stage.join("u")
        stage.publish("s", by: "p")
        stage.subscribe("u", to: "s", as: "x")
        return stage
    }

    private static let subscriber = RaptorPeer.subscriber(stream: "s", id: "x")

    // MARK: Relayed

    @Test func relayedTheSubscribersWishBecomesThePublishersOffer() {
        var stage = Self.called(.relayed)
        #expect(stage.take("p").summary == ["+c u", "+s s", "generateoffer stream/s/subscriber/x"])
        #expect(stage.senders["p"] == .some("u"))
        #expect(stage.takeCommands().isEmpty)
        stage.forget()
        stage.ask("p", .negotiate(Self.subscriber, .offer(sdp: "v=0")))
        #expect(stage.take("u") == [.negotiate(Self.subscriber, .offer(sdp: "v=0"))])
        #expect(stage.senders["u"] == .some("p"))
        stage.ask("u", .negotiate(Self.subscriber, .answer(sdp: "v=1")))
        stage.ask("u", .negotiate(Self.subscriber, .candidate(RaptorCandidate(candidate: "c"))))
        #expect(stage.take("p").summary == ["answer stream/s/subscriber/x", "candidate stream/s/subscriber/x"])
        #expect(stage.takeCommands().isEmpty)
    }

    @Test func relayedThePublisherHearsOfASubscriberThatIsGone() {
        var stage = Self.called(.relayed)
        stage.forget()
        #expect(stage.ask("u", .unsubscribe(stream: "s", subscriber: "x")) == .done)
        #expect(stage.take("p").summary == ["-u s x"])
        stage.subscribe("u", to: "s", as: "y")
        stage.forget()
        stage.leave("u", .networkDisconnected)
        #expect(stage.take("p").summary == ["-u s y", "-c u networkDisconnected"])
    }

    @Test func relayedThePublisherIsToldWhatASubscriberWants() {
        var stage = Self.called(.relayed)
        stage.forget()
        let wish = RaptorSubscriberPreferences(isActive: false)
        stage.ask("u", .updateSubscriber(stream: "s", subscriber: "x", channel: "video1", wish))
        #expect(stage.take("p").summary == ["~u s x video1 false"])
    }

    @Test func relayedDescriptionsAreForTheTwoAlone() {
        var stage = Self.called(.relayed)
        stage.join("e", .moderator)
        stage.forget()
        #expect(stage.ask("e", .negotiate(Self.subscriber, .answer(sdp: "v"))) == .refused(.forbidden))
        #expect(stage.ask("p", .negotiate(.stream("s"), .offer(sdp: "v"))) == .refused(.conflict))
        #expect(stage.take("p").isEmpty && stage.take("u").isEmpty)
    }

    // MARK: Routed

    @Test func routedTheRouterNegotiatesWithEach() {
        var stage = Self.called(.routed)
        #expect(stage.take("p").summary == ["+c u", "+s s", "generateoffer stream/s"])
        #expect(stage.takeCommands() == [.publish(stream: "s"), .subscribe(stream: "s", subscriber: "x")])
        stage.forget()
        #expect(stage.ask("p", .negotiate(.stream("s"), .offer(sdp: "v"))) == .done)
        #expect(stage.ask("u", .negotiate(Self.subscriber, .answer(sdp: "w"))) == .done)
        #expect(
            stage.takeCommands() == [
                .negotiate(.stream("s"), .offer(sdp: "v")), .negotiate(Self.subscriber, .answer(sdp: "w")),
            ])
        #expect(stage.take("p").isEmpty && stage.take("u").isEmpty)
        stage.change { $0.routerSays(.answer(sdp: "a"), to: .stream("s"), into: &$1) }
        stage.change { $0.routerSays(.offer(sdp: "o"), to: Self.subscriber, into: &$1) }
        #expect(stage.take("p") == [.negotiate(.stream("s"), .answer(sdp: "a"))])
        #expect(stage.take("u") == [.negotiate(Self.subscriber, .offer(sdp: "o"))])
        #expect(stage.senders["u"] == .some(nil))
    }

    @Test func routedNobodySpeaksForAnother() {
        var stage = Self.called(.routed)
        stage.join("e", .moderator)
        stage.forget()
        #expect(stage.ask("u", .negotiate(.stream("s"), .offer(sdp: "v"))) == .refused(.forbidden))
        #expect(stage.ask("p", .negotiate(Self.subscriber, .answer(sdp: "v"))) == .refused(.forbidden))
        #expect(stage.ask("e", .unsubscribe(stream: "s", subscriber: "x")) == .refused(.forbidden))
        let off = RaptorChannelProperties(isActive: false)
        #expect(stage.ask("e", .updateStream(stream: "s", channel: "video1", off)) == .refused(.forbidden))
        let wish = RaptorSubscriberPreferences(isActive: false)
        let update = RaptorRequest.updateSubscriber(stream: "s", subscriber: "x", channel: "video1", wish)
        #expect(stage.ask("p", update) == .refused(.forbidden))
        #expect(stage.takeCommands().isEmpty)
    }

    @Test func whatIsNotThereIsNotFound() {
        var stage = Self.called(.routed)
        let off = RaptorChannelProperties(isActive: false)
        let wish = RaptorSubscriberPreferences(isActive: false)
        let requests: [RaptorRequest] = [
            .unpublish(stream: "z"), .updateStream(stream: "z", channel: "video1", off),
            .updateStream(stream: "s", channel: "z", off), .subscribe(stream: "z", RaptorSubscriber(id: "q")),
            .unsubscribe(stream: "z", subscriber: "x"), .unsubscribe(stream: "s", subscriber: "z"),
            .updateSubscriber(stream: "s", subscriber: "z", channel: "video1", wish),
            .negotiate(.stream("z"), .offer(sdp: "")), .negotiate(.subscriber(stream: "s", id: "z"), .generateOffer),
        ]
        for request in requests {
            #expect(stage.ask("p", request) == .refused(.notFound), "\(request)")
        }
        #expect(stage.ask("p", .publish(RaptorStream(id: "e", channels: []))) == .refused(.invalid))
    }

    @Test func routedWishesReachTheRouter() {
        var stage = SessionStage()
        stage.join("p")
        stage.join("u")
        stage.publish("s", by: "p")
        stage.forget()
        let wish = RaptorSubscriberPreferences(preferredWidth: 320, preferredHeight: 180)
        let subscriber = RaptorSubscriber(id: "x", channels: [.init(id: "video1", wish), .init(id: "none", wish)])
        stage.ask("u", .subscribe(stream: "s", subscriber))
        let off = RaptorSubscriberPreferences(isActive: false)
        stage.ask("u", .updateSubscriber(stream: "s", subscriber: "x", channel: "audio1", off))
        #expect(
            stage.takeCommands() == [
                .subscribe(stream: "s", subscriber: "x"), .prefer(stream: "s", subscriber: "x", .video, wish),
                .prefer(stream: "s", subscriber: "x", .audio, off),
            ])
    }

    @Test func aPublishersChangeIsToldAndKept() {
        var stage = Self.called(.routed)
        stage.forget()
        let off = RaptorChannelProperties(isActive: false)
        let size = RaptorChannelProperties(width: 640, height: 360)
        stage.ask("p", .updateStream(stream: "s", channel: "video1", off))
        stage.ask("p", .updateStream(stream: "s", channel: "video1", size))
        #expect(stage.take("u").summary == ["~s s video1 false", "~s s video1 -"])
        #expect(stage.takeCommands() == [.setChannel(stream: "s", .video, isActive: false)])
        #expect(stage.session.isMuted(.video, of: "s"))
        #expect(stage.session.videoSize(of: "s").map { [$0.width, $0.height] } == [640, 360])
    }

    @Test func theFallbackIsToldToTheOneAlone() {
        var stage = Self.called(.routed)
        stage.join("v")
        stage.subscribe("v", to: "s", as: "y")
        stage.forget()
        for change in [VideoFallbackChange.warned(true), .disabled(true), .warned(false), .disabled(false)] {
            stage.change { $0.videoChanged(change, stream: "s", subscriber: "x", into: &$1) }
        }
        let events = stage.take("u")
        #expect(events.summary == ["~s s video1 -", "~u s x video1 false", "~s s video1 -", "~u s x video1 true"])
        guard case .streamUpdated(_, _, let warning)? = events.first else { return }
        #expect(warning.hasDisableWarning == true)
        #expect(stage.take("v").isEmpty && stage.take("p").isEmpty)
    }

    @Test func subscribersGoWithTheirStream() {
        var stage = Self.called(.routed)
        stage.forget()
        stage.ask("p", .unpublish(stream: "s"))
        #expect(stage.take("u").summary == ["-s s clientDisconnected"])
        #expect(stage.take("p").summary == ["-s s clientDisconnected"])
        #expect(stage.takeCommands() == [.endStream("s")])
        stage.leave("u")
        #expect(stage.takeCommands().isEmpty)
    }
}
