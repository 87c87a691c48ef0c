/// Why something about a client failed. A fatal one is the client's last: it has to be made anew.
public struct ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A field of the configuration can't be used; `field` names it.
        case invalidConfiguration
        /// What was asked for needs a module that isn't registered.
        case moduleNotRegistered
        /// The call module is registered, and no provider is installed in it.
        case noProviderInstalled
        /// A module of that name is registered already.
        case duplicateModule
        /// Modules are registered before the client is made.
        case moduleRegisteredLate
        /// Delegates are set before the client is started.
        case delegateSetLate
        /// The token is missing, refused or used up. Set another one: at start-up start again, later go on.
        case authorization
        /// The service did not answer, or not in time.
        case unreachable
        /// Only a started client can do that.
        case notReady
        /// The client was stopped before it was done.
        case stopped
        /// The client's role does not have that.
        case wrongRole
        /// Another conversation is open, or being opened.
        case conversationOpen
        /// There is no such conversation, or it is over.
        case conversationUnavailable
        /// The interceptor did not answer in time, or refused.
        case interceptorFailed
        /// A message, or what a conversation was begun with, is empty or too long, or too much waits already.
        case messageRefused
        /// The service refused what was asked of it.
        case requestRefused
        /// Microphone or camera may not be used.
        case permissionDenied
        /// A file is of a type that is not taken, or has too many bytes, here or at the service.
        case fileRefused
        /// The content of a file is not what its type says: it was kept back, here or at the service.
        case fileQuarantined
        /// A file can't be read or written here; the disk is full, for example.
        case fileFailed
        /// The call could not be begun, or was lost.
        case callFailed
        /// The server speaks another language than this client.
        case incompatibleServer
        /// A fault of this library, or of what the application plugged into it.
        case internalError
    }

    /// What happened.
    public let code: Code
    /// The field of the configuration; with `invalidConfiguration`.
    public var field: String?
    /// One sentence that names the input and the remedy.
    public let message: String

    /// An error from its parts.
    public init(_ code: Code, _ message: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.field = field
    }

    /// Whether the client is of no use any more; its calls have ended then.
    public var isFatal: Bool {
        switch code {
        case .incompatibleServer, .internalError: true
        default: false
        }
    }

    /// The message.
    public var description: String { message }
}
