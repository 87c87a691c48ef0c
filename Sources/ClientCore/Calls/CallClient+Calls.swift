public import CallBridge
import ClientModel
import ConversationModel

extension CallClient {
    /// Starts, or joins, the audio call of a conversation. Throws `ClientError` that says what is missing: the module, a
    /// provider, a permission, the conversation.
    @discardableResult public func startAudioCall(in conversation: String) async throws -> Call {
        try await startCall(.audio, in: conversation)
    }

    /// Starts, or joins, the video call of a conversation, as `startAudioCall`. Without the camera it is one of sound.
    @discardableResult public func startVideoCall(in conversation: String) async throws -> Call {
        try await startCall(.video, in: conversation)
    }

    /// The call of a conversation that this client is in.
    public func call(in conversation: String) -> Call? { calls[conversation] }

    /// What this client may publish in a call: without the camera sound alone, without the microphone it listens. Throws
    /// `ClientError` where listening will not do.
    public func mediaPlan(
        for type: ConversationCallType, allowsListenOnly: Bool = true
    ) async throws(ClientError) -> MediaPlan {
        let wanted = PublishedMedia(audio: true, video: type == .video)
        do {
            return try await MediaPlan.decide(
                for: wanted, permissions: environment.permissions, allowsListenOnly: allowsListenOnly)
        } catch {
            throw ClientError(.permissionDenied, error.message)
        }
    }

    private func startCall(_ type: ConversationCallType, in conversation: String) async throws -> Call {
        let purpose = "start a call"
        try requireReady(purpose)
        guard let module = try environment.modules.require(.call, to: purpose) as? CallModule else {
            throw ClientError(.moduleNotRegistered, "the module call is none of this library's; register a CallModule")
        }
        guard !module.installed.isEmpty else {
            throw ClientError(
                .noProviderInstalled, "can't \(purpose): the call module has no provider; list one in its configuration"
            )
        }
        guard desk.conversations.contains(where: { $0.conversation.id == conversation }) else {
            throw Self.unavailable(conversation)
        }
        if let running = calls[conversation] { return running }
        // The user is asked before anybody is called.
        _ = try await mediaPlan(for: type)
        do {
            let call = try await module.bridge.join(conversation: conversation, as: desk.personId, trust: trust)
            return try await attach(call, type, conversation)
        } catch let error as CallError {
            let code: ClientError.Code =
                switch error.code {
                case .noProviderInstalled: .noProviderInstalled
                case .permissionDenied: .permissionDenied
                default: .callFailed
                }
            throw ClientError(code, "can't \(purpose): \(error.message)")
        }
    }

    /// The conversation may have ended, and another call begun, while this one was joined.
    private func attach(_ call: Call, _ type: ConversationCallType, _ conversation: String) async throws -> Call {
        guard phase == .ready, desk.conversations.contains(where: { $0.conversation.id == conversation }) else {
            await call.leave()
            throw Self.unavailable(conversation)
        }
        if let running = calls[conversation] {
            await call.leave()
            return running
        }
        calls[conversation] = call
        tell(.callChanged(conversation: conversation, isActive: true))
        hub.send(.callStarted(conversation: conversation))
        delegate?.client(self, callIn: conversation, isActive: true)
        Task { [weak self] in
            for await event in call.events {
                if case .ended = event { break }
            }
            await self?.callEnded(call, conversation)
        }
        note(.put, conversation, Self.json(CallRequest(callType: type)))
        return call
    }

    private func callEnded(_ call: Call, _ conversation: String) {
        guard calls[conversation] === call else { return }
        calls[conversation] = nil
        tell(.callChanged(conversation: conversation, isActive: false))
        hub.send(.callEnded(conversation: conversation))
        delegate?.client(self, callIn: conversation, isActive: false)
        note(.delete, conversation, [])
    }

    /// Leaves the call of a conversation. Its conversation lives on.
    public func endCall(_ conversation: String) {
        guard let call = calls[conversation], leaving[ObjectIdentifier(call)] == nil else { return }
        leaving[ObjectIdentifier(call)] = Task { [weak self] in
            await call.leave()
            await self?.hasLeft(call)
        }
    }

    private func hasLeft(_ call: Call) { leaving[ObjectIdentifier(call)] = nil }

    func beginCallByItself(_ conversation: String, _ type: ConversationCallType) {
        Task { [weak self] in
            do { _ = try await self?.startCall(type, in: conversation) } catch let error as ClientError {
                await self?.announceFailure(error)
            }
        }
    }

    private func announceFailure(_ error: ClientError) {
        hub.send(.error(error))
        delegate?.client(self, didReceive: error)
    }

    /// Tells the service of a call, so that whoever comes later can join it. The call does not wait for it.
    private func note(_ method: ServiceRequest.Method, _ conversation: String, _ body: [UInt8]) {
        Task { [weak self] in
            _ = try? await self?.send(ServiceRequest(method: method, path: "/\(conversation.inPath)/call", body: body))
        }
    }

    static func unavailable(_ conversation: String) -> ClientError {
        ClientError(.conversationUnavailable, "there is no conversation \(conversation.prefix(80)), or it is over")
    }
}
