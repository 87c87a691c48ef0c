/// What an application's server is told of a new message of the support: one POST each. `author`, `created_at` and
/// `attachments` stand beside `comment`.
public struct DeskWebhook: Sendable, Hashable, Codable {
    /// Whom the message is for.
    public struct Token: Sendable, Hashable, Codable {
        /// The user; the device in anonymous mode.
        public var userID: String
        /// The application.
        public var appID: String
        /// The device that the user was last heard from.
        public var deviceID: String
        /// The kind of device, as its push token named it; `iOS` where there was none.
        public var type: String

        /// A token from its parts.
        public init(userID: String, appID: String, deviceID: String, type: String = "iOS") {
            self.userID = userID
            self.appID = appID
            self.deviceID = deviceID
            self.type = type
        }

        private enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case appID = "app_id"
            case deviceID = "device_id"
            case type
        }
    }

    /// The message.
    public struct Comment: Sendable, Hashable, Codable {
        /// The service's id: whoever is told twice knows it by this.
        public var id: Int64
        /// The text.
        public var body: String
        /// Always false: what users write is not told.
        public var isInbound = false

        /// A comment from its parts.
        public init(id: Int64, body: String) {
            self.id = id
            self.body = body
        }

        private enum CodingKeys: String, CodingKey {
            case id = "comment_id"
            case body
            case isInbound = "is_inbound"
        }
    }

    /// The ticket.
    public var ticketID: Int64
    /// Whom it is for.
    public var token: Token
    /// The message.
    public var comment: Comment
    /// Who of the support wrote it; a colour where they have no picture.
    public var author: DeskAuthor
    /// When.
    public var createdAt: DeskDate
    /// Its files.
    public var attachments: [DeskAttachment]

    /// A webhook from its parts.
    public init(
        ticketID: Int64, token: Token, comment: Comment, author: DeskAuthor, createdAt: DeskDate,
        attachments: [DeskAttachment] = []
    ) {
        self.ticketID = ticketID
        self.token = token
        self.comment = comment
        self.author = author
        self.createdAt = createdAt
        self.attachments = attachments
    }

    private enum CodingKeys: String, CodingKey {
        case ticketID = "ticket_id"
        case token
        case comment
        case author
        case createdAt = "created_at"
        case attachments
    }

    // MARK: The wire

    /// Bytes of a body.
    package static let largest = 256 * 1024
    /// The field with `sha256=` and the HMAC-SHA256 of the body, where the two sides share a secret.
    package static let signatureField = "X-Desk-Signature"

    package static func signature(of body: [UInt8], secret: String) -> String {
        "sha256=" + DeskDigest.hmac(body, secret: secret)
    }

    /// The body to send.
    package func bytes() -> [UInt8] { (try? DeskJSON.bytes(self)) ?? [] }

    /// Reads what a webhook listener has been sent. Throws 405, 413, 403 for a wrong signature, 400.
    ///
    /// - Parameter secret: nil believes everybody.
    package static func read(_ request: DeskHTTPRequest, secret: String?) throws(DeskRefusal) -> DeskWebhook {
        guard request.method == "POST" else { throw DeskRefusal(405, "ask by POST", allow: "POST") }
        guard request.body.count <= largest else { throw DeskRefusal(413, "a webhook has at most \(largest) bytes") }
        if let secret {
            let right = signature(of: request.body, secret: secret)
            guard let given = request.signature, DeskDigest.isSame(given, right) else {
                throw DeskRefusal(403, "\(signatureField) is missing or wrong")
            }
        }
        guard let webhook = try? DeskJSON.read(DeskWebhook.self, request.body) else {
            throw DeskRefusal(400, "this is no webhook of a service desk")
        }
        guard !webhook.comment.isInbound else { throw DeskRefusal(400, "what users write is not told by webhook") }
        guard webhook.attachments.count <= DeskBounds.attachments,
            webhook.comment.body.utf8.count <= DeskBounds.bodyBytes
        else { throw DeskRefusal(400, "the comment is beyond its bounds") }
        return webhook
    }
}
