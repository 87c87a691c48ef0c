/// A provider to install, as listed in a configuration: `providers: [.liveKitLike]`.
public struct ProviderRegistration: Sendable {
    let provider: any CallProvider

    /// Installs `provider`.
    public init(_ provider: any CallProvider) { self.provider = provider }
}

/// The providers that are installed, by name.
public struct ProviderRegistry: Sendable {
    private var providers: [ProviderKind: any CallProvider] = [:]

    /// Of two providers with one name the later one counts.
    public init(_ registrations: [ProviderRegistration] = []) {
        for registration in registrations { register(registration.provider) }
    }

    /// Installs a provider, in place of another one of its name.
    public mutating func register(_ provider: any CallProvider) { providers[provider.kind] = provider }

    /// The names of the installed providers, sorted.
    public var installed: [ProviderKind] { providers.keys.sorted { $0.rawValue < $1.rawValue } }

    /// The provider that a descriptor wants. Throws `CallError` that names the wanted and the installed ones.
    public func provider(for kind: ProviderKind) throws(CallError) -> any CallProvider {
        guard !providers.isEmpty else {
            throw CallError(
                .configuration, .noProviderInstalled,
                "the call wants the provider \(kind), but none is installed; "
                    + "link one, ProviderLiveKitLike for example, and list it in the bridge's configuration")
        }
        guard let provider = providers[kind] else {
            throw CallError(
                .configuration, .providerNotInstalled,
                "the call wants the provider \(kind), but only \(installed.map(\.rawValue).joined(separator: ", ")) "
                    + "is installed; link that provider, or change the server's configuration")
        }
        return provider
    }
}
