import OpenTokSignalling
import RTCWire
import Testing

@testable import OpenTokClient

/// What subscribers of relayed sessions want, which publishers have to know: nobody stands between.
@Suite struct RelayedWishTests {
    private let peer = RaptorPeer.subscriber(stream: "s", id: "b-s1")

    /// Somebody subscribes to a stream of ours.
    private func publishing(_ mode: MediaMode = .relayed) throws -> ClientStage {
        var stage = try ClientStage.joined(mode)
        stage.command(.publish(.both("s")))
        var own = RaptorStream.both("s", of: "me")
        own.creationTime = 1
        stage.tell(.streamCreated(own))
        stage.tell(.negotiate(peer, .generateOffer), from: "b")
        _ = stage.takeOutputs()
        return stage
    }

    private func update(_ channel: String, _ wish: RaptorSubscriberPreferences) -> RaptorEvent {
        .subscriberUpdated(stream: "s", subscriber: "b-s1", channel: channel, wish)
    }

    @Test func aPublisherFollowsItsSubscriber() throws {
        var stage = try publishing()
        stage.tell(update("video1", .init(preferredWidth: 320, preferredHeight: 180)), from: "b")
        stage.tell(update("video1", .init(isActive: false)), from: "b")
        stage.tell(update("audio1", .init(isActive: false)), from: "b")
        #expect(
            stage.takeOutputs().compactMap(\.peerSummary) == [
                "s<b-s1: prefer video1 320x180", "s<b-s1: prefer video1 off", "s<b-s1: prefer audio1 off",
            ])
    }

    @Test func whatConcernsNothingOfOursDoesNothing() throws {
        var stage = try publishing()
        stage.tell(update("video2", .init(isActive: false)), from: "b")
        stage.tell(
            .subscriberUpdated(stream: "s", subscriber: "x", channel: "video1", .init(isActive: false)), from: "b")
        stage.tell(
            .subscriberUpdated(stream: "t", subscriber: "b-s1", channel: "video1", .init(isActive: false)), from: "b")
        #expect(stage.takeOutputs().isEmpty)
        stage.tell(.subscriberDeleted(stream: "s", subscriber: "b-s1"), from: "b")
        #expect(stage.takeOutputs().compactMap(\.peerSummary) == ["s<b-s1: close"])
        stage.tell(update("video1", .init(isActive: false)), from: "b")
        #expect(stage.takeOutputs().isEmpty, "that connection is gone")
    }

    /// A router has answered for everybody: it never asks a publisher for less.
    @Test func aRoutedPublisherTakesNoWishes() throws {
        var stage = try publishing(.routed)
        stage.tell(update("video1", .init(isActive: false)), from: "b")
        #expect(stage.takeOutputs().compactMap(\.peerSummary).isEmpty)
    }

    @Test(arguments: MediaMode.allCases) func aSubscriberSaysWhatItDoesNotWant(_ mode: MediaMode) throws {
        var stage = try ClientStage.joined(mode, automatic: false)
        stage.tell(.connectionCreated(.other("a")))
        stage.tell(.streamCreated(.both("s", of: "a")))
        stage.command(.setSubscribed(true, stream: "s", channel: "audio1"), 1)
        let requests = stage.takeRequests()
        guard case .subscribe("s", let subscriber)? = requests.first else {
            Issue.record("\(requests)")
            return
        }
        #expect(subscriber.channels == [.init(id: "video1", .init(isActive: false))])
        let told = RaptorRequest.updateSubscriber(
            stream: "s", subscriber: subscriber.id, channel: "video1", .init(isActive: false))
        #expect(requests.dropFirst() == (mode == .relayed ? [told] : []), "a router has read it in the request")
    }

    /// Another attempt says anew what was said to the one before.
    @Test func wishesOutliveTheirSubscriber() throws {
        var stage = try ClientStage.joined(.relayed) { $0.limits.attempts = 3 }
        stage.tell(.connectionCreated(.other("a")))
        stage.tell(.streamCreated(.both("s", of: "a")))
        stage.command(.prefer(.init(preferredWidth: 160, preferredHeight: 90), stream: "s", channel: "video1"), 1)
        _ = stage.takeRequests()
        // No offer comes in time.
        stage.run(.seconds(21))
        let words = stage.takeRequests().map { request -> String in
            switch request {
            case .unsubscribe: "unsubscribe"
            case .subscribe(_, let subscriber): "subscribe \(subscriber.channels.map(\.preferences.word))"
            case .updateSubscriber(_, _, let channel, let wish): "\(channel) \(wish.word)"
            default: "\(request)"
            }
        }
        #expect(words == ["unsubscribe", #"subscribe ["160x90"]"#, "video1 160x90"])
    }
}
