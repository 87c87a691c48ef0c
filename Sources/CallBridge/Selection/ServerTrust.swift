public import AccessPolicy
public import TransportSecurity

/// Whose certificates are believed when a server is reached over TLS (`wss://`, `https://`, `turns:`), what is presented to it, and which URLs
/// are asked at all.
public struct ServerTrust: Sendable, Hashable {
    package private(set) var roots: TLSTrust

    /// The roots that this system trusts, and those of the file that the environment names in `CALLBRIDGE_CA_FILE`.
    public static var system: ServerTrust { ServerTrust(roots: .environment) }

    /// The system's roots, and those of a file of PEM certificates.
    public static func rootsFile(_ path: String) -> ServerTrust { ServerTrust(roots: TLSTrust(rootsFile: path)) }

    /// The same, and one of these keys has to be in each server's verified chain: signalling, HTTP, downloads, TURN over TLS.
    public func pinned(to pins: CertificatePins) -> ServerTrust {
        var result = self
        result.roots.pins = pins
        return result
    }

    /// The same, with a certificate for servers that demand one.
    public func presenting(_ identity: ClientIdentity) -> ServerTrust {
        var result = self
        result.roots.identity = identity
        return result
    }

    /// The same, and a URL that the policy refuses is not asked.
    public func allowing(_ policy: URLPolicy) -> ServerTrust {
        var result = self
        if !result.roots.policies.contains(policy) { result.roots.policies.append(policy) }
        return result
    }

    /// What is not set here as another has it; policies of both.
    package func filled(from other: ServerTrust?) -> ServerTrust {
        guard let other else { return self }
        return ServerTrust(roots: roots.filled(from: other.roots))
    }

    /// Neither keys nor certificates.
    package init(roots: TLSTrust) { self.roots = roots }
}

/// A source of descriptors that asks servers.
protocol TrustingDescriptorSource: CallDescriptorSource {
    /// The same, asking only what that trust allows too.
    func filled(from trust: ServerTrust) -> any CallDescriptorSource
}
