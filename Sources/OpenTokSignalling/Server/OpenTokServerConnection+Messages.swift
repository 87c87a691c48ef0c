package import RTCWire

/// What the client sends, and what has come of it.
extension OpenTokServerConnection {
    /// A binary WebSocket message.
    ///
    /// - Parameter timeOfDay: seconds since 1970, for the token.
    package mutating func receive(
        _ bytes: [UInt8], _ now: Instant, timeOfDay: Int64, into actions: inout [Action]
    ) {
        guard !hasEnded else { return }
        self.timeOfDay = timeOfDay
        guard let frame = try? RumorFrame(message: bytes) else { return misbehaved(into: &actions) }
        change(into: &actions) { $0.receive(frame, now, into: &$1) }
    }

    /// The client has come back on another socket.
    package mutating func opened(_ now: Instant, into actions: inout [Action]) {
        change(into: &actions) { $0.opened(now, into: &$1) }
    }

    /// The socket has closed.
    package mutating func closed(code: Int, _ now: Instant, into actions: inout [Action]) {
        change(into: &actions) { $0.closed(code: code, now, into: &$1) }
    }

    package mutating func advance(to now: Instant, into actions: inout [Action]) {
        switch phase {
        case .greeting(let until) where now >= until, .connected(let until) where now >= until:
            change(into: &actions) { $0.abandon(into: &$1) }
        default: change(into: &actions) { $0.advance(to: now, into: &$1) }
        }
    }

    /// Answers a request, or decides about one to join.
    package mutating func answer(_ transaction: String, _ answer: Answer, into actions: inout [Action]) {
        guard !hasEnded else { return }
        switch answer {
        case .done:
            if phase == .joining(transaction: transaction) { phase = .joined }
            status(200, transaction, into: &actions)
        case .state(let state): status(200, transaction, state.payload, into: &actions)
        case .refused(let refusal):
            if phase == .joining(transaction: transaction) {
                return refuse(transaction, refusal.rawValue, into: &actions)
            }
            status(refusal.rawValue, transaction, into: &actions)
        }
    }

    mutating func received(_ frame: RumorFrame, into actions: inout [Action]) {
        switch (frame.kind, phase) {
        case (.connect, .greeting(let until)):
            guard frame.connection == settings.connection else { return misbehaved(into: &actions) }
            phase = .connected(until: until)
        case (.subscribe, _), (.unsubscribe, _):
            // A client hears of its own session alone, and from the moment it has joined.
            let topic = RaptorURI.topic(project: settings.project, session: settings.session.text)
            guard frame.addresses == [topic] else { return misbehaved(into: &actions) }
        case (.message, .connected), (.message, .joining), (.message, .joined):
            guard let transaction = frame.transaction else { return misbehaved(into: &actions) }
            message(frame, transaction, into: &actions)
        default: misbehaved(into: &actions)
        }
    }

    private mutating func message(_ frame: RumorFrame, _ transaction: String, into actions: inout [Action]) {
        guard frame.addresses == [settings.serverAddress] else { return status(404, transaction, into: &actions) }
        guard frame.from == settings.connection else { return status(403, transaction, into: &actions) }
        let request: RaptorRequest
        do throws(MessageFault) {
            let message = try RaptorMessage(payload: frame.payload)
            guard message.uri.project == settings.project, message.uri.session == settings.session.text else {
                return status(404, transaction, into: &actions)
            }
            request = try RaptorRequest(message)
        } catch {
            let text: JSON = ["message": .string(error.description)]
            return status(error.isTooLong ? 413 : 400, transaction, text.bytes, into: &actions)
        }
        switch (request, phase) {
        case (.join(let connection, let join), .connected):
            admit(frame.token, connection, join, transaction, into: &actions)
        case (.join, _): status(409, transaction, into: &actions)
        case (_, .joined): actions.append(.request(request, transaction: transaction))
        default: status(403, transaction, into: &actions)
        }
    }

    private mutating func admit(
        _ token: String?, _ connection: String, _ join: RaptorJoin, _ transaction: String, into actions: inout [Action]
    ) {
        guard connection == settings.connection else { return refuse(transaction, 403, into: &actions) }
        do throws(OpenTokTokenError) {
            let token = try OpenTokToken(
                verifying: token ?? "", secrets: secrets, session: settings.session.text, now: timeOfDay)
            guard token.project == settings.project else { throw .foreignSession }
            phase = .joining(transaction: transaction)
            let permissions = token.role.permissions(subscribersMaySignal: settings.subscribersMaySignal)
            let admission = Admission(connection: connection, token: token, permissions: permissions, join: join)
            actions.append(.join(admission, transaction: transaction))
        } catch {
            let text: JSON = ["message": .string(error.description)]
            refuse(transaction, error.clientCode == .invalidSession ? 400 : 403, text.bytes, into: &actions)
        }
    }

    /// There is no second attempt to join on one connection.
    private mutating func refuse(
        _ transaction: String, _ status: Int, _ payload: [UInt8] = [], into actions: inout [Action]
    ) {
        self.status(status, transaction, payload, into: &actions)
        change(into: &actions) { $0.close(into: &$1) }
    }

    private mutating func status(
        _ status: Int, _ transaction: String, _ payload: [UInt8] = [], into actions: inout [Action]
    ) {
        change(into: &actions) { $0.answer(transaction, status: status, payload: payload, into: &$1) }
    }

    private mutating func misbehaved(into actions: inout [Action]) {
        change(into: &actions) { $0.abandon(.misbehaved, into: &$1) }
    }
}
