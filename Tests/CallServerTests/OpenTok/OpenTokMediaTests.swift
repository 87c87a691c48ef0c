import NIOCore
import OpenTokSignalling
import RTCWire
import SFUCore
import Testing

@testable import CallServer

/// Media of routed sessions on sockets, and the values behind the choice of what a subscriber gets.
@Suite(.timeLimit(.minutes(10))) struct OpenTokMediaTests {
    @Test func routedEachSubscriptionHasItsConnection() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let bob = try await OpenTokTestClient.join(server.port, session, id: "bob")
            let source = try await OpenTokTestMedia.publish(ada)
            let (sound, pictures) = (source.speak(ssrc: 100), source.film(ssrc: 200))
            let first = try await OpenTokTestMedia.subscribe(bob, as: "u1", seed: 2)
            let second = try await OpenTokTestMedia.subscribe(bob, as: "u2", seed: 3)
            await OpenTokTestMedia.receive(first, sounds: 20, pictures: 20)
            await OpenTokTestMedia.receive(second, sounds: 20, pictures: 20)
            let statistics = await server.statistics()
            #expect(statistics.rooms == 1 && statistics.participants == 2 && statistics.packetsForwarded >= 80)

            #expect(try await bob.ask(.unsubscribe(stream: "s", subscriber: "u1")).status == 200)
            #expect(try await ada.ask(.unpublish(stream: "s")).status == 200)
            let reason = try await bob.next { event -> RaptorReason? in
                if case .streamDeleted("s", let reason) = event { reason } else { nil }
            }
            #expect(reason == .clientDisconnected)
            sound.cancel()
            pictures.cancel()
            for media in [source, first, second] { try await media.close() }
        }
    }

    @Test func whoSubscribesBeforeThereIsMediaIsOfferedItLater() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let media = try await MediaTestClient.make(seed: 1)
            try await ada.ask(.publish(OpenTokTestMedia.stream))
            try await ada.ask(.subscribe(stream: "s", RaptorSubscriber(id: "own")))
            try await media.addSender(.audio, cid: "a", ssrc: 100)
            let offer = try await media.offer()
            try await ada.ask(.negotiate(.stream("s"), .offer(sdp: offer)))
            let peer = RaptorPeer.subscriber(stream: "s", id: "own")
            guard case .offer(let sdp) = try await OpenTokTestMedia.step(ada, peer) else {
                Issue.record("no offer")
                return
            }
            #expect(sdp.contains("m=audio") && !sdp.contains("m=video"))
            try await media.close()
        }
    }

    @Test func aDescriptionThatCantBeUsedIsRefused() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            try await ada.ask(.publish(OpenTokTestMedia.stream))
            let peer = RaptorPeer.stream("s")
            for step in [RaptorNegotiation.offer(sdp: "garbage"), .answer(sdp: "v=0"), .generateOffer] {
                #expect(try await ada.ask(.negotiate(peer, step)).status == 400)
            }
            #expect(try await ada.state().streams.map(\.id) == ["s"])
        }
    }

    @Test func relayedNothingPassesThroughTheServer() async throws {
        try await withCallServer { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession(.relayed)
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let bob = try await OpenTokTestClient.join(server.port, session, id: "bob")
            try await ada.ask(.publish(OpenTokTestMedia.stream))
            try await bob.ask(.subscribe(stream: "s", RaptorSubscriber(id: "u")))
            let peer = RaptorPeer.subscriber(stream: "s", id: "u")
            #expect(try await OpenTokTestMedia.step(ada, peer) == .generateOffer)
            try await ada.ask(.negotiate(peer, .offer(sdp: "one")))
            #expect(try await OpenTokTestMedia.step(bob, peer) == .offer(sdp: "one"))
            try await bob.ask(.negotiate(peer, .answer(sdp: "two")))
            #expect(try await OpenTokTestMedia.step(ada, peer) == .answer(sdp: "two"))
            let statistics = await server.statistics()
            #expect(statistics.datagrams.received == 0 && statistics.datagrams.sent == 0)
        }
    }
}

@Suite struct VideoFallbackTests {
    /// What is told, by the second at which it is; the link is starved in these seconds.
    private func run(starved: ClosedRange<Double>, until end: Double) -> [String] {
        var fallback = VideoFallback()
        var told: [String] = []
        for tick in 0...Int(end * 4) {
            let time = Double(tick) / 4
            let now = Instant.zero + .milliseconds(Int(time * 1000))
            for change in fallback.update(isStarved: starved.contains(time), now: now) {
                told.append("\(time) \(change)")
            }
            let isOff = told.last { $0.contains("paused") }?.hasSuffix("(true)") ?? false
            #expect(fallback.isPaused == isOff)
        }
        return told
    }

    @Test func videoGoesBehindAWarningAndComesBack() {
        #expect(
            run(starved: 1...8, until: 20) == [
                "1.0 warned(true)", "3.0 paused(true)", "10.25 warned(false)", "10.25 paused(false)",
            ])
    }

    @Test func aShortWantIsWarnedOfAlone() {
        #expect(run(starved: 1...2, until: 10) == ["1.0 warned(true)", "4.0 warned(false)"])
    }

    @Test func aLinkThatBearsItIsLeftAlone() { #expect(run(starved: 100...101, until: 10).isEmpty) }

    struct Case: CustomTestStringConvertible {
        var wanted: (Int?, Int?)
        var top: Int?
        var layer: Int
        var testDescription: String { "\(wanted) of \(top ?? -1)" }
    }

    @Test(arguments: [
        Case(wanted: (320, 180), top: 2, layer: 0), Case(wanted: (321, 180), top: 2, layer: 1),
        Case(wanted: (640, 360), top: 2, layer: 1), Case(wanted: (1280, 720), top: 2, layer: 2),
        Case(wanted: (4000, 4000), top: 2, layer: 2), Case(wanted: (640, nil), top: 1, layer: 0),
        Case(wanted: (nil, 361), top: 1, layer: 1), Case(wanted: (320, 180), top: 0, layer: 2),
        Case(wanted: (320, 180), top: nil, layer: 2), Case(wanted: (0, 0), top: 2, layer: 2),
        Case(wanted: (nil, nil), top: 2, layer: 2),
    ])
    func theSmallestLayerThatIsLargeEnoughIsSent(one: Case) {
        let preferences = RaptorSubscriberPreferences(preferredWidth: one.wanted.0, preferredHeight: one.wanted.1)
        let wish = VideoWish(preferences, size: (1280, 720), topLayer: one.top)
        #expect(wish.layer == one.layer && !wish.isPaused && wish.frameRate == nil)
        #expect(VideoWish(preferences, size: nil, topLayer: one.top).layer == 2)
    }

    @Test func picturesASecondAreRestricted() {
        var preferences = RaptorSubscriberPreferences(isActive: false)
        preferences.preferredFrameRate = 7.5
        var wish = VideoWish(preferences, size: nil, topLayer: nil)
        #expect(wish.isPaused && wish.frameRate == 8)
        preferences.restrictsFrameRate = true
        wish = VideoWish(preferences, size: nil, topLayer: nil)
        #expect(wish.frameRate == 1)
    }
}
