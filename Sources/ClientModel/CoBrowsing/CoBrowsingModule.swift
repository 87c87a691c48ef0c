public import CoBrowsingModel
public import ConversationModel

/// Sharing of the screen: `ScreenCoBrowsing` of the product `CoBrowsing`, or a module of the application's.
public protocol CoBrowsingModule: ClientModule {
    /// Begins to share in a conversation, and returns when others can watch. What it throws is shown to people.
    func share(in conversation: Conversation, over channel: any CoBrowsingChannel) async throws -> any CoBrowsingSession
    /// Watches what somebody else shares in a conversation, now or later.
    func watch(in conversation: Conversation, over channel: any CoBrowsingChannel) async throws -> any CoBrowsingSession
}

/// What one shares, or watches.
public protocol CoBrowsingSession: AnyObject, Sendable {
    /// Returns when it is over, and why. Any number may wait.
    func end() async -> CoBrowsingEnd
    /// Ends it, for others too where it is shared by us. Returns when nothing leaves any more.
    func stop(_ reason: CoBrowsingEnd) async
    /// Tells the signs of sharing something. The session stops itself where that follows, the rest is the caller's.
    @discardableResult
    func indicate(_ event: CoBrowsingIndicators.Event) async -> [CoBrowsingIndicators.Action]
}
