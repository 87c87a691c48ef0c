import ServiceDeskCore

/// What the fuzz target does with one input: see `WireFuzzing`.
package enum ServiceDeskFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("servicedesk", { servicedesk($0) })
    ]

    private static let boundary = "b"
    private static let paths = [
        "gettickets", "GetTicketFeed", "UpdateTicketFeed", "SetPushToken", "UploadFile", "DownloadFile/1",
    ]

    /// Whatever is sent to service, authorization service and webhook listener is answered; what is read can be written and
    /// reads the same again. The first byte chooses who reads.
    package static func servicedesk(_ input: UnsafeRawBufferPointer) {
        guard let choice = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch choice % 6 {
        case 0: webhook(bytes)
        case 1: authorization(bytes, .form)
        case 2: authorization(bytes, .json)
        case 3: form(bytes)
        case 4: multipart(bytes)
        default: requests(bytes)
        }
    }

    private static func webhook(_ bytes: [UInt8]) {
        guard let read = try? DeskWebhook.read(DeskHTTPRequest("POST", "/", body: bytes), secret: nil) else { return }
        let again = DeskHTTPRequest("POST", "/", body: read.bytes())
        precondition((try? DeskWebhook.read(again, secret: nil)) == read)
    }

    private static func authorization(_ bytes: [UInt8], _ encoding: AuthorizationRequest.Encoding) {
        func ask(_ body: [UInt8]) -> AuthorizationRequest? {
            try? AuthorizationRequest.read(
                DeskHTTPRequest("POST", "/", contentType: encoding.contentType, body: body))
        }
        guard let read = ask(bytes) else { return }
        precondition(read.securityKey.unicodeScalars.count <= 100 && read.userID.unicodeScalars.count <= 100)
        // Two characters may be one when they meet again: the form keeps bytes.
        precondition(ask(read.body(encoding)) == read)
    }

    private static func form(_ bytes: [UInt8]) {
        guard let read = DeskForm(bytes) else { return }
        let text = DeskForm.text(read.values.map { ($0.key, $0.value) })
        precondition(DeskForm(text.utf8) == read)
    }

    private static func multipart(_ bytes: [UInt8]) {
        guard let read = DeskMultipart(bytes, boundary: boundary) else { return }
        let fit = DeskFileName.fit(read.name)
        precondition(!fit.isEmpty && fit.utf8.count <= DeskBounds.nameBytes && !fit.contains("/"))
        let again = DeskMultipart(name: fit, bytes: read.bytes).body(boundary: "another-boundary")
        precondition(DeskMultipart(again, boundary: "another-boundary")?.bytes.count ?? 0 <= read.bytes.count)
    }

    /// Requests, separated by 0x00, to one service: each begins with a byte that chooses the method.
    private static func requests(_ bytes: [UInt8]) {
        var service = DeskService(support: DeskAuthor(name: "s"))
        var now = DeskDate(milliseconds: 0)
        for part in bytes.split(separator: 0, maxSplits: 16) {
            guard let choice = part.first else { continue }
            let path = paths[Int(choice) % paths.count]
            let method = path.hasPrefix("Download") ? "GET" : "POST"
            let request = DeskHTTPRequest(
                method, DeskRouter.root + path,
                query: choice % 2 == 0 ? "app_id=a&user_id=u" : String(decoding: part.prefix(64), as: UTF8.self),
                contentType: "multipart/form-data; boundary=\(boundary)", body: Array(part.dropFirst()))
            now.milliseconds += 1_000
            guard let question = try? DeskRouter.read(request) else { continue }
            let answer = service.perform(question, now: now)
            precondition((200..<600).contains(answer.status))
            if case .comment(let asked) = question.call, answer.status == 200 {
                guard let said = try? DeskJSON.read(DeskCommentAnswer.self, answer.body) else {
                    preconditionFailure("an answer that is none")
                }
                precondition(service.overview(said.ticketID)?.comments.isEmpty == false)
                precondition(said.attachments.count == asked.attachments?.count ?? 0)
            }
        }
    }
}
