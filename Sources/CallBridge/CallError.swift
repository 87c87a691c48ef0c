/// Why something about a call failed, and whose fault it was. Final for the object that threw it.
public struct CallError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Who has to do something about it.
    public enum Fault: String, Sendable, Hashable {
        /// The program that uses this library: a wrong argument, a call in the wrong state.
        case caller
        /// What was configured: no such provider, a malformed URL, a descriptor that can't be read.
        case configuration
        /// The provider's server: it refused, or broke its protocol.
        case provider
        /// The network between us: nothing answers.
        case network
        /// This machine: a library, a device, a resource is missing.
        case environment
    }

    /// What happened, for programs.
    public enum Code: String, Sendable, Hashable {
        /// No provider is installed at all.
        case noProviderInstalled
        /// The server wants a provider that isn't installed.
        case providerNotInstalled
        /// The bridge's configuration lists a provider more than once.
        case duplicateProvider
        /// The provider's server refused us: token, permission, limits.
        case providerRefused
        /// The provider was lost during the call.
        case providerLost
        /// A URL that the client's policy does not allow; nothing was sent there.
        case urlRefused
        /// The server did not answer, or not in time.
        case unreachable
        /// The server's answer is no valid one.
        case protocolViolation
        /// The server configuration could not be had or read.
        case configurationUnavailable
        /// An argument is wrong, or the call's state does not allow it.
        case invalidArgument
        /// The provider that carries the call lacks the feature.
        case featureUnavailable
        /// Media can't be read, made or encoded.
        case mediaUnavailable
        /// The microphone or the camera may not be used.
        case permissionDenied
    }

    /// Whose fault it was.
    public let fault: Fault
    /// What happened.
    public let code: Code
    /// One sentence that names the input and the remedy.
    public let message: String
    /// The provider that the call wants; with `noProviderInstalled` and `providerNotInstalled`.
    public var wanted: ProviderKind?
    /// The providers that are installed; with `providerNotInstalled`.
    public var installed: [ProviderKind] = []
    /// The providers that were tried in vain, where failover was allowed.
    public var attempts: [ProviderFailure] = []

    /// An error from its parts.
    public init(_ fault: Fault, _ code: Code, _ message: String) {
        self.fault = fault
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension CallError {
    /// What the policy refuses is asked neither again nor elsewhere.
    package init(_ refusal: URLRefusal) { self.init(.configuration, .urlRefused, refusal.description) }
}
