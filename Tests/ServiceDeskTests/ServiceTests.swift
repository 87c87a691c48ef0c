import ServiceDeskCore
import Testing

@Suite struct ServiceTests {
    private static let start: Int64 = 1_777_636_800_000

    /// A service and somebody who asks it.
    private struct Desk {
        var service: DeskService
        var now = DeskDate(milliseconds: start)

        init(_ limits: DeskServiceLimits = .init()) {
            service = DeskService(limits: limits, support: DeskAuthor(name: "Support", avatarColor: "#007aff"))
        }

        mutating func ask<Answer: Decodable>(
            _ type: Answer.Type, _ who: DeskCredentials, _ call: DeskCall
        ) throws -> Answer {
            let response = service.perform(DeskQuestion(credentials: who, call: call), now: now)
            guard response.status == 200 else { throw DeskRefusal(response.status, "") }
            return try DeskJSON.read(type, response.body)
        }

        mutating func status(_ who: DeskCredentials, _ call: DeskCall) -> Int {
            service.perform(DeskQuestion(credentials: who, call: call), now: now).status
        }

        mutating func write(
            _ who: DeskCredentials, _ text: String, ticket: Int64? = nil, files: [String] = [], id: String? = nil
        ) throws -> DeskCommentAnswer {
            try ask(
                DeskCommentAnswer.self, who,
                .comment(
                    DeskCommentRequest(
                        ticketID: ticket, comment: text, attachments: files.map { .init(guid: $0, name: "") },
                        userName: "Guest", clientID: id)))
        }

        mutating func feed(_ who: DeskCredentials, ticket: Int64? = nil, keepUnread: Bool = false) throws
            -> [DeskComment]
        {
            try ask(
                DeskFeedAnswer.self, who, .feed(DeskFeedRequest(ticketID: ticket, keepUnread: keepUnread))
            ).comments
        }

        mutating func tickets(_ who: DeskCredentials) throws -> [DeskTicket] {
            try ask(DeskTicketsAnswer.self, who, .tickets).tickets
        }
    }

    private func person(_ device: String, user: String? = nil, app: String = "app") throws -> DeskCredentials {
        try DeskCredentials(appID: app, deviceID: device, userID: user, securityKey: user.map { _ in "key" })
    }

    @Test func aTicketIsMadeAndAnswered() throws {
        var desk = Desk()
        let ada = try person("d1")
        #expect(try desk.tickets(ada).isEmpty && desk.feed(ada).isEmpty)
        let written = try desk.write(ada, "Where is it?")
        #expect(try desk.write(ada, "Hello?").ticketID == written.ticketID)
        let reply = try desk.service.reply(ticket: written.ticketID, body: "It leaves today.", now: desk.now)
        #expect(reply.webhook.token == .init(userID: "d1", appID: "app", deviceID: "d1", type: "iOS"))
        let list = try desk.tickets(ada)
        #expect(list.map(\.subject) == ["Where is it?"] && list[0].lastComment == reply.comment && !list[0].isRead)
        #expect(try desk.feed(ada, keepUnread: true).map(\.body) == ["Where is it?", "Hello?", "It leaves today."])
        #expect(try desk.tickets(ada)[0].isRead == false)
        #expect(try desk.feed(ada).map(\.isInbound) == [true, true, false])
        #expect(try desk.tickets(ada)[0].isRead)
        let second = try desk.write(ada, "Something else", ticket: 0)
        #expect(try desk.tickets(ada).map(\.id) == [second.ticketID, written.ticketID])
        #expect(try desk.write(ada, "More").ticketID == second.ticketID)
        #expect(try desk.write(ada, "Of the first", ticket: written.ticketID).ticketID == written.ticketID)
    }

