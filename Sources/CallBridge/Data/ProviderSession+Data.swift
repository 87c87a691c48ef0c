/// Messages beside the media. Each of these throws `FeatureUnavailable` unless the provider has `.data`.
extension ProviderSession {
    /// Sends a message to those identities, or to everybody else where none is named.
    public func send(_ message: DataMessage, to identities: [String]) async throws {
        throw FeatureUnavailable("data messages")
    }

    /// Begins a stream of any length.
    public func openStream(_ info: DataStreamInfo, to identities: [String]) async throws -> OutgoingDataStream {
        throw FeatureUnavailable("data streams")
    }

    /// Sends a line of chat.
    public func send(_ line: ChatLine, to identities: [String]) async throws { throw FeatureUnavailable("chat") }

    /// Calls a method of a participant. Throws `RPCError`.
    public func performRPC(
        to identity: String, method: String, payload: String, timeout: Double
    ) async throws -> String { throw FeatureUnavailable("remote procedure calls") }

    /// Answers `ProviderEvent.rpcInvoked`.
    public func answerRPC(_ invocation: RPCInvocation, _ result: Result<String, RPCError>) async throws {
        throw FeatureUnavailable("remote procedure calls")
    }
}
