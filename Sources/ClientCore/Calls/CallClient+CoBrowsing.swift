import CallBridge
public import ClientModel
public import CoBrowsingModel
import ConversationModel

extension CallClient {
    /// Begins to share the screen in a conversation, and returns when others can watch. What is shared is the module's; the
    /// session ends with the conversation.
    ///
    /// Throws `ClientError`: no module is registered, there is no such conversation, somebody shares in it already, the module
    /// can't share.
    @discardableResult
    public func startCoBrowsing(in conversation: String) async throws -> any CoBrowsingSession {
        let session = try await coBrowse(in: conversation, to: "share the screen") {
            try await $0.share(in: $1, over: $2)
        }
        attach(session, conversation, isShared: true)
        ask(.wanted(.coBrowsingStarted, byUser: true))
        return session
    }

    /// Watches what somebody shares in a conversation, now or later. `Conversation.sharedBy` says whether somebody does. Throws
    /// as `startCoBrowsing`.
    public func watchCoBrowsing(in conversation: String) async throws -> any CoBrowsingSession {
        let session = try await coBrowse(in: conversation, to: "watch a screen") {
            try await $0.watch(in: $1, over: $2)
        }
        attach(session, conversation, isShared: false)
        return session
    }

    /// What this client shares in a conversation.
    public func sharedScreen(in conversation: String) -> (any CoBrowsingSession)? { coBrowsing.shared[conversation] }

    /// What this client watches in a conversation.
    public func watchedScreen(in conversation: String) -> (any CoBrowsingSession)? { coBrowsing.watched[conversation] }

    /// The button of sharing was pressed. The delegate may act on it instead; otherwise its menu opens.
    public func pressCoBrowsingButton(in conversation: String) async {
        let isHandled = delegate?.clientHandleCoBrowsingButton(self, in: conversation) == .useCustomHandler
        await coBrowsing.shared[conversation]?.indicate(.pressed(isHandledByApplication: isHandled))
    }

    /// A choice from the menu of the button of sharing: stops, asks for the view, or nothing.
    public func chooseCoBrowsing(_ action: CoBrowsingAction, in conversation: String) async {
        let follows = await coBrowsing.shared[conversation]?.indicate(.chose(action)) ?? []
        if follows.contains(.returnToConversation) { ask(.wanted(.coBrowsingButtonPressed, byUser: true)) }
    }

    private func coBrowse(
        in conversation: String, to purpose: String,
        _ begin: (any CoBrowsingModule, Conversation, any CoBrowsingChannel) async throws -> any CoBrowsingSession
    ) async throws -> any CoBrowsingSession {
        try requireReady(purpose)
        guard let module = try environment.modules.require(.coBrowsing, to: purpose) as? any CoBrowsingModule else {
            throw ClientError(.moduleNotRegistered, "the module coBrowsing can't share; register a CoBrowsingModule")
        }
        guard let info = desk.conversations.first(where: { $0.conversation.id == conversation }) else {
            throw Self.unavailable(conversation)
        }
        let channel = try await openChannel(conversation, to: purpose)
        let session: any CoBrowsingSession
        do { session = try await begin(module, info.conversation, channel) } catch {
            await channel.close()
            throw ClientError(.callFailed, "can't \(purpose): \(error)")
        }
        // The client may have been stopped meanwhile, and the conversation may be over.
        guard phase == .ready, desk.conversations.contains(where: { $0.conversation.id == conversation }) else {
            await session.stop(phase == .ready ? .conversationEnded : .stopped)
            throw Self.unavailable(conversation)
        }
        return session
    }

    private func openChannel(
        _ conversation: String, to purpose: String
    ) async throws(ClientError) -> any CoBrowsingChannel {
        guard let current = connection else {
            throw ClientError(.unreachable, "can't \(purpose): there is no connection; try again")
        }
        do throws(ServiceFault) { return try await link.coBrowse(conversation, settings.identity(current.token)) } catch
        {
            switch error {
            case .unauthorized:
                put(.unauthorized(attempt: current.attempt))
                throw ClientError(.authorization, "can't \(purpose): the token was refused; set another one")
            case .refused(let status, let words):
                throw ClientError(.requestRefused, "can't \(purpose): HTTP \(status): \(words)")
            case .unanswered(let words):
                throw ClientError(.unreachable, "can't \(purpose): \(words); try again")
            }
        }
    }

    private func attach(_ session: any CoBrowsingSession, _ conversation: String, isShared: Bool) {
        coBrowsing.set(session, conversation, isShared: isShared)
        if isShared {
            let isVisible = settings.ui.isVisible
            Task { await session.indicate(.conversationWindow(isVisible: isVisible)) }
        }
        hub.send(.coBrowsingStarted(conversation: conversation))
        delegate?.client(self, coBrowsingIn: conversation, isActive: true)
        Task { [weak self] in
            let end = await session.end()
            await self?.coBrowsingEnded(session, conversation, end)
        }
    }

    private func coBrowsingEnded(_ session: any CoBrowsingSession, _ conversation: String, _ end: CoBrowsingEnd) {
        coBrowsing.remove(session, conversation)
        hub.send(.coBrowsingEnded(conversation: conversation, end))
        delegate?.client(self, coBrowsingIn: conversation, isActive: false)
    }
}

/// The sessions that a client has, by their conversations.
struct CoBrowsingSessions: Sendable {
    private(set) var shared: [String: any CoBrowsingSession] = [:]
    private(set) var watched: [String: any CoBrowsingSession] = [:]

    mutating func set(_ session: any CoBrowsingSession, _ conversation: String, isShared: Bool) {
        let former =
            isShared
            ? shared.updateValue(session, forKey: conversation) : watched.updateValue(session, forKey: conversation)
        if let former { Task { await former.stop(.stopped) } }
    }

    mutating func remove(_ session: any CoBrowsingSession, _ conversation: String) {
        if shared[conversation] === session { shared[conversation] = nil }
        if watched[conversation] === session { watched[conversation] = nil }
    }

    func stop(_ conversation: String, _ reason: CoBrowsingEnd) {
        for session in [shared[conversation], watched[conversation]].compactMap({ $0 }) {
            Task { await session.stop(reason) }
        }
    }

    func stopAll(_ reason: CoBrowsingEnd) { for id in Set(shared.keys).union(watched.keys) { stop(id, reason) } }

    func indicate(_ event: CoBrowsingIndicators.Event) {
        for session in shared.values { Task { await session.indicate(event) } }
    }
}
