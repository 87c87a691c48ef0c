import Testing

@testable import OpenTokSignalling

@Suite struct OpenTokSessionTests {
    // MARK: Coming and going

    @Test func aConnectionIsToldToOthersBeforeItsStreams() {
        var stage = SessionStage()
        #expect(stage.join("a") == .done)
        #expect(stage.take("a").isEmpty)
        stage.join("b", data: "name=Bob")
        stage.publish("s", by: "b")
        #expect(stage.take("a").summary == ["+c b", "+s s"])
        #expect(stage.take("b").summary == ["+s s", "generateoffer stream/s"])
    }

    @Test func aNewcomerReadsWhatIsThere() throws {
        var stage = SessionStage(iceServers: [RaptorICEServer(url: "stun:h")])
        stage.join("a", data: "name=Ada")
        stage.publish("s", by: "a")
        stage.change { $0.archiveChanged(RaptorArchive(id: "r", name: "n", status: .started), into: &$1) }
        stage.join("b")
        guard case .state(let state) = stage.ask("b", .readState) else {
            Issue.record("no state")
            return
        }
        #expect(state.connections.map(\.id) == ["a", "b"])
        #expect(state.connections[0].data == "name=Ada")
        #expect(state.streams.map(\.id) == ["s"] && state.streams[0].connection == "a")
        #expect(state.streams[0].creationTime == SessionStage.time)
        #expect(state.archives.map(\.id) == ["r"])
        #expect(state.iceServers == [RaptorICEServer(url: "stun:h")])
        #expect(try RaptorSessionState(payload: state.payload) == state)
    }

    @Test(arguments: [RaptorReason.clientDisconnected, .networkDisconnected])
    func whoLeavesTakesStreamsAlongOnceAndFirst(reason: RaptorReason) {
        var stage = SessionStage()
        stage.join("a")
        stage.join("b")
        stage.publish("s1", by: "b")
        stage.publish("s2", by: "b")
        stage.forget()
        stage.leave("b", reason)
        stage.leave("b", .networkDisconnected)
        #expect(stage.take("a").summary == ["-s s1 \(reason)", "-s s2 \(reason)", "-c b \(reason)"])
        #expect(stage.take("b").isEmpty)
        #expect(stage.takeCommands() == [.endStream("s1"), .endStream("s2")])
        #expect(stage.session.description == stage.session.members.all[0].connection.json.bytes.count)
    }

    @Test func aStreamThatIsGoneIsNotDestroyedAgainWithItsConnection() {
        var stage = SessionStage()
        stage.join("a")
        stage.join("m", .moderator)
        stage.publish("s", by: "a")
        stage.forget()
        #expect(stage.ask("m", .unpublish(stream: "s")) == .done)
        stage.leave("a")
        let deletions = stage.take("m").filter { if case .streamDeleted = $0 { true } else { false } }
        #expect(deletions == [.streamDeleted(id: "s", .forceUnpublished)])
        #expect(stage.ask("m", .unpublish(stream: "s")) == .refused(.notFound))
    }

    @Test func anIdIsTakenOnce() {
        var stage = SessionStage()
        stage.join("a")
        #expect(stage.join("a") == .refused(.conflict))
        stage.publish("s", by: "a")
        stage.join("b")
        #expect(stage.publish("s", by: "b") == .refused(.conflict))
        #expect(stage.subscribe("b", to: "s", as: "u") == .done)
        #expect(stage.subscribe("a", to: "s", as: "u") == .refused(.conflict))
        #expect(stage.ask("a", .join(connection: "a", RaptorJoin())) == .refused(.conflict))
        #expect(stage.ask("x", .readState) == .refused(.notFound))
    }

