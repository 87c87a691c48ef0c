import AccessPolicy
import CallBridge
import NIOCore
import TransportSecurity
import WebClient

/// Opens connections to signalling servers.
enum SignalDialer {
    /// Connects, with TLS where the server's URL asks for it, and sets the pipeline up. Throws what NIO throws, and
    /// `TLSError`; `URLRefusal` where the policy does not allow it.
    static func connect<Result: Sendable>(
        _ target: SignalTarget, timeout: Double, configure: @escaping @Sendable (any Channel) throws -> Result
    ) async throws -> Result {
        try target.trust.check(
            "\(target.address.isSecure ? "https" : "http")://\(target.authority)\(target.path)",
            dialing: target.authority)
        return try await WebDialer.connect(target.address, trust: target.trust, timeout: timeout, configure: configure)
    }

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
