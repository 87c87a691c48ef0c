/// Why something of a chat can't be done. The description says whose fault it is and what to do.
public struct DeskError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure.
    public enum Code: String, Sendable, Hashable {
        /// No application id: there is no chat without one.
        case missingAppID
        /// A user id, security key or device id that no service takes.
        case invalidCredentials
        /// A URL or setting that can't be used.
        case invalidConfiguration
        /// A port that can't be listened on.
        case portUnavailable
        /// A file that can't be written.
        case unwritable
        /// The service does not let this user in (403).
        case authorizationFailed
        /// Something was done too often; `retryAfter` says when it may be done again.
        case tooOften
        /// An attachment without content.
        case emptyAttachment
        /// A text or file beyond its bound.
        case tooLarge
        /// The service understood and refused it.
        case refused
        /// There is no such ticket or file, or it is not ours.
        case notFound
        /// No answer: the network, or the service, is away.
        case unreachable
        /// An answer that can't be understood.
        case invalidAnswer
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence.
    public let message: String
    /// Milliseconds until it may be tried again, where that is known.
    public let retryAfter: Int64?

    package init(_ code: Code, _ message: String, retryAfter: Int64? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The message.
    public var description: String { message }
}
