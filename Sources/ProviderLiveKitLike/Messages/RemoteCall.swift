import CallBridge
import Foundation
import LiveKitProtocol

/// A call of a method of somebody else.
struct RemoteCall: Sendable, Hashable {
    /// The longest request and answer, in bytes.
    static let longestPayload = 15_360
    /// What a compressed one may expand to, in bytes.
    static let longestText = 16 * 1024 * 1024

    var id: String
    var recipient: String
    var method: String
    var payload: String
    /// Seconds for the answer.
    var timeout: Double

    init(id: String, to recipient: String, method: String, payload: String, timeout: Double) {
        self.id = id
        self.recipient = recipient
        self.method = method
        self.payload = payload
        // What is no number counts as the shortest time.
        self.timeout = timeout >= 0.001 ? min(timeout, 86_400) : 0.001
    }

    var packet: Livekit_DataPacket {
        .with {
            $0.destinationIdentities = [recipient]
            $0.rpcRequest.id = id
            $0.rpcRequest.method = method
            $0.rpcRequest.payload = payload
            // The answer needs time for its way.
            $0.rpcRequest.responseTimeoutMs = UInt32(max(timeout * 1000, 1))
            $0.rpcRequest.version = 1
        }
    }
}

extension Livekit_DataPacket {
    /// We have somebody's request.
    static func acknowledgement(of id: String, to caller: String) -> Livekit_DataPacket {
        .with {
            $0.destinationIdentities = [caller]
            $0.rpcAck.requestID = id
        }
    }

    /// What we answer somebody.
    static func answer(_ id: String, to caller: String, _ result: Result<String, RPCError>) -> Livekit_DataPacket {
        var response = Livekit_RpcResponse()
        response.requestID = id
        switch result {
        case .success(let payload) where payload.utf8.count <= RemoteCall.longestPayload: response.payload = payload
        case .success: response.error = .init(.responseTooLarge)
        case .failure(let error): response.error = .init(error)
        }
        return .with {
            $0.destinationIdentities = [caller]
            $0.rpcResponse = response
        }
    }
}

extension RPCInvocation {
    /// A request of somebody, or nil for a payload that can't be read.
    init?(_ request: Livekit_RpcRequest, by identity: String) {
        var payload: String? = request.payload
        if !request.compressedPayload.isEmpty { payload = Inflate.text(request.compressedPayload) }
        guard request.version == 1, let payload else { return nil }
        self.init(
            id: request.id, method: request.method, payload: payload, callerIdentity: identity,
            timeout: Double(request.responseTimeoutMs) / 1000)
    }
}

extension Livekit_RpcResponse {
    var result: Result<String, RPCError> {
        switch value {
        case .payload(let payload): .success(payload)
        case .error(let error):
            .failure(RPCError(code: Int(error.code), message: error.message, data: error.data))
        case .compressedPayload(let bytes): Inflate.text(bytes).map { .success($0) } ?? .failure(.applicationError)
        case nil: .failure(.applicationError)
        }
    }
}

extension Livekit_RpcError {
    fileprivate init(_ error: RPCError) {
        self.init()
        code = UInt32(clamping: error.code)
        message = error.message
        data = error.data.utf8.count <= RemoteCall.longestPayload ? error.data : ""
    }
}

extension Inflate {
    fileprivate static func text(_ bytes: Data) -> String? {
        (try? decompress(Array(bytes), limit: RemoteCall.longestText)).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
