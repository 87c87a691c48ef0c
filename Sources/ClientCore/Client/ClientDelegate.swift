public import CallBridge
public import ClientModel
public import ConversationModel

/// Hears what a client has to say; set before the client is started, held weakly. Every function may be left out.
///
/// They are called one after another, from the client: what takes long goes elsewhere.
public protocol ClientDelegate: AnyObject, Sendable {
    /// Conversations and calls may be used.
    func clientDidInitialize(_ client: CallClient)
    /// The client has stopped, or failed.
    func clientDidDeinitialize(_ client: CallClient)
    /// Something went wrong. A fatal error is the client's last.
    func client(_ client: CallClient, didReceive error: ClientError)
    /// Something happened in conversations.
    func client(_ client: CallClient, didReceive event: ConversationEvent)
    /// The view is to be shown.
    func client(_ client: CallClient, didRequestShowUI reason: UIShowReason, requestedByUser: Bool)
    /// The view is to be hidden.
    func client(_ client: CallClient, didRequestHideUI reason: UIHideReason, conversation: String?)
    /// A call began, or ended.
    func client(_ client: CallClient, callIn conversation: String, isActive: Bool)
    /// The button that collapses the view was pressed: who acts on it?
    func clientHandleCollapse(_ client: CallClient) -> ButtonInterceptorAction
    /// Sharing, or watching, began or ended.
    func client(_ client: CallClient, coBrowsingIn conversation: String, isActive: Bool)
    /// The button of sharing was pressed: who acts on it?
    func clientHandleCoBrowsingButton(_ client: CallClient, in conversation: String) -> ButtonInterceptorAction
}

extension ClientDelegate {
    /// Nothing.
    public func clientDidInitialize(_ client: CallClient) {}
    /// Nothing.
    public func clientDidDeinitialize(_ client: CallClient) {}
    /// Nothing.
    public func client(_ client: CallClient, didReceive error: ClientError) {}
    /// Nothing.
    public func client(_ client: CallClient, didReceive event: ConversationEvent) {}
    /// Nothing.
    public func client(_ client: CallClient, didRequestShowUI reason: UIShowReason, requestedByUser: Bool) {}
    /// Nothing.
    public func client(_ client: CallClient, didRequestHideUI reason: UIHideReason, conversation: String?) {}
    /// Nothing.
    public func client(_ client: CallClient, callIn conversation: String, isActive: Bool) {}
    /// The client.
    public func clientHandleCollapse(_ client: CallClient) -> ButtonInterceptorAction { .useInternalHandler }
    /// Nothing.
    public func client(_ client: CallClient, coBrowsingIn conversation: String, isActive: Bool) {}
    /// The client.
    public func clientHandleCoBrowsingButton(
        _ client: CallClient, in conversation: String
    ) -> ButtonInterceptorAction { .useInternalHandler }
}

/// May add to what the service is told of a visitor before a conversation is begun.
public protocol ConversationInterceptor: Sendable {
    /// More data, laid over what there is. What it throws keeps the conversation from being begun.
    func conversationIsPreparing(type: ConversationType, data: [String: String]) async throws -> [String: String]
}
