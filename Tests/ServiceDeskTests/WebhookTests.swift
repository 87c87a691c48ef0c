import ServiceDesk
import ServiceDeskCore
import Testing

@Suite struct WebhookTests {
    private static let text = DeskWebhook(
        ticketID: 3, token: .init(userID: "user-1", appID: "app-1", deviceID: "device-1"),
        comment: .init(id: 12, body: "It leaves today."), author: DeskAuthor(name: "Ada", avatarID: 7),
        createdAt: DeskDate(milliseconds: 1_777_636_800_000))
    private static let files = DeskWebhook(
        ticketID: 3, token: .init(userID: "user-1", appID: "app-1", deviceID: "device-2", type: "Android"),
        comment: .init(id: 13, body: ""), author: DeskAuthor(name: "Support", avatarColor: "#007aff"),
        createdAt: DeskDate(milliseconds: 1_777_636_800_250),
        attachments: [
            DeskAttachment(id: 5, name: "label.pdf", size: 2_048), DeskAttachment(id: 6, name: "photo 2.jpg", size: 1),
        ])
    private static let device = "0123456789abcdef0123456789abcdef"
    private static let anonymous = DeskWebhook(
        ticketID: 4, token: .init(userID: device, appID: "app-1", deviceID: device),
        comment: .init(id: 9_007_199_254_740_993, body: "a/b\n\"c\" 😀"),
        author: DeskAuthor(name: "Zoë \"Z\" Übel", avatarColor: "#007aff"),
        createdAt: DeskDate(milliseconds: 1_835_481_599_000))

    private static let golden = [
        ("webhook-text.json", text), ("webhook-attachments.json", files), ("webhook-anonymous.json", anonymous),
    ]

    @Test(arguments: golden) func goldenPayloads(file: String, webhook: DeskWebhook) throws {
        let bytes = try GoldenFiles.bytes(file)
        #expect(webhook.bytes() == bytes, "\(String(decoding: webhook.bytes(), as: UTF8.self))")
        let request = DeskHTTPRequest("POST", "/", contentType: "application/json", body: bytes)
        #expect(try DeskWebhook.read(request, secret: nil) == webhook)
    }

    private func status(_ request: DeskHTTPRequest, secret: String? = nil) -> Int {
        do { _ = try DeskWebhook.read(request, secret: secret) } catch { return error.status }
        return 200
    }

    @Test func signatures() {
        let body = Self.text.bytes()
        func request(_ signature: String?) -> DeskHTTPRequest {
            DeskHTTPRequest("POST", "/", signature: signature, body: body)
        }
        let right = DeskWebhook.signature(of: body, secret: "shared")
        #expect(right.hasPrefix("sha256=") && right.utf8.count == 71)
        #expect(status(request(right), secret: "shared") == 200)
        for wrong in [nil, "", "sha256=", right + "0", DeskWebhook.signature(of: body, secret: "other")] {
            #expect(status(request(wrong), secret: "shared") == 403)
            #expect(status(request(wrong)) == 200)
        }
        var changed = request(right)
        changed.body[20] ^= 1
        #expect(status(changed, secret: "shared") == 403)
    }

    @Test func whatIsNoWebhook() throws {
        func body(_ change: (String) -> String) -> DeskHTTPRequest {
            let text = String(decoding: Self.text.bytes(), as: UTF8.self)
            return DeskHTTPRequest("POST", "/", body: Array(change(text).utf8))
        }
        #expect(status(body { $0 }) == 200)
        #expect(status(DeskHTTPRequest("GET", "/")) == 405)
        #expect(status(DeskHTTPRequest("POST", "/", body: [UInt8](repeating: 0x20, count: 256 * 1024 + 1))) == 413)
        #expect(status(body { $0.replacing("\"is_inbound\":false", with: "\"is_inbound\":true") }) == 400)
        #expect(status(body { $0.replacing("2026-05-01T12:00:00Z", with: "yesterday") }) == 400)
        for field in ["ticket_id", "token", "comment", "author", "created_at", "attachments", "user_id", "comment_id"] {
            #expect(status(body { $0.replacing("\"\(field)\"", with: "\"no_\(field)\"") }) == 400, "\(field)")
        }
        let file = #"{"id":1,"name":"n","size":1}"#
        func attached(_ count: Int) -> DeskHTTPRequest {
            body {
                $0.replacing(
                    "\"attachments\":[]",
                    with: "\"attachments\":[\(Array(repeating: file, count: count).joined(separator: ","))]")
            }
        }
        #expect(status(attached(10)) == 200 && status(attached(11)) == 400)
    }

    // MARK: Delivery, in virtual time

    @Test func theBacklogKeepsOrderAndTriesAgain() {
        var backlog = DeskWebhookBacklog()
        for number in 1...3 { backlog.add([UInt8(number)]) }
        #expect(backlog.next(now: 0) == [1] && backlog.next(now: 0) == nil && backlog.nextDeadline == nil)
        backlog.finish(.unreachable, now: 0)
        #expect(backlog.next(now: 499) == nil && backlog.nextDeadline == 500)
        #expect(backlog.next(now: 500) == [1])
        backlog.finish(.status(204), now: 510)
        #expect(backlog.next(now: 510) == [2])
        backlog.finish(.status(410), now: 510)
        #expect(backlog.next(now: 510) == [3])
        backlog.finish(.status(200), now: 520)
        #expect(backlog.count == 0 && backlog.nextDeadline == nil)
        #expect(backlog.statistics == .init(delivered: 2, repeated: 1, lost: 1))
    }

    @Test(arguments: [DeskWebhookBacklog.Outcome.unreachable, .status(500), .status(599), .status(429), .status(408)])
    func whatIsTriedAgain(outcome: DeskWebhookBacklog.Outcome) {
        var backlog = DeskWebhookBacklog()
        backlog.add([1])
        var times: [Int64] = []
        while let deadline = backlog.nextDeadline {
            times.append(deadline)
            #expect(backlog.next(now: deadline) == [1])
            backlog.finish(outcome, now: deadline)
        }
        #expect(times == [0, 500, 1_500, 3_500, 7_500, 15_500], "twice as long each time, six times in all")
        #expect(backlog.statistics.lost == 1)
    }

    @Test func theBacklogHasABound() {
        var backlog = DeskWebhookBacklog()
        for _ in 0..<1_001 { backlog.add([1]) }
        #expect(backlog.count == 1_000 && backlog.statistics.lost == 1)
    }
}
