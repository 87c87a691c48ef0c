import OpenTokSignalling
import RTCWire

/// What the application wants, and what the server answers.
extension OpenTokMachine {
    mutating func take(_ command: ClientCommand, _ id: CommandID, _ turn: inout ClientTurn) {
        guard hasJoined else {
            return turn.fail(id, ClientError(.notConnected, "the session is not connected yet"))
        }
        do throws(ClientError) { try perform(command, id, &turn) } catch { turn.fail(id, error) }
    }

    private mutating func perform(
        _ command: ClientCommand, _ id: CommandID, _ turn: inout ClientTurn
    ) throws(ClientError) {
        switch command {
        case .publish(let stream):
            try own.require(.publish, .unableToPublish, "publish")
            publish(stream, id, &turn)
        case .unpublish(let stream): unpublish(stream, id, &turn)
        case .setActive(let isActive, let stream, let channel): setActive(isActive, stream, channel, id, &turn)
        case .setSubscribed(let isSubscribed, let stream, let channel):
            if isSubscribed { try own.require(.subscribe, .unableToSubscribe, "subscribe") }
            setSubscribed(isSubscribed, stream, channel, id, &turn)
        case .prefer(let preferences, let stream, let channel): prefer(preferences, stream, channel, id, &turn)
        case .signal(let content, let connections): try signal(content, to: connections, id, &turn)
        case .forceDisconnect, .forceUnpublish, .forceMuteStream, .forceMuteAll: try moderate(command, id, &turn)
        }
    }

    private mutating func moderate(
        _ command: ClientCommand, _ id: CommandID, _ turn: inout ClientTurn
    ) throws(ClientError) {
        switch command {
        case .forceDisconnect(let connection):
            try own.require(.forceDisconnect, .unableToForceDisconnect, "disconnect others")
            ask(.forceDisconnect(connection: connection), for: .command(id, .unableToForceDisconnect), &turn)
        case .forceUnpublish(let stream):
            try own.require(.forceUnpublish, .unableToForceUnpublish, "take streams of others away")
            ask(.unpublish(stream: stream), for: .command(id, .unableToForceUnpublish), &turn)
        case .forceMuteStream(let stream):
            try own.require(.forceMute, .unableToForceMute, "mute others")
            ask(.muteStream(stream), for: .command(id, .unableToForceMute), &turn)
        case .forceMuteAll(let mute):
            try own.require(.forceMute, .unableToForceMute, "mute others")
            ask(.forceMute(mute), for: .command(id, .unableToForceMute), &turn)
        default: break
        }
    }

    private mutating func signal(
        _ content: SignalContent, to connections: [String]?, _ id: CommandID, _ turn: inout ClientTurn
    ) throws(ClientError) {
        try own.require(.signal, .unableToSignal, "send signals")
        try content.check()
        let receivers = connections.map { $0.map(Optional.some) } ?? [nil]
        guard !receivers.isEmpty else { return turn.settle(id) }
        signals[id] = receivers.count
        for (index, receiver) in receivers.enumerated() where signals[id] != nil {
            ask(.signal(to: receiver, id: "\(settings.connection)-\(id)-\(index)", content), for: .signal(id), &turn)
        }
    }

    // MARK: Answers

    mutating func answered(
        _ purpose: RequestPurpose, status: Int, payload: [UInt8], _ turn: inout ClientTurn
    ) {
        switch purpose {
        case .join: joined(status: status, payload: payload, &turn)
        case .readState: read(status: status, payload: payload, &turn)
        case .publish(let stream): published(stream, status: status, &turn)
        case .subscribe(let stream, let subscriber): subscribed(stream, subscriber, status: status, &turn)
        case .command(let command, let code):
            if let error = ClientError(status: status, code) { turn.fail(command, error) } else { turn.settle(command) }
        case .signal(let command): signalled(command, status: status, &turn)
        case .nothing: break
        }
    }

    private mutating func signalled(_ command: CommandID, status: Int, _ turn: inout ClientTurn) {
        guard let left = signals[command] else { return }
        if let error = ClientError(status: status, status == 413 ? .signalDataTooLong : .unableToSignal) {
            signals[command] = nil
            return turn.fail(command, error)
        }
        signals[command] = left > 1 ? left - 1 : nil
        if left == 1 { turn.settle(command) }
    }
}

extension ClientError {
    /// What a refusal means; nil where it is none.
    init?(status: Int, _ code: ClientErrorCode) {
        guard !(200..<300).contains(status) else { return nil }
        let why =
            switch status {
            case 403: "the server does not allow it to our role"
            case 404: "it is gone"
            case 408: "the server did not answer in time"
            case 413: "it is too long"
            case 429: "there were too many requests; wait a while"
            default: "the server refused it"
            }
        self.init(code, "\(why) (status \(status))")
    }
}
