/// Why a client gets no session information.
package enum SessionInfoFault: Error, Hashable, CustomStringConvertible {
    case refused(ClientErrorCode, String)
    case unexpected(MessageFault)

    package var description: String {
        switch self {
        case .refused(let code, let message):
            "session information is refused (\(code.rawValue))\(message.isEmpty ? "" : ": \(message.prefix(300))")"
        case .unexpected(let fault): "session information can't be read: \(fault)"
        }
    }

    package var clientCode: ClientErrorCode {
        switch self {
        case .refused(let code, _): code
        case .unexpected: .unexpectedServerResponse
        }
    }

    /// Worth another attempt.
    package var isTransient: Bool { [.connectionFailed, .unexpectedServerResponse].contains(clientCode) }
}
