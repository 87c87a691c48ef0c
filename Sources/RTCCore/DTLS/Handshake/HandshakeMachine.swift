import RTCWire

/// Our side of the handshake, whichever it is.
struct HandshakeMachine: ~Copyable {
    private enum Side: ~Copyable {
        case client(ClientHandshake)
        case server(ServerHandshake)
    }

    private let side: Side

    private init(_ side: consuming Side) { self.side = side }

    borrowing func copied() -> HandshakeMachine {
        switch side {
        case .client(let client): HandshakeMachine(.client(client.copied()))
        case .server(let server): HandshakeMachine(.server(server.copied()))
        }
    }

    init(_ role: DTLSRole) { side = role == .client ? .client(ClientHandshake()) : .server(ServerHandshake()) }

    /// The client's first flight; nil for the server, who waits for it.
    mutating func start(_ settings: HandshakeSettings, _ log: inout HandshakeLog) -> Flight? {
        switch consume side {
        case .client(var client):
            let flight = client.start(settings, &log)
            self = HandshakeMachine(.client(client))
            return flight
        case .server(let server):
            self = HandshakeMachine(.server(server))
            return nil
        }
    }

    /// Those of the peer's messages that nobody has signed in an answer to ours: all of a server's, and a client's hello.
    /// A client's later ones stand under its CertificateVerify.
    func openingMessages(in heard: [HandshakeMessage]) -> ArraySlice<HandshakeMessage> {
        switch side {
        case .client: heard[...]
        case .server: heard.prefix(1)
        }
    }

    /// Takes the peer's next message. On an `.ignored` fault nothing has changed.
    mutating func receive(
        _ message: HandshakeMessage, _ settings: HandshakeSettings, expecting fingerprint: DTLSFingerprint?,
        _ log: inout HandshakeLog
    ) throws(HandshakeFault) -> HandshakeAction {
        let result: Result<HandshakeAction, HandshakeFault>
        switch consume side {
        case .client(var client):
            do throws(HandshakeFault) {
                result = .success(try client.receive(message, settings, expecting: fingerprint, &log))
            } catch {
                result = .failure(error)
            }
            self = HandshakeMachine(.client(client))
        case .server(var server):
            do throws(HandshakeFault) {
                result = .success(try server.receive(message, settings, expecting: fingerprint, &log))
            } catch {
                result = .failure(error)
            }
            self = HandshakeMachine(.server(server))
        }
        return try result.get()
    }
}
