/// A provider to install, as listed in a configuration: `providers: [.liveKitLike]`.
public struct ProviderRegistration: Sendable {
    let provider: any CallProvider

    /// Installs `provider`.
    public init(_ provider: any CallProvider) { self.provider = provider }
}

/// The providers that are installed, by name.
public struct ProviderRegistry: Sendable {
    private var providers: [ProviderKind: any CallProvider] = [:]
    /// Kinds of which a configuration lists several: which one was meant can't be told.
    private var ambiguous: Set<ProviderKind> = []

    /// Two providers of one kind are an error of the configuration, which `provider(for:)` throws for that kind.
    public init(_ registrations: [ProviderRegistration] = []) {
        for registration in registrations {
            let kind = registration.provider.kind
            if providers[kind] != nil { ambiguous.insert(kind) }
            register(registration.provider)
        }
    }

    /// Installs a provider, in place of another one of its name.
    public mutating func register(_ provider: any CallProvider) { providers[provider.kind] = provider }

    /// The names of the installed providers, sorted.
    public var installed: [ProviderKind] { providers.keys.sorted { $0.rawValue < $1.rawValue } }

    /// The provider that a descriptor wants. Throws `CallError` that names the wanted and the installed ones.
    public func provider(for kind: ProviderKind) throws(CallError) -> any CallProvider {
        guard !providers.isEmpty else {
            throw mismatch(
                .noProviderInstalled, kind,
                "the call wants the provider \(kind), but none is installed; "
                    + "link one, ProviderLiveKitLike for example, and list it in the bridge's configuration")
        }
        guard let provider = providers[kind] else {
            let names = installed.map(\.rawValue).joined(separator: ", ")
            throw mismatch(
                .providerNotInstalled, kind,
                "the call wants the provider \(kind), but only \(names) \(installed.count == 1 ? "is" : "are") installed; "
                    + "link that provider, or change the server's configuration")
        }
        guard !ambiguous.contains(kind) else {
            throw mismatch(
                .duplicateProvider, kind,
                "the bridge's configuration lists the provider \(kind) more than once; list it once")
        }
        return provider
    }

    private func mismatch(_ code: CallError.Code, _ wanted: ProviderKind, _ message: String) -> CallError {
        var error = CallError(.configuration, code, message)
        error.wanted = wanted
        error.installed = installed
        return error
    }
}
