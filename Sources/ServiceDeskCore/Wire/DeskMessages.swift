/// What every request says of who asks. In anonymous mode `user_id` is the device's; `security_key` makes it external.
package struct DeskIdentity: Codable, Sendable, Hashable {
    package var appID: String
    package var userID: String
    package var securityKey: String?
    package var instanceID: String?
    package var version: Int?

    package init(_ credentials: DeskCredentials) {
        appID = credentials.appID
        switch credentials.authentication {
        case .anonymous: userID = credentials.deviceID
        case .external(let user, let key):
            userID = user
            securityKey = key
            instanceID = credentials.deviceID
            version = 1
        }
    }

    /// From a query; nil where something is missing.
    package init?(_ form: DeskForm) {
        guard let appID = form["app_id"], let userID = form["user_id"] else { return nil }
        self.appID = appID
        self.userID = userID
        securityKey = form["security_key"]
        instanceID = form["instance_id"]
    }

    /// Throws `DeskError` where something is beyond its bounds.
    package func credentials() throws(DeskError) -> DeskCredentials {
        guard let securityKey else { return try DeskCredentials(appID: appID, deviceID: userID) }
        return try DeskCredentials(
            appID: appID, deviceID: instanceID ?? "unknown", userID: userID, securityKey: securityKey)
    }

    /// For a query.
    package var query: String {
        var pairs = [("app_id", appID), ("user_id", userID)]
        if let securityKey { pairs.append(("security_key", securityKey)) }
        if let instanceID { pairs.append(("instance_id", instanceID)) }
        if let version { pairs.append(("version", "\(version)")) }
        return DeskForm.text(pairs)
    }

    package enum CodingKeys: String, CodingKey {
        case appID = "app_id"
        case userID = "user_id"
        case securityKey = "security_key"
        case instanceID = "instance_id"
        case version
    }
}

/// A request's body: who asks, beside what is asked for.
package struct DeskEnvelope<Content: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    package var identity: DeskIdentity
    package var content: Content

    package init(_ identity: DeskIdentity, _ content: Content) {
        self.identity = identity
        self.content = content
    }

    package init(from decoder: any Decoder) throws {
        identity = try DeskIdentity(from: decoder)
        content = try Content(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try identity.encode(to: encoder)
        try content.encode(to: encoder)
    }
}

/// `gettickets`.
package struct DeskTicketsRequest: Codable, Sendable, Hashable {
    package init() {}
}

package struct DeskTicketsAnswer: Codable, Sendable, Hashable {
    /// The newest first.
    package var tickets: [DeskTicket]

    package init(tickets: [DeskTicket]) { self.tickets = tickets }
}

/// `GetTicketFeed`.
package struct DeskFeedRequest: Codable, Sendable, Hashable {
    /// Nil for the comments of all the user's tickets.
    package var ticketID: Int64?
    /// Does not count as having been read.
    package var keepUnread: Bool?

    package init(ticketID: Int64? = nil, keepUnread: Bool? = nil) {
        self.ticketID = ticketID
        self.keepUnread = keepUnread
    }

    package enum CodingKeys: String, CodingKey {
        case ticketID = "ticket_id"
        case keepUnread = "keep_unread"
    }
}

package struct DeskFeedAnswer: Codable, Sendable, Hashable {
    /// The oldest first.
    package var comments: [DeskComment]

    package init(comments: [DeskComment]) { self.comments = comments }
}

/// `UpdateTicketFeed`.
package struct DeskCommentRequest: Codable, Sendable, Hashable {
    package struct File: Codable, Sendable, Hashable {
        /// What the upload gave.
        package var guid: String
        package var name: String

        package init(guid: String, name: String) {
            self.guid = guid
            self.name = name
        }
    }

    /// Nil for the user's newest ticket, which is made where there is none; 0 for a new one.
    package var ticketID: Int64?
    package var comment: String?
    package var attachments: [File]?
    package var userName: String?
    /// The sender's name of this comment: sent twice, there is one comment.
    package var clientID: String?

    package init(ticketID: Int64?, comment: String, attachments: [File], userName: String, clientID: String?) {
        self.ticketID = ticketID
        self.comment = comment
        self.attachments = attachments
        self.userName = userName
        self.clientID = clientID
    }

    package enum CodingKeys: String, CodingKey {
        case ticketID = "ticket_id"
        case comment
        case attachments
        case userName = "user_name"
        case clientID = "client_id"
    }
}

package struct DeskCommentAnswer: Codable, Sendable, Hashable {
    package var ticketID: Int64
    package var commentID: Int64
    /// The ids of the attachments, in their order.
    package var attachments: [Int64]

    package init(ticketID: Int64, commentID: Int64, attachments: [Int64]) {
        self.ticketID = ticketID
        self.commentID = commentID
        self.attachments = attachments
    }

    package enum CodingKeys: String, CodingKey {
        case ticketID = "ticket_id"
        case commentID = "comment_id"
        case attachments
    }
}

/// The answer to `UploadFile`.
package struct DeskUploadAnswer: Codable, Sendable, Hashable {
    package var guid: String

    package init(guid: String) { self.guid = guid }
}

/// `SetPushToken`.
package struct DeskPushTokenRequest: Codable, Sendable, Hashable {
    /// Nil or empty takes it away.
    package var token: String?
    /// The kind of device.
    package var type: String?

    package init(token: String?, type: String?) {
        self.token = token
        self.type = type
    }
}