    @Test func nobodyHearsOfARecorder() {
        var stage = SessionStage()
        stage.join("r", .subscriber, isHidden: true)
        #expect(stage.session.isEmpty && stage.notices.isEmpty)
        #expect(stage.command { .streams(session: $0) } == .refused(.noSuchSession))
        stage.join("a", .moderator)
        #expect(stage.notices.map(\.name) == ["sessionCreated", "connectionCreated"])
        stage.publish("s", by: "a")
        #expect(stage.take("r").summary == ["+c a", "+s s"])
        #expect(stage.session.state(for: "a").connections.map(\.id) == ["a"])
        #expect(stage.session.state(for: "r").connections.map(\.id) == ["r", "a"])
        #expect(stage.ask("a", .forceDisconnect(connection: "r")) == .refused(.notFound))
        #expect(stage.command { .forceDisconnect(session: $0, connection: "r") } == .refused(.noSuchConnection))
        stage.forget()
        #expect(stage.subscribe("r", to: "s", as: "u") == .done)
        stage.leave("r")
        #expect(stage.take("a").isEmpty && stage.notices.isEmpty)
        stage.join("r", .subscriber, isHidden: true)
        stage.leave("a")
        #expect(stage.notices.last?.name == "sessionDestroyed")
        #expect(stage.take("r").summary.suffix(2) == ["-s s clientDisconnected", "-c a clientDisconnected"])
    }

    // MARK: Roles

    struct Right: CustomTestStringConvertible {
        var role: OpenTokRole
        var allowed: Set<String>
        var testDescription: String { role.rawValue }
    }

    /// The table of docs/opentok.md.
    static let rights = [
        Right(role: .subscriber, allowed: ["subscribe"]),
        Right(role: .publisher, allowed: ["publish", "subscribe", "signal", "signalTo"]),
        Right(role: .publisherOnly, allowed: ["publish"]),
        Right(
            role: .moderator,
            allowed: [
                "publish", "subscribe", "signal", "signalTo", "muteStream", "forceMute", "forceUnpublish",
                "forceDisconnect",
            ]),
    ]

    static let requests: [(name: String, request: RaptorRequest)] = [
        ("publish", .publish(SessionStage.stream("mine"))),
        ("subscribe", .subscribe(stream: "s", RaptorSubscriber(id: "u"))),
        ("signal", .signal(to: nil, id: "1", SignalContent(type: "t", data: "d"))),
        ("signalTo", .signal(to: "other", id: "2", SignalContent(type: "t", data: "d"))),
        ("muteStream", .muteStream("s")),
        ("forceMute", .forceMute(ForceMute(isActive: true))),
        ("forceUnpublish", .unpublish(stream: "s")),
        ("forceDisconnect", .forceDisconnect(connection: "other")),
    ]

    @Test(arguments: rights)
    func aRoleMayDoWhatItsTableSays(right: Right) {
        for (name, request) in Self.requests {
            var stage = SessionStage()
            stage.join("other", .moderator)
            stage.publish("s", by: "other")
            stage.join("me", right.role)
            stage.forget()
            let answer = stage.ask("me", request)
            #expect(answer == (right.allowed.contains(name) ? .done : .refused(.forbidden)), "\(name)")
            guard answer != .done else { continue }
            #expect(stage.take("other").isEmpty && stage.takeCommands().isEmpty, "\(name) has done nothing")
        }
    }

    // MARK: Signals

    @Test func aSignalToAllReachesItsSenderToo() {
        var stage = SessionStage()
        for id in ["a", "b", "c"] { stage.join(id) }
        stage.forget()
        stage.ask("a", .signal(to: nil, id: "1", SignalContent(type: "chat", data: "hi")))
        for id in ["a", "b", "c"] {
            #expect(stage.take(id).summary == ["signal chat hi"])
            #expect(stage.senders[id] == .some("a"))
        }
        stage.ask("a", .signal(to: "c", id: "2", SignalContent(data: "psst")))
        #expect(stage.take("a").isEmpty && stage.take("b").isEmpty)
        #expect(stage.take("c").summary == ["signal  psst"])
        let absent = RaptorRequest.signal(to: "x", id: "3", SignalContent())
        #expect(stage.ask("a", absent) == .refused(.notFound))
    }

    // MARK: Force mute

