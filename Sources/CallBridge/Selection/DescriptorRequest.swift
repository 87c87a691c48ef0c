/// What is asked of a descriptor source.
public struct DescriptorRequest: Sendable, Hashable {
    /// The conversation whose call is meant.
    public var conversation: String
    /// Who we are; nil leaves it to the source.
    public var identity: String?
    /// The named area that the application belongs to; nil for none.
    public var area: String?
    /// The provider that the call shall go through, when the one first named could not be used; nil leaves it to the
    /// source.
    public var provider: ProviderKind?
    /// The providers that were tried in vain, in order.
    public var failures: [ProviderFailure]

    /// A request from its parts.
    public init(
        conversation: String, identity: String? = nil, area: String? = nil, provider: ProviderKind? = nil,
        failures: [ProviderFailure] = []
    ) {
        self.conversation = conversation
        self.identity = identity
        self.area = area
        self.provider = provider
        self.failures = failures
    }
}

/// A provider that could not carry a call, and why.
public struct ProviderFailure: Sendable, Hashable {
    /// Which.
    public var provider: ProviderKind
    /// What happened, for programs.
    public var code: CallError.Code
    /// What happened, for people.
    public var message: String

    /// A failure from its parts.
    public init(provider: ProviderKind, code: CallError.Code, message: String) {
        self.provider = provider
        self.code = code
        self.message = message
    }
}

/// A call goes through another provider than the one that was first named for it.
public struct ProviderChange: Sendable, Hashable {
    /// The provider that failed.
    public var from: ProviderKind
    /// The one that was tried next.
    public var to: ProviderKind
    /// Why.
    public var failure: ProviderFailure

    /// One sentence, as the call's journal has it.
    public var reason: String { "\(from) failed (\(failure.code.rawValue)), \(to) is next: \(failure.message)" }
}