    /// A user reads on one device what the other is then told was read; a device's chat is its own.
    @Test func ownersAreApart() throws {
        var desk = Desk()
        let (phone, tablet) = (try person("d1", user: "ada"), try person("d2", user: "ada"))
        let strangers = [
            try person("ada"), try person("d1"), try person("d1", user: "bob"),
            try person("d1", user: "ada", app: "other"),
        ]
        let upload = try desk.ask(
            DeskUploadAnswer.self, phone, .upload(DeskMultipart(name: "a.txt", bytes: [1, 2, 3])))
        let written = try desk.write(phone, "Mine", files: [upload.guid])
        let reply = try desk.service.reply(
            ticket: written.ticketID, body: "", files: [DeskMultipart(name: "../b", bytes: [4])], now: desk.now)
        #expect(reply.comment.attachments.map(\.name) == ["b"])
        #expect(try desk.tickets(phone)[0].isRead == false)
        #expect(try desk.feed(tablet).count == 2)
        #expect(try desk.tickets(phone)[0].isRead)
        for id in written.attachments + reply.comment.attachments.map(\.id) {
            #expect(desk.status(tablet, .download(id)) == 200)
            for stranger in strangers { #expect(desk.status(stranger, .download(id)) == 404) }
        }
        for stranger in strangers {
            #expect(try desk.tickets(stranger).isEmpty && desk.feed(stranger).isEmpty)
            #expect(desk.status(stranger, .feed(DeskFeedRequest(ticketID: written.ticketID))) == 404)
            #expect(throws: DeskRefusal.self) { try desk.write(stranger, "x", ticket: written.ticketID) }
            #expect(throws: DeskRefusal.self) { try desk.write(stranger, "x", files: [upload.guid]) }
        }
        #expect(reply.webhook.token.userID == "ada" && reply.webhook.token.deviceID == "d1")
    }

    @Test func sentTwiceIsOneComment() throws {
        var desk = Desk()
        let ada = try person("d1")
        let first = try desk.write(ada, "once", id: "c1")
        #expect(try desk.write(ada, "once", id: "c1") == first)
        _ = try desk.write(ada, "twice", id: "c2")
        #expect(try desk.feed(ada).map(\.body) == ["once", "twice"])
        #expect(try desk.write(try person("d2"), "other", id: "c1") != first)
    }

    @Test func aFileIsInOneComment() throws {
        var desk = Desk()
        let ada = try person("d1")
        let guid = try desk.ask(DeskUploadAnswer.self, ada, .upload(DeskMultipart(name: "a", bytes: [1]))).guid
        #expect(throws: DeskRefusal.self) { try desk.write(ada, "", files: [guid, guid]) }
        #expect(throws: DeskRefusal.self) { try desk.write(ada, "", files: ["99"]) }
        #expect(throws: DeskRefusal.self) { try desk.write(ada, "", files: ["x"]) }
        #expect(try desk.write(ada, "", files: [guid]).attachments.count == 1)
        #expect(throws: DeskRefusal.self) { try desk.write(ada, "", files: [guid]) }
    }

    @Test func whatUsersMakeItHoldHasBounds() throws {
        var limits = DeskServiceLimits()
        (limits.owners, limits.tickets, limits.comments) = (2, 2, 3)
        (limits.files, limits.fileBytes, limits.looseFiles, limits.writesPerMinute) = (4, 100, 2, 8)
        var desk = Desk(limits)
        let (ada, bob, eve) = (try person("ada"), try person("bob"), try person("eve"))
        func refusal(_ work: () throws -> Void) -> Int? {
            do { try work() } catch { return (error as? DeskRefusal)?.status }
            return nil
        }
        for text in ["1", "2", "3"] { _ = try desk.write(ada, text) }
        #expect(refusal { _ = try desk.write(ada, "4") } == 429)
        _ = try desk.write(ada, "new", ticket: 0)
        #expect(refusal { _ = try desk.write(ada, "new", ticket: 0) } == 429)
        _ = try desk.write(bob, "b")
        #expect(refusal { _ = try desk.write(eve, "e") } == 503)
        func upload(_ size: Int) -> Int {
            desk.status(bob, .upload(DeskMultipart(name: "f", bytes: [UInt8](repeating: 0, count: size))))
        }
        #expect(upload(60) == 200 && upload(41) == 507 && upload(40) == 200)
        // The oldest that no comment has makes room.
        #expect(upload(60) == 200)
        #expect(desk.status(bob, .download(1)) == 404 && desk.status(bob, .download(2)) == 200)
        #expect([1, 2, 3].map { _ in upload(1) } == [200, 200, 200])
        #expect(upload(1) == 429, "eight writes a minute")
        desk.now.milliseconds += 60_000
        #expect(upload(1) == 200)
    }

    @Test func pushTokensOfAUser() throws {
        var desk = Desk()
        let ada = try person("d1")
        let ticket = try desk.write(ada, "x").ticketID
        func set(_ token: String?) -> Int {
            desk.status(ada, .pushToken(DeskPushTokenRequest(token: token, type: "FCM")))
        }
        #expect(set("token-1") == 200 && desk.service.overview(ticket)?.pushToken == "token-1")
        desk.now.milliseconds += 299_999
        #expect(set("token-2") == 429)
        #expect(try desk.service.reply(ticket: ticket, body: "r", now: desk.now).webhook.token.type == "FCM")
        desk.now.milliseconds += 1
        #expect(set(nil) == 200 && desk.service.overview(ticket)?.pushToken == nil)
    }

    /// The largest feed stays below what a client reads, whatever is in it.
    @Test func aFeedHasBounds() throws {
        var desk = Desk()
        let ada = try person("d1")
        let ticket = try desk.write(ada, "first").ticketID
        let heavy = String(repeating: "\u{1}", count: 32 * 1024)
        for _ in 0..<60 { _ = try desk.service.reply(ticket: ticket, body: heavy, now: desk.now) }
        let question = DeskQuestion(credentials: ada, call: .feed(DeskFeedRequest()))
        #expect(desk.service.perform(question, now: desk.now).body.count < DeskBounds.answerBytes)
        #expect(try desk.feed(ada).last?.id == 61)
        let list = desk.service.perform(DeskQuestion(credentials: ada, call: .tickets), now: desk.now)
        #expect(list.body.count < 16_384)
    }

    @Test func theSupportHasBoundsToo() throws {
        var desk = Desk()
        let ticket = try desk.write(try person("d1"), "x").ticketID
        func status(_ body: String, _ files: [DeskMultipart] = [], ticket: Int64) -> Int? {
            do { _ = try desk.service.reply(ticket: ticket, body: body, files: files, now: desk.now) } catch {
                return error.status
            }
            return nil
        }
        #expect(status("x", ticket: 99) == 404 && status("", ticket: ticket) == 400)
        #expect(status(String(repeating: "x", count: 32 * 1024 + 1), ticket: ticket) == 413)
        #expect(status("x", [DeskMultipart(name: "n", bytes: [])], ticket: ticket) == 413)
        #expect(status("x", ticket: ticket) == nil)
    }

    @Test func picturesOfTheSupport() throws {
        var desk = Desk()
        desk.service.setAvatar(7, [1, 2])
        let found = desk.service.perform(DeskQuestion(credentials: nil, call: .avatar(7)), now: desk.now)
        #expect(found.status == 200 && found.body == [1, 2])
        #expect(desk.service.perform(DeskQuestion(credentials: nil, call: .avatar(8)), now: desk.now).status == 404)
        let ticket = try desk.write(try person("d1"), "x").ticketID
        let author = DeskAuthor(name: "Ada", avatarID: 7, avatarColor: "#123456")
        let webhook = try desk.service.reply(ticket: ticket, body: "r", author: author, now: desk.now).webhook
        #expect(webhook.author == DeskAuthor(name: "Ada", avatarID: 7), "a colour is for those without a picture")
    }
}
