import RTCCore
import RTCWire

/// What all media connections of a server share.
struct MediaSettings: Sendable {
    let certificate: DTLSCertificate
    let dtlsBackend: DTLSBackend
    let srtpBackend: SRTPBackend
    let srtpProfiles: [SRTPProfile]
    let plane: MediaPlane
    let downlinkFeedback: DownlinkFeedback
    /// The addresses that clients are told instead of those that the media sockets serve; the port is each loop's own.
    let advertised: [TransportAddress]

    /// Throws `CallServerError`.
    init(_ configuration: CallServerConfiguration) throws(CallServerError) {
        do throws(CryptoError) {
            certificate = try DTLSCertificate.generate()
            try configuration.media.dtlsBackend.check()
        } catch {
            throw CallServerError(error)
        }
        dtlsBackend = configuration.media.dtlsBackend
        srtpBackend = configuration.media.srtpBackend
        srtpProfiles = configuration.media.srtpProfiles
        plane = configuration.media.plane
        downlinkFeedback = configuration.media.downlinkFeedback
        advertised = try configuration.media.advertisedAddresses.map { name throws(CallServerError) in
            guard let address = TransportAddress(host: name, port: 0) else { throw .noMediaAddress(name) }
            return address
        }
    }
}

extension CallServerError {
    /// What kept the certificate and the backend of DTLS from being had.
    init(_ error: CryptoError) {
        self =
            switch error {
            case .incompatibleOpenSSL: .unsuitableLibrary("\(error)")
            case .libraryFailure, .srtpLibraryFailure, .invalidKeyLength: .noCertificate("\(error)")
            }
    }
}
