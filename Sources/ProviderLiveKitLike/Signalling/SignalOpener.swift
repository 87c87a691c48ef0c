import CallBridge
import LiveKitProtocol
import MediaCore

/// Opens a signalling socket and waits for the server's first word.
struct SignalOpener: Sendable {
    let timeouts: SessionTimeouts
    /// What the timeouts are waited for on.
    let clock: MediaClock

    /// The paths of the two signalling modes.
    static func path(single: Bool) -> String { single ? "/rtc/v1" : "/rtc" }

    /// Opens the socket. A refusal is asked about at `.../validate`, as the server's words are better there.
    func open(
        _ server: SignalTarget, single: Bool, query: [(String, String)], token: String
    ) async throws(JoinFailure) -> SignalConnection {
        let path = Self.path(single: single)
        let target = server.at(path, query: query)
        switch try await request(target, token: token) {
        case .connected(let connection): return connection
        case .refused(404, _) where single:
            throw JoinFailure(
                .unknownPath,
                CallError(
                    .provider, .protocolViolation,
                    "the server at \(server.authority) speaks no LiveKit protocol with a single connection (HTTP 404)"))
        case .refused(let status, let body):
            let question = server.at(path + "/validate", query: query)
            let answer = await HTTPQuestion.get(question, token: token, timeout: timeouts.validation)
            guard let answer, answer.status != 200 else {
                // It would let us in, so the refusal was of the moment.
                let failure = JoinFailure.refused(server, status: status, body: body, token: token)
                throw answer == nil ? failure : JoinFailure(.retryable, failure.error)
            }
            throw JoinFailure.refused(server, status: answer.status, body: answer.body, token: token)
        }
    }

    private func request(_ target: SignalTarget, token: String) async throws(JoinFailure) -> SignalConnection.Outcome {
        do {
            return try await SignalConnection.open(target, token: token, timeout: timeouts.socket)
        } catch let error as CallError {
            // A certificate does not become better by asking again.
            throw JoinFailure(error.fault == .configuration ? .refused(status: 0) : .retryable, error)
        } catch {
            throw JoinFailure(.retryable, SignalDialer.failure(error, target))
        }
    }

    /// Reads until a message that `choose` takes; others before it are skipped. A server that says `leave` has sent us away.
    func first<Response>(
        on signal: SignalConnection, of server: SignalTarget, what: String,
        _ choose: (Livekit_SignalResponse.OneOf_Message) -> Response?
    ) async throws(JoinFailure) -> Response {
        let limit = timeouts.join
        let watchdog = Task { [clock] in
            try await clock.wait(seconds: limit)
            signal.abandon()
        }
        defer { watchdog.cancel() }
        for await message in signal.messages {
            guard let message = message.message else { continue }
            if let response = choose(message) { return response }
            if case .leave(let leave) = message {
                signal.abandon()
                throw JoinFailure(
                    .left(leave),
                    CallError(
                        .provider, .providerRefused,
                        "the server \(server.authority) refused the join: \(leave.reason.refusal)"))
            }
        }
        throw JoinFailure(
            .retryable,
            CallError(
                .provider, .protocolViolation,
                "the server \(server.authority) sent no \(what) within \(Int(limit)) s; is it a LiveKit server?"))
    }
}
