/// Why a call server could not start. The description says what went wrong and what to do.
public enum CallServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The configuration has a value that no server can run with.
    case configuration(String)
    /// The signalling port can't be had.
    case cannotListen(String)
    /// A media port can't be had.
    case cannotBindMedia(String)
    /// The configuration names no IP address that clients could send media to.
    case noMediaAddress(String)
    /// The machine's cryptographic library refused to make a certificate.
    case noCertificate(String)
    /// DTLS over libssl was chosen, and the libssl that was loaded is none that the server can drive.
    case unsuitableLibrary(String)
    /// `start` was called on a server that runs or has run.
    case alreadyStarted

    /// What went wrong and what to do.
    public var description: String {
        switch self {
        case .configuration(let text), .cannotListen(let text), .cannotBindMedia(let text),
            .unsuitableLibrary(let text):
            text
        case .noMediaAddress(let name):
            "\"\(name)\" is no IP address that clients could send media to; give one in advertisedAddresses, of a family that the media port is bound for"
        case .noCertificate(let reason): "cannot make a DTLS certificate: \(reason)"
        case .alreadyStarted: "this call server has been started before; make a new one"
        }
    }
}
