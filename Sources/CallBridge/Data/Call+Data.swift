import MediaCore

/// Messages beside the media. With a provider without `ProviderCapabilities.data` all of these throw `CallError` with
/// the code `featureUnavailable`.
extension Call {
    /// Sends a message to those identities, or to everybody else where none is named. Throws `CallError`.
    public func send(
        data: [UInt8], topic: String = "", reliable: Bool = true, to identities: [String] = []
    ) async throws {
        let message = DataMessage(bytes: data, topic: topic, isReliable: reliable)
        try await perform("send data") { try await $0.send(message, to: identities) }
    }

    /// Sends a text of any length. Throws `CallError`.
    public func sendText(
        _ text: String, topic: String = "", attributes: [String: String] = [:], to identities: [String] = []
    ) async throws {
        let bytes = Array(text.utf8)
        let info = DataStreamInfo(
            topic: topic, content: .text, totalLength: UInt64(bytes.count), attributes: attributes)
        try await sendWhole(bytes, info, to: identities)
    }

    /// Sends bytes of any number. Throws `CallError`.
    public func sendBytes(
        _ bytes: [UInt8], topic: String = "", name: String = "", mimeType: String? = nil,
        attributes: [String: String] = [:], to identities: [String] = []
    ) async throws {
        let info = DataStreamInfo(
            topic: topic, content: .bytes(name: name), mimeType: mimeType, totalLength: UInt64(bytes.count),
            attributes: attributes)
        try await sendWhole(bytes, info, to: identities)
    }

    /// Begins a text whose end is not known yet. Throws `CallError`.
    public func streamText(
        topic: String = "", attributes: [String: String] = [:], to identities: [String] = []
    ) async throws -> OutgoingDataStream {
        let info = DataStreamInfo(topic: topic, content: .text, attributes: attributes)
        return try await perform("stream text") { try await $0.openStream(info, to: identities) }
    }

    /// Begins a stream of bytes. Throws `CallError`.
    public func streamBytes(_ info: DataStreamInfo, to identities: [String] = []) async throws -> OutgoingDataStream {
        try await perform("stream bytes") { try await $0.openStream(info, to: identities) }
    }

    /// Sends a line of chat. Throws `CallError`.
    public func sendChat(_ line: ChatLine, to identities: [String] = []) async throws {
        try await perform("chat") { try await $0.send(line, to: identities) }
    }

    private func sendWhole(_ bytes: [UInt8], _ info: DataStreamInfo, to identities: [String]) async throws {
        let stream = try await perform("send a stream") { try await $0.openStream(info, to: identities) }
        try await stream.write(bytes)
        try await stream.close()
    }

    // MARK: Remote procedure calls

    /// Has calls of a method answered by `handler`, in place of an earlier one; nil for no longer.
    public func onRPC(_ method: String, _ handler: RPCHandler?) { rpcHandlers[method] = handler }

    /// Calls a method of a participant and returns its answer, which has `timeout` seconds to come.
    ///
    /// Throws `RPCError`, or `CallError` where the provider can't do this or the call has ended.
    public func performRPC(
        to identity: String, method: String, payload: String, timeout: Double = 15
    ) async throws -> String {
        try await perform("call a remote procedure") {
            try await $0.performRPC(to: identity, method: method, payload: payload, timeout: timeout)
        }
    }

    func invoked(_ invocation: RPCInvocation) {
        let handler = rpcHandlers[invocation.method]
        Task { [session, logger] in
            let result = await Self.result(of: handler, invocation)
            do { try await session.answerRPC(invocation, result) } catch {
                logger.warning(
                    "RPC answer not sent", metadata: ["method": "\(invocation.method)", "reason": "\(error)"])
            }
        }
    }

    private static func result(of handler: RPCHandler?, _ invocation: RPCInvocation) async -> Result<String, RPCError> {
        guard let handler else { return .failure(.unsupportedMethod) }
        do { return .success(try await handler(invocation)) } catch let error as RPCError {
            return .failure(error)
        } catch {
            return .failure(.applicationError)
        }
    }

    /// By identity; nil for one that we don't know, the server for instance.
    func participant(identity: String?) -> Participant? {
        identity.flatMap { identity in roster.all.first { $0.identity == identity } }
    }
}
