import RTCWire

/// Why a handshake message was not taken.
enum HandshakeFault: Error {
    /// It can't be read, or comes at the wrong time. In the clear anybody can have sent it: it counts as lost, and the
    /// peer's own may follow.
    case ignored(String)
    /// It can be read and not be accepted, and may be forged: the flight that it belongs to is awaited anew.
    case restarted
    /// The handshake can't go on. The peer is told by the alert.
    case fatal(DTLSFailure, alert: UInt8)

    /// What the peer says is well formed and not acceptable.
    static func refused(_ words: String, alert: UInt8 = TLSAlert.Description.illegalParameter) -> HandshakeFault {
        .fatal(.protocolViolation(words), alert: alert)
    }

    /// The environment's fault.
    static func environment(_ error: CryptoError) -> HandshakeFault {
        .fatal(.protocolViolation("\(error)"), alert: TLSAlert.Description.internalError)
    }

    /// Reads a message.
    static func reading<Message>(
        _ name: String, _ body: () throws(WireError) -> Message
    ) throws(HandshakeFault) -> Message {
        do throws(WireError) {
            return try body()
        } catch {
            throw .ignored("unreadable \(name): \(error)")
        }
    }

    /// Calls into libcrypto.
    static func calling<Result>(_ body: () throws(CryptoError) -> Result) throws(HandshakeFault) -> Result {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw .environment(error)
        }
    }
}
