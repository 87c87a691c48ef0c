package import RTCWire

/// Frames come and go.
extension RumorChannel {
    /// Sends a message: at once where there is a link, else when there is one again. One with a transaction is sent again
    /// until it is acknowledged; one without is lost with its link.
    package mutating func send(_ frame: RumorFrame, into actions: inout [Action]) throws(RumorFault) {
        guard state != .ended else { return }
        if frame.kind == .message, let transaction = frame.transaction {
            guard transaction.utf8.count <= RumorFrame.longestTransaction else { throw .nameTooLong }
            try backlog.append(frame)
        }
        if isOpen { actions.append(.send(frame)) }
    }

    /// Answers a message of the other side, and any repeat of it.
    package mutating func answer(
        _ transaction: String, status: Int, payload: [UInt8] = [], into actions: inout [Action]
    ) {
        let frame = RumorFrame.status(status, transaction: transaction, payload: payload)
        answers.keep(frame, to: transaction)
        if isOpen { actions.append(.send(frame)) }
    }

    /// A frame has come.
    package mutating func receive(_ frame: RumorFrame, _ now: Instant, into actions: inout [Action]) {
        guard case .open(let pingAt, _) = state else { return }
        state = .open(pingAt: pingAt, lostAt: now + silence)
        switch frame.kind {
        case .ping: actions.append(.send(.pong))
        case .pong: break
        case .status: acknowledged(frame, into: &actions)
        case .message: message(frame, into: &actions)
        case .disconnect:
            actions.append(.close(code: 1000))
            end(.closed, into: &actions)
        case .connect, .subscribe, .unsubscribe:
            guard side == .server else { return misbehaved(into: &actions) }
            actions.append(.report(.received(frame)))
        }
    }

    /// An answer to a message that does not wait any more is a repeat.
    private mutating func acknowledged(_ frame: RumorFrame, into actions: inout [Action]) {
        guard let transaction = frame.transaction, let status = frame.status else { return misbehaved(into: &actions) }
        guard backlog.remove(transaction) else { return }
        actions.append(.report(.answered(transaction: transaction, status: status, payload: frame.payload)))
    }

    private mutating func message(_ frame: RumorFrame, into actions: inout [Action]) {
        guard let transaction = frame.transaction else {
            actions.append(.report(.received(frame)))
            return
        }
        guard transaction.utf8.count <= RumorFrame.longestTransaction else { return misbehaved(into: &actions) }
        switch answers.lookUp(transaction) {
        case .new:
            actions.append(.report(.received(frame)))
            // A server's answer is the result; a client just says that it has it.
            if side == .client { answer(transaction, status: 200, into: &actions) }
        case .pending: break
        case .answered(let answer): actions.append(.send(answer))
        }
    }

    private mutating func misbehaved(into actions: inout [Action]) {
        actions.append(.close(code: 1002))
        end(.misbehaved, into: &actions)
    }
}
