import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore

/// Remote procedure calls: request, acknowledgement, answer.
extension LiveKitSession {
    func performRPC(
        to identity: String, method: String, payload: String, timeout: Double
    ) async throws -> String {
        guard payload.utf8.count <= RPCLedger.longestPayload else { throw RPCError.requestTooLarge }
        guard roster.contains(identity: identity) else { throw RPCError.recipientNotFound }
        let limit = min(max(timeout, 0.001), 86_400)
        let id = UUID().uuidString.lowercased()
        data.calls.begin(id, to: identity, timeout: limit, now: clock.now.seconds)
        let request = Livekit_DataPacket.with {
            $0.destinationIdentities = [identity]
            $0.rpcRequest.id = id
            $0.rpcRequest.method = method
            $0.rpcRequest.payload = payload
            // The answer needs time for its way.
            $0.rpcRequest.responseTimeoutMs = UInt32(max(limit * 1000, 1))
            $0.rpcRequest.version = 1
        }
        let result = await withCheckedContinuation { continuation in
            data.answers[id] = continuation
            for limit in Set([limit, RPCLedger.acknowledgement]) { expireCalls(after: limit) }
            Task { await self.sendRequest(request, id) }
        }
        return try result.get()
    }

    private func sendRequest(_ request: Livekit_DataPacket, _ id: String) async {
        do { try await send(request) } catch {
            data.calls.forget(id)
            settle(id, .failure(.sendFailed))
        }
    }

    private func expireCalls(after seconds: Double) {
        Task { [weak self, clock] in
            try? await clock.wait(seconds: seconds)
            await self?.expireCalls()
        }
    }

    private func expireCalls() {
        for (id, error) in data.calls.expire(now: clock.now.seconds) { settle(id, .failure(error)) }
    }

    func settle(_ id: String, _ result: Result<String, RPCError>) {
        data.answers.removeValue(forKey: id)?.resume(returning: result)
    }

    func answered(_ response: Livekit_RpcResponse, by identity: String) {
        guard data.calls.answer(response.requestID, by: identity) else { return }
        switch response.value {
        case .payload(let payload): settle(response.requestID, .success(payload))
        case .error(let error):
            settle(
                response.requestID,
                .failure(RPCError(code: Int(error.code), message: error.message, data: error.data)))
        case .compressedPayload(let bytes):
            let text = Self.text(compressed: bytes)
            settle(response.requestID, text.map { .success($0) } ?? .failure(.applicationError))
        case nil: settle(response.requestID, .failure(.applicationError))
        }
    }

    private static func text(compressed bytes: Data) -> String? {
        (try? Inflate.decompress(Array(bytes), limit: StreamAssembler.longestText)).flatMap {
            String(validating: $0.output, as: UTF8.self)
        }
    }

    /// Somebody has gone: nobody waits for its answer, and its streams stay incomplete.
    func dataSenderLeft(_ identity: String) {
        for id in data.calls.recipientLeft(identity) { settle(id, .failure(.recipientDisconnected)) }
        data.streams.senderLeft(identity)
    }

    // MARK: We are called

    func invoked(_ request: Livekit_RpcRequest, by identity: String) {
        let seconds = Double(request.responseTimeoutMs) / 1000
        var payload: String? = request.payload
        if !request.compressedPayload.isEmpty { payload = Self.text(compressed: request.compressedPayload) }
        let invocation = RPCInvocation(
            id: request.id, method: request.method, payload: payload ?? "", callerIdentity: identity, timeout: seconds)
        Task {
            try? await send(
                .with {
                    $0.destinationIdentities = [identity]
                    $0.rpcAck.requestID = request.id
                })
            guard request.version == 1, payload != nil else {
                try? await answerRPC(invocation, .failure(.unsupportedVersion))
                return
            }
            report.yield(.rpcInvoked(invocation))
        }
    }

    func answerRPC(_ invocation: RPCInvocation, _ result: Result<String, RPCError>) async throws {
        var response = Livekit_RpcResponse()
        response.requestID = invocation.id
        switch result {
        case .success(let payload) where payload.utf8.count <= RPCLedger.longestPayload: response.payload = payload
        case .success: response.error = .init(.responseTooLarge)
        case .failure(let error): response.error = .init(error)
        }
        try await send(
            .with {
                $0.destinationIdentities = [invocation.callerIdentity]
                $0.rpcResponse = response
            })
    }
}

extension Livekit_RpcError {
    fileprivate init(_ error: RPCError) {
        self.init()
        code = UInt32(clamping: error.code)
        message = error.message
        data = error.data.utf8.count <= RPCLedger.longestPayload ? error.data : ""
    }
}
