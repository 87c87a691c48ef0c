/// Why a remote procedure call failed; it travels to the caller as it is.
public struct RPCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// LiveKit's numbers; an application's own lie outside of 1001...1999.
    public var code: Int
    /// One sentence, at most 256 bytes.
    public var message: String
    /// More for programs, at most 15,360 bytes.
    public var data: String

    /// An error of the application's own.
    public init(code: Int, message: String, data: String = "") {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Code and message.
    public var description: String { "\(message) (RPC error \(code))" }

    /// The method failed with an error of another type.
    public static let applicationError = RPCError(code: 1500, message: "Application error in method handler")
    /// The other side did not acknowledge the call in time.
    public static let connectionTimeout = RPCError(code: 1501, message: "Connection timeout")
    /// The other side did not answer in time.
    public static let responseTimeout = RPCError(code: 1502, message: "Response timeout")
    /// The other side left before it answered.
    public static let recipientDisconnected = RPCError(code: 1503, message: "Recipient disconnected")
    /// The answer is too long.
    public static let responseTooLarge = RPCError(code: 1504, message: "Response payload too large")
    /// The request could not be sent.
    public static let sendFailed = RPCError(code: 1505, message: "Failed to send")
    /// The other side has no such method.
    public static let unsupportedMethod = RPCError(code: 1400, message: "Method not supported at destination")
    /// Nobody in the call has that identity.
    public static let recipientNotFound = RPCError(code: 1401, message: "Recipient not found")
    /// The request is too long.
    public static let requestTooLarge = RPCError(code: 1402, message: "Request payload too large")
    /// The other side can't do remote procedure calls as we do them.
    public static let unsupportedVersion = RPCError(code: 1404, message: "Unsupported RPC version")
}

/// A call of one of our methods.
public struct RPCInvocation: Sendable, Hashable {
    /// The caller's id of the call.
    public var id: String
    /// Which method.
    public var method: String
    /// What it is given.
    public var payload: String
    /// Who calls.
    public var callerIdentity: String
    /// How long the caller waits for the answer, in seconds.
    public var timeout: Double

    /// An invocation from its parts.
    public init(id: String, method: String, payload: String, callerIdentity: String, timeout: Double) {
        self.id = id
        self.method = method
        self.payload = payload
        self.callerIdentity = callerIdentity
        self.timeout = timeout
    }
}

/// What answers a remote procedure call; an `RPCError` that it throws reaches the caller as it is.
public typealias RPCHandler = @Sendable (RPCInvocation) async throws -> String
