import RTCWire

/// Reads ICE and DTLS attributes of the section that carries the transport (RFC 9143: the first of the BUNDLE group),
/// with those of the session part where the section has none.
struct TransportReader {
    let session: SDPSession
    let section: SDPMedia
    let name: LineName

    /// The transport as the description has it; `localRole` is what `role` makes of the `a=setup` found.
    func read(role: (SDPSetup?) -> DTLSRole?) throws(NegotiationError) -> RemoteTransport {
        guard let ufrag = section.iceUfrag ?? session.iceUfrag, let pwd = section.icePwd ?? session.icePwd,
            TransportReader.isICEText(ufrag, 4), TransportReader.isICEText(pwd, 22)
        else { throw .invalidICECredentials(name) }
        guard let fingerprint else { throw .missingFingerprint(name) }
        let setup = section.value("setup") ?? session.value("setup")
        let known = setup.flatMap(SDPSetup.init(rawValue:))
        guard setup == nil || known != nil, let localRole = role(known) else {
            throw .invalidSetup(name, found: setup ?? "")
        }
        let options = section.iceOptions
        return RemoteTransport(
            credentials: ICECredentials(ufrag: ufrag, pwd: pwd), fingerprint: fingerprint, localRole: localRole,
            isLite: session.iceLite,
            iceOptions: options.isEmpty ? session.iceOptions : options,
            candidates: section.candidates.filter { $0.component == 1 },
            endOfCandidates: section.endOfCandidates || session.has("end-of-candidates"), generation: 0)
    }

    /// The fingerprint to check: sha-256 where there is one, since every peer can compute it.
    private var fingerprint: DTLSFingerprint? {
        let own = section.fingerprints
        let listed = own.isEmpty ? session.fingerprints : own
        for algorithm in ["sha-256", "sha-384", "sha-512"] {
            if let found = listed.first(where: { $0.algorithm == algorithm }) {
                return DTLSFingerprint(algorithm: found.algorithm, value: found.value)
            }
        }
        return nil
    }

    /// RFC 8839 section 5.4 allows letters, digits, `+` and `/`; some peers use more, so any visible ASCII is taken.
    private static func isICEText(_ text: String, _ minimum: Int) -> Bool {
        (minimum...256).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension Negotiator {
    /// Compares a newly read transport with the one in use. Certificate and roles stay for the life of a connection; other
    /// ICE credentials are an ICE restart.
    func succeeding(_ read: RemoteTransport, _ name: LineName) throws(NegotiationError) -> RemoteTransport {
        guard let current = remoteTransport else { return read }
        guard current.fingerprint == read.fingerprint else { throw .fingerprintChanged(name) }
        guard current.localRole == read.localRole else { throw .dtlsRoleChanged(name) }
        var result = read
        let restarted = current.credentials != read.credentials
        result.generation = current.generation + (restarted ? 1 : 0)
        return result
    }
}
