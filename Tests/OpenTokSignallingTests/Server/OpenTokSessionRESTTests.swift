import Testing

@testable import OpenTokSignalling

/// Commands of an application's server, and what it is told.
@Suite struct OpenTokSessionRESTTests {
    @Test func inAnEmptySessionThereIsNothing() {
        var stage = SessionStage()
        #expect(stage.command { .streams(session: $0) } == .refused(.noSuchSession))
        #expect(stage.command { .forceMute(session: $0, ForceMute(isActive: true)) } == .refused(.noSuchSession))
        let signal = SignalContent(data: "d")
        #expect(stage.command { .signal(session: $0, connection: nil, signal) } == .refused(.noSuchSession))
    }

    @Test func aServersSignalComesFromNobody() {
        var stage = SessionStage()
        stage.join("a", .subscriber)
        stage.join("b")
        stage.forget()
        let content = SignalContent(type: "t", data: "d")
        #expect(stage.command { .signal(session: $0, connection: nil, content) } == .done)
        #expect(stage.command { .signal(session: $0, connection: "a", content) } == .done)
        let events = stage.take("a")
        #expect(events.summary == ["signal t d", "signal t d"] && Set(events).count == 2)
        #expect(stage.senders["a"] == .some(nil))
        #expect(stage.take("b").count == 1)
        #expect(stage.command { .signal(session: $0, connection: "x", content) } == .refused(.noSuchConnection))
    }

    @Test func streamsAreListedWithTheirClasses() {
        var stage = SessionStage()
        stage.join("a", classes: ["focus"])
        stage.publish("s", by: "a")
        var screen = SessionStage.stream("t")
        screen.channels[1].properties.source = .screen
        stage.ask("a", .publish(screen))
        let first = StreamInfo(id: "s", name: "camera of s", layoutClasses: ["focus"])
        let second = StreamInfo(id: "t", videoType: .screen, name: "camera of t", layoutClasses: ["focus"])
        #expect(stage.command { .streams(session: $0) } == .streams([first, second]))
        #expect(stage.command { .stream(session: $0, id: "s") } == .stream(first))
        #expect(stage.command { .stream(session: $0, id: "x") } == .refused(.noSuchStream))
    }

    @Test func layoutClassesAreSetAllOrNone() throws {
        var stage = SessionStage()
        stage.join("a")
        stage.publish("s", by: "a")
        func classes(_ stream: String) throws -> StreamClasses {
            try StreamClasses(JSONFields(["id": .string(stream), "layoutClassList": ["big"]]))
        }
        let (known, unknown) = (try classes("s"), try classes("x"))
        let bad = stage.command { .setStreamClasses(session: $0, [known, unknown]) }
        #expect(bad == .refused(.noSuchStream) && stage.session.layoutClasses(of: "s").isEmpty)
        #expect(stage.command { .setStreamClasses(session: $0, [known]) } == .done)
        #expect(stage.session.layoutClasses(of: "s") == ["big"])
    }

    @Test func moderationIsDoneByTheServerToo() {
        var stage = SessionStage()
        stage.join("a")
        stage.publish("s", by: "a")
        stage.join("b")
        stage.forget()
        #expect(stage.command { .muteStream(session: $0, stream: "s") } == .done)
        #expect(stage.command { .muteStream(session: $0, stream: "x") } == .refused(.noSuchStream))
        #expect(stage.command { .forceMute(session: $0, ForceMute(isActive: true)) } == .done)
        #expect(stage.take("b").summary == ["~s s audio1 false", "muteForced true"])
        #expect(stage.command { .forceDisconnect(session: $0, connection: "a") } == .done)
        #expect(stage.command { .forceDisconnect(session: $0, connection: "a") } == .refused(.noSuchConnection))
        #expect(stage.take("b").summary == ["-s s forceDisconnected", "-c a forceDisconnected"])
        #expect(stage.removed == ["a"])
    }

    @Test func tonesAreForTelephones() {
        var stage = SessionStage()
        stage.join("a")
        stage.forget()
        #expect(stage.command { .playDTMF(session: $0, connection: nil, digits: "12#") } == .done)
        #expect(stage.command { .playDTMF(session: $0, connection: "a", digits: "1") } == .done)
        #expect(stage.command { .playDTMF(session: $0, connection: "x", digits: "1") } == .refused(.noSuchConnection))
        #expect(stage.take("a").isEmpty)
    }

    @Test func anArchivesStatesAreTold() {
        var stage = SessionStage()
        stage.join("a")
        let archive = RaptorArchive(id: "r", name: "n", status: .started)
        stage.change { $0.archiveChanged(archive, into: &$1) }
        stage.change { $0.archiveChanged(archive, into: &$1) }
        stage.change { $0.archiveChanged(RaptorArchive(id: "r", status: .stopped), into: &$1) }
        stage.change { $0.archiveChanged(RaptorArchive(id: "r", status: .available), into: &$1) }
        #expect(stage.take("a").summary == ["+a r", "~a r stopped", "~a r available"])
        #expect(stage.session.state(for: "a").archives.isEmpty)
    }

    @Test func noticesTellALifeInOrder() throws {
        var stage = SessionStage()
        stage.join("a", data: "name=Ada")
        stage.publish("s", by: "a")
        stage.leave("a", .networkDisconnected)
        #expect(
            stage.notices.map(\.name) == [
                "sessionCreated", "connectionCreated", "streamCreated", "streamDestroyed", "connectionDestroyed",
                "sessionDestroyed",
            ])
        #expect(
            stage.notices.map { $0.reason?.rawValue ?? "" }[3...4] == ["networkDisconnected", "networkDisconnected"])
        let stream = stage.notices[3].json
        #expect(stream["sessionId"] == .string(stage.session.id.text) && stream["projectId"] == "12345")
        #expect(stream["event"] == "streamDestroyed" && stream["timestamp"] == .integer(SessionStage.time))
        #expect(stream["reason"] == "networkDisconnected" && stream["stream"]?["id"] == "s")
        #expect(stream["stream"]?["videoType"] == "camera")
        #expect(stage.notices[4].json["connection"]?["data"] == "name=Ada")
        #expect(stage.notices[0].json["connection"] == nil)
    }

    @Test func aTicketIsForOneSessionAndATime() {
        let ticket = MessagingTicket.make(session: "s", secret: "secret", now: 1000, random: 7)
        func isValid(_ ticket: String, session: String = "s", secret: String = "secret", now: Int64 = 1000) -> Bool {
            MessagingTicket.isValid(ticket, session: session, secret: secret, now: now)
        }
        #expect(isValid(ticket) && isValid(ticket, now: 4600) && !isValid(ticket, now: 4601))
        #expect(!isValid(ticket, session: "t") && !isValid(ticket, secret: "other"))
        #expect(!isValid("2000" + ticket.dropFirst(4), now: 2000) && !isValid(ticket + "x"))
        for hostile in ["", "..", "1000.7.", "99999999999999999999.7.x", "-9223372036854775808.1.a", ticket + ticket] {
            #expect(!isValid(hostile))
        }
        #expect(ticket.utf8.count <= MessagingTicket.longest)
    }
}
