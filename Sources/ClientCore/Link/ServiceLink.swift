package import ClientModel
package import CoBrowsingModel
package import ConversationModel

/// A connection to the service that stands. Its first notice is a snapshot.
package struct ServiceConnection: Sendable {
    /// Ends with the connection.
    package let notices: AsyncStream<ConversationNotice>
    package let close: @Sendable () async -> Void

    package init(notices: AsyncStream<ConversationNotice>, close: @escaping @Sendable () async -> Void) {
        self.notices = notices
        self.close = close
    }
}

/// What every request carries.
package struct ServiceIdentity: Sendable, Hashable {
    package var token: ClientToken
    /// The value of the `Cookie` field.
    package var cookies: String?
    /// Whose configuration is loaded.
    package var area: String?
}

/// One request.
package struct ServiceRequest: Sendable, Hashable {
    package enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", delete = "DELETE" }

    /// The parts of the service.
    package enum Part: String, Sendable { case conversations, files, notifications }

    package var part = Part.conversations
    package var method: Method
    /// Below the part's root, percent-encoded, with its query.
    package var path: String
    package var body: [UInt8] = []
    /// Beside those that every request has.
    package var fields: [String: String] = [:]
}

/// Why a request has no good answer.
package enum ServiceFault: Error, Sendable, Hashable {
    /// The token is refused.
    case unauthorized
    /// It is refused for good: asking again gives the same.
    case refused(status: Int, String)
    /// Nobody knows whether it arrived.
    case unanswered(String)
}

/// The service as a client reaches it; a test puts a service of its own in its place.
package protocol ServiceLink: Sendable {
    func connect(_ identity: ServiceIdentity) async throws(LinkFailure) -> ServiceConnection
    func send(_ request: ServiceRequest, _ identity: ServiceIdentity) async throws(ServiceFault) -> [UInt8]
    /// The way between the people of a conversation for co-browsing.
    func coBrowse(_ conversation: String, _ identity: ServiceIdentity) async throws(ServiceFault)
        -> any CoBrowsingChannel
}
