import AccessPolicy
import CallBridge
import TransportSecurity
import WebClient

/// What stands between us and a signalling server.
enum SignalDialer {
    /// Why a server can't be reached, and what to do.
    static func failure(_ error: any Error, _ target: SignalTarget) -> CallError {
        if let error = error as? URLRefusal { return CallError(error) }
        if let error = error as? TLSError { return CallError(.configuration, .unreachable, "\(error)") }
        return CallError(
            .network, .unreachable,
            "the server \(target.authority) can't be reached (\(WebDialer.reason(error))); is it running, and is the URL right?"
        )
    }
}
