import TransportSecurity

/// Whose certificates are believed when a server is reached over TLS (`wss://`, `https://`).
public struct ServerTrust: Sendable, Hashable {
    package let roots: TLSTrust

    /// The roots that this system trusts, and those of the file that the environment names in `CALLBRIDGE_CA_FILE`.
    public static var system: ServerTrust { ServerTrust(roots: .environment) }

    /// The system's roots, and those of a file of PEM certificates.
    public static func rootsFile(_ path: String) -> ServerTrust { ServerTrust(roots: TLSTrust(rootsFile: path)) }
}
