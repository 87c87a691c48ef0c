import LiveKitProtocol
import NIOCore

/// Remote procedure calls that the room API makes on a participant's behalf: RpcRequest, then RpcAck and RpcResponse.
struct ServerCalls {
    /// LiveKit's limits.
    static let longestPayload = 15 * 1024
    static let acknowledgement = TimeAmount.seconds(7)
    static let defaultTimeout: UInt32 = 10_000
    /// Shorter than what an HTTP answer may take.
    static let longestTimeout: UInt32 = 25_000

    private struct Call {
        var participant: String
        var promise: EventLoopPromise<Livekit_PerformRpcResponse>
        var timers: [Scheduled<Void>]
    }

    private var calls: [String: Call] = [:]

    mutating func begin(
        _ id: String, participant: String, promise: EventLoopPromise<Livekit_PerformRpcResponse>,
        timers: [Scheduled<Void>]
    ) {
        calls[id] = Call(participant: participant, promise: promise, timers: timers)
    }

    /// The participant has the request: from now on only the answer's time counts.
    mutating func acknowledge(_ id: String) { calls[id]?.timers.first?.cancel() }

    mutating func finish(_ id: String, _ result: Result<Livekit_PerformRpcResponse, TwirpError>) {
        guard let call = calls.removeValue(forKey: id) else { return }
        for timer in call.timers { timer.cancel() }
        switch result {
        case .success(let response): call.promise.succeed(response)
        case .failure(let error): call.promise.fail(error)
        }
    }

    /// The participant has gone.
    mutating func end(of participant: String) {
        for (id, call) in calls where call.participant == participant {
            finish(id, .failure(TwirpError(.unavailable, "the participant has left", meta: ["rpc_code": "1503"])))
        }
    }

    func participant(of id: String) -> String? { calls[id]?.participant }
}

extension LiveKitRoom {
    /// Calls a method of a participant. The future fails with `TwirpError`.
    func performRPC(
        _ request: Livekit_PerformRpcRequest
    ) throws(TwirpError) -> EventLoopFuture<Livekit_PerformRpcResponse> {
        guard !request.destinationIdentity.isEmpty else {
            throw TwirpError(.invalidArgument, "destination identity is required")
        }
        let record = try find(request.destinationIdentity)
        guard request.payload.utf8.count <= ServerCalls.longestPayload else {
            throw TwirpError(
                .invalidArgument, "the payload is longer than \(ServerCalls.longestPayload) bytes",
                meta: ["rpc_code": "1402"])
        }
        let asked = request.responseTimeoutMs == 0 ? ServerCalls.defaultTimeout : request.responseTimeoutMs
        let timeout = min(asked, ServerCalls.longestTimeout)
        let id = SessionID.event()
        let packet = Livekit_DataPacket.with {
            $0.kind = .reliable
            // Clients answer to an identity; nobody in the room has this one.
            $0.participantIdentity = id
            $0.destinationIdentities = [record.identity]
            $0.rpcRequest.id = id
            $0.rpcRequest.method = request.method
            $0.rpcRequest.payload = request.payload
            $0.rpcRequest.responseTimeoutMs = timeout
            $0.rpcRequest.version = 1
        }
        guard participant(record.id)?.deliver(packet) == true else {
            throw TwirpError(.unavailable, "the participant has no open data channel", meta: ["rpc_code": "1505"])
        }
        let promise = room.eventLoop.makePromise(of: Livekit_PerformRpcResponse.self)
        let timers = [
            expire(id, in: ServerCalls.acknowledgement, "the participant did not acknowledge the call", code: 1501),
            expire(id, in: .milliseconds(Int64(timeout)), "the participant did not answer in time", code: 1502),
        ]
        serverCalls.begin(id, participant: record.id, promise: promise, timers: timers)
        return promise.futureResult
    }

    private func expire(_ id: String, in time: TimeAmount, _ message: String, code: Int) -> Scheduled<Void> {
        room.eventLoop.scheduleTask(in: time) { [weak self] in
            let error = TwirpError(.deadlineExceeded, message, meta: ["rpc_code": "\(code)"])
            self?.serverCalls.finish(id, .failure(error))
        }
    }

    /// Takes what answers a call of the room API; false for all other packets, which go to participants.
    func takeAnswer(_ packet: Livekit_DataPacket, from participant: LiveKitParticipant) -> Bool {
        switch packet.value {
        case .rpcAck(let ack):
            guard serverCalls.participant(of: ack.requestID) == participant.id else { return false }
            serverCalls.acknowledge(ack.requestID)
            return true
        case .rpcResponse(let response):
            guard serverCalls.participant(of: response.requestID) == participant.id else { return false }
            serverCalls.finish(response.requestID, Self.result(of: response))
            return true
        default: return false
        }
    }

    private static func result(of response: Livekit_RpcResponse) -> Result<Livekit_PerformRpcResponse, TwirpError> {
        switch response.value {
        case .payload(let payload): return .success(.with { $0.payload = payload })
        case .error(let error):
            let code: TwirpError.Code = error.code == 1400 ? .unimplemented : .failedPrecondition
            var meta = ["rpc_code": "\(error.code)"]
            if !error.data.isEmpty { meta["rpc_data"] = error.data }
            return .failure(TwirpError(code, error.message, meta: meta))
        case .compressedPayload, nil:
            return .failure(TwirpError(.internal, "the participant's answer can't be read"))
        }
    }
}
