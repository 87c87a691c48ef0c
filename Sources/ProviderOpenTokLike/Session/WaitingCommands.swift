import CallBridge
import OpenTokClient

/// The present socket, and its number at the machine.
struct NumberedSocket {
    var number = 0
    var connection: (any MessageSocket)?
}

/// Whoever waits for something, and what the session has to put away at its end.
struct WaitingCommands {
    /// Waits until the server has let us in.
    var joining: CheckedContinuation<Void, any Error>?
    /// Closes everything at the end of the call.
    var closing: Task<Void, Never>?
    /// Sockets that are being closed.
    var sockets: Task<Void, Never>?
    /// What we publish, by stream.
    var published: [String: PublishedStream] = [:]
    private var commands: [CommandID: CheckedContinuation<Void, any Error>] = [:]
    private var last: CommandID = 0

    mutating func add(_ continuation: CheckedContinuation<Void, any Error>) -> CommandID {
        last += 1
        commands[last] = continuation
        return last
    }

    mutating func settle(_ command: CommandID, _ result: Result<ClientOutput.Success, ClientError>) {
        let continuation = commands.removeValue(forKey: command)
        switch result {
        case .success: continuation?.resume()
        case .failure(let error): continuation?.resume(throwing: CallError(error))
        }
    }

    mutating func joined() {
        joining?.resume()
        joining = nil
    }

    mutating func refuse(_ error: ClientError) {
        joining?.resume(throwing: CallError(error))
        joining = nil
    }
}
