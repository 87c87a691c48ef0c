import AccessPolicy
import Glibc

/// Whom a client speaks to, and as whom: certificates that are believed, keys that are pinned, the certificate of its own, and the URLs that it
/// asks at all.
package struct TLSTrust: Sendable, Hashable {
    /// A file of PEM certificates that are believed besides the system's roots.
    package var rootsFile: String?
    /// Keys, one of which has to be in the verified chain; nil for any chain that verifies.
    package var pins: CertificatePins?
    /// What is presented to a server that demands a certificate; nil for nothing.
    package var identity: ClientIdentity?
    /// A URL that one of them refuses is not asked.
    package var policies: [URLPolicy] = []

    package init(rootsFile: String?) { self.rootsFile = rootsFile }

    /// The system's roots, and those of the file that the environment names in CALLBRIDGE_CA_FILE.
    package static var environment: TLSTrust {
        TLSTrust(rootsFile: getenv("CALLBRIDGE_CA_FILE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Judges a URL before anything is looked up. Throws `URLRefusal`.
    ///
    /// - Parameters:
    ///   - url: as it is asked, its query too.
    ///   - authority: host and port that are connected to, where they were read by another parser: both have to agree.
    package func check(_ url: String, dialing authority: String? = nil) throws(URLRefusal) {
        for policy in policies {
            let canonical = try policy.check(url)
            guard let authority else { continue }
            let dialed = try? CanonicalURL("\(canonical.scheme)://\(authority)")
            guard dialed?.host == canonical.host, dialed?.port == canonical.port else {
                throw URLRefusal(url: canonical.shown, fault: .host)
            }
        }
    }

    /// What is not set here as another has it; policies of both.
    package func filled(from other: TLSTrust) -> TLSTrust {
        var result = self
        result.rootsFile = rootsFile ?? other.rootsFile
        result.pins = pins ?? other.pins
        result.identity = identity ?? other.identity
        for policy in other.policies where !policies.contains(policy) { result.policies.append(policy) }
        return result
    }
}
