import Foundation
import ServiceDesk
import ServiceDeskCore
import Testing

/// Server and client over sockets of 127.0.0.1; time is the test's.
@Suite(.timeLimit(.minutes(10))) struct EndToEndTests {
    private static let key = "security-key-of-ada"

    private static func registry() throws -> AuthorizationRegistry {
        var registry = AuthorizationRegistry(salt: "salt")
        try registry.enroll(appID: "app", userID: "ada", securityKey: key)
        return registry
    }

    private static func start(
        _ change: (inout ServiceDeskServer.Configuration) throws -> Void = { _ in }
    ) async throws -> ServiceDeskServer {
        var configuration = ServiceDeskServer.Configuration()
        try change(&configuration)
        let server = try ServiceDeskServer(configuration)
        try await server.start()
        return server
    }

    private static func desk(
        _ server: ServiceDeskServer, _ device: String = "device", key: String? = nil, clock: ManualClock
    ) async throws -> ServiceDesk {
        try ServiceDesk(
            server: await server.url, appID: "app", userID: key.map { _ in "ada" }, securityKey: key,
            store: DeskLocalStore(deviceID: device), clock: clock)
    }

    private static func next(_ events: inout AsyncStream<DeskEvent>.Iterator) async throws -> DeskEvent {
        try #require(await events.next())
    }

    /// The next event, which tells of replies.
    private static func reply(_ events: inout AsyncStream<DeskEvent>.Iterator) async throws -> DeskReply {
        let event = try await next(&events)
        var found: DeskReply?
        if case .reply(let reply) = event { found = reply }
        return try #require(found, "\(event)")
    }

    /// The next event, which brings comments.
    private static func comments(_ events: inout AsyncStream<DeskEvent>.Iterator) async throws -> [DeskComment] {
        let event = try await next(&events)
        var found: [DeskComment]?
        if case .comments(let comments) = event { found = comments }
        return try #require(found, "\(event)")
    }

    /// How something fails; nil where it does not.
    private static func code<Value>(_ work: () async throws(DeskError) -> Value) async -> DeskError.Code? {
        do throws(DeskError) { _ = try await work() } catch { return error.code }
        return nil
    }

    // MARK: Create, and see the answer

    @Test func anAnswerIsSeenByThePollingLadder() async throws {
        let clock = ManualClock()
        let server = try await Self.start { $0.clock = clock }
        let desk = try await Self.desk(server, clock: clock)
        var incoming = await server.incoming().makeAsyncIterator()
        var events = await desk.events().makeAsyncIterator()
        let sent = try await desk.send("Where is it?")
        let arrived = try #require(await incoming.next())
        #expect(arrived.comment.body == "Where is it?" && arrived.comment.author.name == "Guest")
        #expect(arrived.owner == .device("device") && arrived.comment.id == sent.id)
        await desk.open()
        let start = clock.now
        // Nobody is told of their own comment.
        #expect(await clock.sleeper(after: 0) == start + 5_000)
        let reply = try await server.reply(ticket: arrived.ticketID, "It leaves today.")
        clock.advance(to: start + 5_000)
        #expect(try await Self.next(&events) == .comments([reply]))
        #expect(await desk.comments.map(\.body) == ["Where is it?", "It leaves today."])
        // An activity: the first rung again, for a minute and a bit, then the second.
        var gaps: [Int64] = []
        for _ in 0..<20 {
            let deadline = await clock.sleeper(after: clock.now)
            gaps.append(deadline - clock.now)
            clock.advance(to: deadline)
        }
        #expect(gaps == [Int64](repeating: 5_000, count: 13) + [Int64](repeating: 15_000, count: 7))
        await desk.stop()
        #expect(await events.next() == nil)
        await server.stop()
    }

    /// Both rules of reply subscriptions, with two devices of one user.
    @Test func anAnswerIsToldToSubscribers() async throws {
        let clock = ManualClock()
        let registry = try Self.registry()
        let server = try await Self.start { ($0.clock, $0.registry) = (clock, registry) }
        let other = ManualClock(clock.now)
        let phone = try await Self.desk(server, "phone", key: Self.key, clock: clock)
        let tablet = try await Self.desk(server, "tablet", key: Self.key, clock: other)
        var events = await phone.events().makeAsyncIterator()
        try await phone.send("Hello")
        await phone.subscribeToReplies()
        let start = clock.now
        #expect(await clock.sleeper(after: 0) == start + 5_000)
        let file = try DeskFile(name: "label.pdf", bytes: [1])
        let reply = try await server.reply(ticket: 1, "Good morning", files: [file])
        clock.advance(to: start + 5_000)
        let first = try await Self.reply(&events)
        #expect(first.hasUnreadComments && first.lastCommentText == "Good morning")
        #expect(first.lastCommentAttachmentsCount == 1 && first.lastCommentAttachments == ["label.pdf"])
        #expect(first.utcTime == reply.createdAt)
        // Read on the tablet: the phone is told so.
        var seen = await tablet.events().makeAsyncIterator()
        await tablet.open()
        let both = try await Self.comments(&seen)
        #expect(both.map(\.body) == ["Hello", "Good morning"])
        var deadline = await clock.sleeper(after: clock.now)
        clock.advance(to: deadline)
        let second = try await Self.reply(&events)
        #expect(!second.hasUnreadComments && second.lastCommentText == "Good morning")
        // While the chat is open there are comments and no replies.
        _ = await clock.sleeper(after: clock.now)
        try await server.reply(ticket: 1, "Open now")
        await phone.open()
        let fresh = try await Self.comments(&events)
        #expect(fresh.map(\.body).last == "Open now")
        await phone.close()
        deadline = await clock.sleeper(after: clock.now)
        clock.advance(to: deadline)
        deadline = await clock.sleeper(after: clock.now)
        try await server.reply(ticket: 1, "Closed again")
        clock.advance(to: deadline)
        let third = try await Self.reply(&events)
        #expect(third.hasUnreadComments && third.lastCommentText == "Closed again", "and nothing in between")
        for desk in [phone, tablet] { await desk.stop() }
        await server.stop()
    }

    // MARK: Attachments

    @Test func filesGoBothWays() async throws {
        let clock = ManualClock()
        let server = try await Self.start { $0.avatars = [7: [9, 8, 7]] }
        let desk = try await Self.desk(server, clock: clock)
        #expect(await desk.attachmentLabels.isEmpty)
        await desk.register(GeneratedAttachmentChooser(label: "Data", size: 300_000, seed: 5))
        #expect(await desk.attachmentLabels == ["Data"])
        let chosen = try #require(try await desk.chooseAttachment("Data"))
        var incoming = await server.incoming().makeAsyncIterator()
        let sent = try await desk.send("", files: [chosen])
        let arrived = try #require(await incoming.next())
        #expect(arrived.comment.attachments == sent.attachments && sent.attachments.map(\.size) == [300_000])
        #expect(await server.file(sent.attachments[0]) == chosen.bytes)
        let answer = try DeskFile(name: "back.bin", bytes: Array(chosen.bytes.reversed()))
        let reply = try await server.reply(
            ticket: 1, "Here", files: [answer], author: DeskAuthor(name: "Ada", avatarID: 7))
        #expect(try await desk.download(reply.attachments[0]) == answer.bytes)
        #expect(try await desk.download(sent.attachments[0]) == chosen.bytes)
        #expect(try await desk.avatar(of: reply.author) == [9, 8, 7])
        #expect(try await desk.avatar(of: DeskAuthor(name: "Ada")) == nil)
        let stranger = try await Self.desk(server, "other", clock: clock)
        await #expect(throws: DeskError.self) { try await stranger.download(reply.attachments[0]) }
        await server.stop()
    }

    // MARK: Refused

    @Test func aRefusedKeyIsToldOnceAndAnotherOneHelps() async throws {
        let clock = ManualClock()
        let registry = try Self.registry()
        let server = try await Self.start { ($0.clock, $0.registry) = (clock, registry) }
        let desk = try await Self.desk(server, key: "wrong-key", clock: clock)
        var events = await desk.events().makeAsyncIterator()
        do throws(DeskError) {
            try await desk.send("Hello")
            Issue.record("a wrong key was let in")
        } catch {
            #expect(error.code == .authorizationFailed && !error.message.contains("wrong-key"))
        }
        #expect(try await Self.next(&events) == .authorizationFailed)
        await desk.open()
        // Two more refusals, of which nobody is told.
        for _ in 0..<2 { clock.advance(to: await clock.sleeper(after: clock.now)) }
        _ = await clock.sleeper(after: clock.now)
        try await desk.setSecurityKey(Self.key)
        try await desk.send("Hello")
        let reply = try await server.reply(ticket: 1, "Good morning")
        try await desk.refresh()
        // The key changes while the chat goes on, and the former one is dropped.
        let comments = try await Self.comments(&events)
        #expect(comments == [reply])
        try await server.changeRegistry { registry throws(DeskError) in
            try registry.rotate(appID: "app", userID: "ada", securityKey: "another-key")
            registry.dropFormerKeys(appID: "app", userID: "ada")
        }
        await #expect(throws: DeskError.self) { try await desk.send("x") }
        #expect(try await Self.next(&events) == .authorizationFailed)
        try await desk.setSecurityKey("another-key")
        try await desk.send("x")
        await desk.stop()
        await server.stop()
    }

    /// The service asks the application's own service, another process as far as it knows, for each request.
    @Test func anAuthorizationServiceIsAsked() async throws {
        let clock = ManualClock()
        let registry = try Self.registry()
        let application = try await Self.start { $0.registry = registry }
        let url = await application.url + "/authorize"
        let server = try await Self.start { $0.authorizationURL = url }
        let ada = try await Self.desk(server, key: Self.key, clock: clock)
        try await ada.send("Hello")
        try await application.changeRegistry { $0.retire(appID: "app", userID: "ada") }
        #expect(await Self.code { () async throws(DeskError) in try await ada.send("again") } == .authorizationFailed)
        let anonymous = try await Self.desk(server, clock: clock)
        try await anonymous.send("Hello")
        await application.stop()
        #expect(await Self.code { () async throws(DeskError) in try await ada.send("again") } == .unreachable)
        #expect(await server.comments(ticket: 1)?.count == 1)
        await server.stop()
    }

    @Test func theConformanceClient() async throws {
        let registry = try Self.registry()
        let server = try await Self.start { $0.registry = registry }
        let url = await server.url
        let right = try await AuthorizationClient.check(
            url: url + "/authorize", appID: "app", userID: "ada", securityKey: Self.key)
        #expect(right.count == 28 && right.allSatisfy(\.isRight), "\(right.filter { !$0.isRight })")
        let wrong = try await AuthorizationClient.check(
            url: url + "/elsewhere", appID: "app", userID: "ada", securityKey: Self.key)
        #expect(wrong.filter(\.isRight).map(\.name) == ["another method is refused"])
        await server.stop()
        let absent = try await AuthorizationClient.check(
            url: url + "/authorize", appID: "app", userID: "ada", securityKey: Self.key)
        #expect(absent.allSatisfy { $0.status == nil && !$0.isRight })
        await #expect(throws: DeskError.self) {
            try await AuthorizationClient.check(url: "nonsense", appID: "app", userID: "ada", securityKey: "k")
        }
    }

    @Test func withoutAnybodyToVouchExternalUsersAreRefused() async throws {
        let clock = ManualClock()
        let server = try await Self.start { $0.appIDs = ["app"] }
        let ada = try await Self.desk(server, key: Self.key, clock: clock)
        #expect(await Self.code { () async throws(DeskError) in try await ada.send("x") } == .authorizationFailed)
        let other = try ServiceDesk(
            server: await server.url, appID: "other", store: DeskLocalStore(deviceID: "d"), clock: clock)
        #expect(await Self.code { () async throws(DeskError) in try await other.send("x") } == .authorizationFailed)
        #expect(await server.comments(ticket: 1) == nil)
        await server.stop()
    }

    // MARK: Users

    @Test func switchingHidesAndDoesNotMix() async throws {
        let clock = ManualClock()
        let registry = try Self.registry()
        let server = try await Self.start { ($0.clock, $0.registry) = (clock, registry) }
        let desk = try await Self.desk(server, clock: clock)
        try await desk.send("anonymous")
        try await desk.switchUser(userID: "ada", securityKey: Self.key)
        #expect(await desk.comments.isEmpty)
        try await desk.send("as ada")
        #expect(await desk.comments.map(\.body) == ["as ada"])
        try await desk.switchUser(userID: nil)
        #expect(await desk.comments.map(\.body) == ["anonymous"])
        // What the device keeps brings both back.
        let store = await desk.localStore
        let written = String(decoding: try DeskJSON.bytes(store), as: UTF8.self)
        #expect(store.count == 2 && !written.contains(Self.key))
        let again = try ServiceDesk(
            server: await server.url, appID: "app", userID: "ada", securityKey: Self.key, store: store, clock: clock)
        #expect(await again.comments.map(\.body) == ["as ada"])
        #expect(await server.comments(ticket: 1)?.map(\.body) == ["anonymous"])
        #expect(await server.comments(ticket: 2)?.map(\.body) == ["as ada"])
        await server.stop()
    }

    // MARK: Limits

    @Test func pushTokensOverTheWire() async throws {
        let clock = ManualClock()
        let server = try await Self.start { $0.clock = clock }
        let desk = try await Self.desk(server, clock: clock)
        try await desk.send("Hello")
        try await desk.setPushToken("token-1")
        #expect(await server.pushToken(ticket: 1) == "token-1")
        clock.advance(to: clock.now + 299_000)
        do throws(DeskError) {
            try await desk.setPushToken("token-2")
            Issue.record("two tokens in five minutes")
        } catch { #expect(error.code == .tooOften && error.retryAfter == 1_000) }
        clock.advance(to: clock.now + 1_000)
        try await desk.setPushToken("token-2")
        #expect(await server.pushToken(ticket: 1) == "token-2")
        // A client that does not count for itself is stopped by the service.
        let impatient = try await Self.desk(server, clock: clock)
        #expect(
            await Self.code { () async throws(DeskError) in try await impatient.setPushToken("token-3") } == .tooOften)
        #expect(await server.pushToken(ticket: 1) == "token-2")
        await server.stop()
    }

    @Test func whatIsTooLargeIsRefusedBeforeItIsSent() async throws {
        let clock = ManualClock()
        let desk = try ServiceDesk(
            server: "http://127.0.0.1:1", appID: "app", store: DeskLocalStore(deviceID: "d"), clock: clock)
        #expect(await Self.code { () async throws(DeskError) in try await desk.send("") } == .refused)
        let long = String(repeating: "x", count: 32 * 1024 + 1)
        #expect(await Self.code { () async throws(DeskError) in try await desk.send(long) } == .tooLarge)
        let file = try DeskFile(name: "f", bytes: [1])
        let eleven = Array(repeating: file, count: 11)
        #expect(await Self.code { () async throws(DeskError) in try await desk.send("x", files: eleven) } == .tooLarge)
        #expect(await Self.code { () async throws(DeskError) in try await desk.send("x") } == .unreachable)
    }

    // MARK: Webhooks

    @Test(arguments: [nil, "shared-webhook-secret"]) func messagesOfTheSupportAreToldByWebhook(secret: String?)
        async throws
    {
        let clock = ManualClock()
        let listener = try await DeskWebhookListener.listen(secret: secret)
        let hook = "http://127.0.0.1:\(listener.port)/hook"
        let server = try await Self.start {
            ($0.clock, $0.webhookURL, $0.webhookSecret) = (clock, hook, secret)
        }
        let desk = try await Self.desk(server, clock: clock)
        try await desk.send("Hello")
        let file = try DeskFile(name: "a.txt", bytes: [1, 2])
        let first = try await server.reply(ticket: 1, "one")
        let second = try await server.reply(ticket: 1, "two", files: [file])
        var webhooks = listener.webhooks.makeAsyncIterator()
        let told = [try #require(await webhooks.next()), try #require(await webhooks.next())]
        #expect(told.map(\.comment.id) == [first.id, second.id] && told.map(\.comment.body) == ["one", "two"])
        #expect(told[0].token == .init(userID: "device", appID: "app", deviceID: "device"))
        #expect(told[1].attachments == second.attachments && told[1].createdAt == second.createdAt)
        await listener.close()
        #expect(await webhooks.next() == nil)
        await server.stop()
    }

    @Test func aWebhookThatIsNotSignedIsNotBelieved() async throws {
        let clock = ManualClock()
        let listener = try await DeskWebhookListener.listen(secret: "right-webhook-secret")
        let hook = "http://127.0.0.1:\(listener.port)/"
        let server = try await Self.start {
            ($0.clock, $0.webhookURL, $0.webhookSecret) = (clock, hook, "wrong-webhook-secret")
        }
        let honest = try await Self.start {
            ($0.clock, $0.webhookURL, $0.webhookSecret) = (clock, hook, "right-webhook-secret")
        }
        for server in [server, honest] {
            let desk = try await Self.desk(server, clock: clock)
            try await desk.send("Hello")
        }
        try await server.reply(ticket: 1, "forged")
        try await honest.reply(ticket: 1, "honest")
        var webhooks = listener.webhooks.makeAsyncIterator()
        #expect(await webhooks.next()?.comment.body == "honest")
        await listener.close()
        for server in [server, honest] { await server.stop() }
    }

    /// A receiver that was away when the support wrote is told when it is back, once and in order.
    @Test func awayReceiversAreToldLater() async throws {
        let clock = ManualClock()
        let first = try await DeskWebhookListener.listen()
        let port = first.port
        await first.close()
        let server = try await Self.start { ($0.clock, $0.webhookURL) = (clock, "http://127.0.0.1:\(port)/") }
        let desk = try await Self.desk(server, clock: clock)
        try await desk.send("Hello")
        try await server.reply(ticket: 1, "one")
        try await server.reply(ticket: 1, "two")
        let start = clock.now
        // Nobody is there: half a second, then a second.
        #expect(await clock.sleeper(after: start) == start + 500)
        clock.advance(to: start + 500)
        #expect(await clock.sleeper(after: start + 500) == start + 1_500)
        let listener = try await DeskWebhookListener.listen(port: port)
        clock.advance(to: start + 1_500)
        var webhooks = listener.webhooks.makeAsyncIterator()
        #expect(await webhooks.next()?.comment.body == "one")
        #expect(await webhooks.next()?.comment.body == "two")
        await listener.close()
        await server.stop()
    }

    // MARK: Repetitions, and a service that is away

    @Test func whatIsSentTwiceIsOneComment() async throws {
        let clock = ManualClock()
        let server = try await Self.start()
        let desk = try await Self.desk(server, clock: clock)
        var incoming = await server.incoming().makeAsyncIterator()
        let first = try await desk.send("once", id: "c-1")
        #expect(try await desk.send("once", id: "c-1").id == first.id)
        let second = try await desk.send("another ticket", newTicket: true)
        #expect(await incoming.next()?.comment.id == first.id)
        let other = try #require(await incoming.next())
        #expect(other.comment.id == second.id && other.ticketID == 2)
        #expect(await desk.comments.map(\.body) == ["once", "another ticket"])
        #expect(await server.comments(ticket: 1)?.count == 1)
        await server.stop()
    }

    @Test func aServiceThatGoesAwayIsToldOnce() async throws {
        let clock = ManualClock()
        let server = try await Self.start { $0.clock = clock }
        let port = await server.port
        let desk = try await Self.desk(server, clock: clock)
        var events = await desk.events().makeAsyncIterator()
        await desk.open()
        var deadline = await clock.sleeper(after: 0)
        await server.stop()
        for _ in 0..<3 {
            clock.advance(to: deadline)
            deadline = await clock.sleeper(after: deadline)
        }
        guard case .unreachable(let reason) = try await Self.next(&events) else {
            Issue.record("nobody was told")
            return
        }
        #expect(reason.contains("does not answer"))
        let again = try await Self.start { ($0.clock, $0.port) = (clock, port) }
        clock.advance(to: deadline)
        #expect(try await Self.next(&events) == .reachable)
        await desk.stop()
        await again.stop()
    }

    /// Answers that are none, and a server that is another: an error that says so, and no event.
    @Test func answersThatAreNone() async throws {
        let clock = ManualClock()
        let listener = try await DeskListener.listen(
            host: "127.0.0.1", port: 0,
            DeskListener.Service(
                bodyLimit: { _, _ in 1_000_000 },
                answer: { request in
                    if request.path.hasSuffix("SetPushToken") {
                        return DeskHTTPResponse(
                            400, Array(#"{"error":"the token \u001b[31m push-token-1 is bad"}"#.utf8))
                    }
                    return DeskHTTPResponse(request.path.hasSuffix("UpdateTicketFeed") ? 200 : 418, Array("[]".utf8))
                }))
        let desk = try ServiceDesk(
            server: "http://127.0.0.1:\(listener.port)/base/", appID: "app", store: DeskLocalStore(deviceID: "device"),
            clock: clock)
        #expect(await Self.code { () async throws(DeskError) in try await desk.send("x") } == .invalidAnswer)
        let attachment = DeskAttachment(id: 1, name: "f", size: 1)
        #expect(await Self.code { () async throws(DeskError) in try await desk.download(attachment) } == .refused)
        do throws(DeskError) {
            try await desk.setPushToken("push-token-1")
            Issue.record("a refusal was taken for success")
        } catch {
            // What a server says steers no terminal, and repeats no secret.
            #expect(error.code == .refused && error.message.contains("[secret] is bad"))
            #expect(!error.message.contains("push-token-1") && !error.message.unicodeScalars.contains("\u{1b}"))
        }
        await listener.close()
    }

    @Test func refreshesHaveALimit() async throws {
        let clock = ManualClock()
        let server = try await Self.start { $0.clock = clock }
        let desk = try await Self.desk(server, clock: clock)
        for _ in 0..<20 { try await desk.refresh() }
        #expect(await Self.code { () async throws(DeskError) in try await desk.refresh() } == .tooOften)
        clock.advance(to: clock.now + 60_000)
        try await desk.refresh()
        await server.stop()
    }
}