    @Test func forceMuteIsForThosePublishedAndThoseToCome() {
        var stage = SessionStage()
        stage.join("m", .moderator)
        stage.join("a")
        stage.publish("s1", by: "a")
        stage.publish("s2", by: "m")
        stage.forget()
        stage.ask("m", .forceMute(ForceMute(isActive: true, excludedStreams: ["s2"])))
        #expect(stage.take("a").summary == ["muteForced true", "~s s1 audio1 false", "mute s1"])
        #expect(stage.take("m").summary == ["muteForced true", "~s s1 audio1 false"])
        #expect(stage.takeCommands() == [.setChannel(stream: "s1", .audio, isActive: false)])
        #expect(stage.session.isMuted(.audio, of: "s1") && !stage.session.isMuted(.audio, of: "s2"))

        stage.join("b")
        stage.forget()
        stage.publish("s3", by: "b")
        #expect(stage.take("b").summary == ["+s s3", "generateoffer stream/s3", "mute s3"])
        #expect(stage.session.isMuted(.audio, of: "s3") && !stage.session.isMuted(.video, of: "s3"))
        // A publisher may begin to speak again: it is a mute, and no ban.
        let properties = RaptorChannelProperties(isActive: true)
        #expect(stage.ask("b", .updateStream(stream: "s3", channel: "audio1", properties)) == .done)
        #expect(!stage.session.isMuted(.audio, of: "s3"))

        stage.forget()
        stage.ask("m", .forceMute(ForceMute(isActive: false)))
        #expect(stage.take("b").summary == ["muteForced false"])
        #expect(stage.session.isMuted(.audio, of: "s1"))
        stage.publish("s4", by: "b")
        #expect(!stage.session.isMuted(.audio, of: "s4"))
    }

    @Test func oneStreamIsMutedOnce() {
        var stage = SessionStage()
        stage.join("m", .moderator)
        stage.join("a")
        stage.publish("s", by: "a")
        stage.forget()
        stage.ask("m", .muteStream("s"))
        stage.ask("m", .muteStream("s"))
        #expect(stage.take("a").summary == ["~s s audio1 false", "mute s", "mute s"])
        #expect(stage.senders["a"] == .some("m"))
        #expect(stage.ask("m", .muteStream("x")) == .refused(.notFound))
    }

    @Test func forceMuteEndsWithTheLastOneWhoLeaves() {
        var stage = SessionStage()
        stage.join("m", .moderator)
        stage.ask("m", .forceMute(ForceMute(isActive: true)))
        stage.leave("m")
        #expect(stage.session.forceMute == nil)
    }

    // MARK: Sending away

    @Test func whoIsSentAwayIsGoneBeforeItKnows() {
        var stage = SessionStage()
        stage.join("m", .moderator)
        stage.join("a")
        stage.publish("s", by: "a")
        stage.forget()
        #expect(stage.ask("m", .forceDisconnect(connection: "a")) == .done)
        #expect(stage.take("m").summary == ["-s s forceDisconnected", "-c a forceDisconnected"])
        #expect(stage.removed == ["a"])
        // What its connection reports later is nothing new.
        stage.leave("a", .networkDisconnected)
        #expect(stage.take("m").isEmpty)
        #expect(stage.ask("m", .forceDisconnect(connection: "a")) == .refused(.notFound))
        #expect(stage.ask("m", .forceDisconnect(connection: "m")) == .done)
        #expect(stage.removed == ["a", "m"] && stage.session.isEmpty)
    }

    // MARK: Bounds

    @Test func aSessionHoldsNoMoreThanItsBounds() {
        var bounds = OpenTokSession.Bounds()
        bounds.connections = 2
        bounds.streamsPerConnection = 1
        bounds.subscribersPerConnection = 1
        var stage = SessionStage(bounds: bounds)
        stage.join("a")
        stage.join("b")
        #expect(stage.join("c") == .refused(.tooMany))
        #expect(stage.publish("s1", by: "a") == .done)
        #expect(stage.publish("s2", by: "a") == .refused(.tooMany))
        #expect(stage.subscribe("b", to: "s1", as: "u1") == .done)
        #expect(stage.subscribe("b", to: "s1", as: "u2") == .refused(.tooMany))
        stage.ask("a", .unpublish(stream: "s1"))
        #expect(stage.publish("s2", by: "a") == .done)
        #expect(stage.subscribe("b", to: "s2", as: "u3") == .done)
        stage.leave("b")
        #expect(stage.join("c") == .done)
    }

    @Test func whatANewcomerIsToldFitsAFrame() {
        var stage = SessionStage()
        var count = 0
        while stage.join("connection \(count)", data: String(repeating: "\u{1}", count: 900)) == .done { count += 1 }
        #expect((10...100).contains(count))
        #expect(stage.session.state(for: "x").payload.count < 220 * 1024)
        for id in stage.session.connectionIDs { stage.leave(id) }
        #expect(stage.session.description == 0)
    }
}
