/// The active-conversation indicator as a pure reducer: a floating button while a conversation is on and its view is
/// hidden, that leads back to it.
///
/// Where a call is on as well, the active-call indicator takes its place. Unlike that one it can be disabled, and dropping
/// it on the removal area closes the conversation.
public struct ActiveConversationIndicator: Sendable, Hashable {
    /// What an indicator is told.
    public enum Event: Sendable, Hashable {
        /// A conversation is open.
        case conversationOpened(id: String)
        /// It was closed.
        case conversationClosed
        /// The conversation's view was shown or hidden.
        case conversationUI(isVisible: Bool)
        /// A call began.
        case callStarted
        /// The call is over.
        case callEnded
        /// The indicator was dragged beyond the edge.
        case movedOffScreen
        /// The bookmark was clicked or dragged back.
        case bookmarkPulled
        /// A click on the indicator.
        case clicked
        /// The indicator was dropped on the removal area.
        case droppedOnRemovalArea
    }

    /// What is to be done.
    public enum Action: Sendable, Hashable {
        /// Draw it so from now on.
        case show(isVisible: Bool, placement: IndicatorAppearance.Placement)
        /// Show the conversation's view.
        case requestConversationUI(UIRequestReason, conversationID: String)
        /// Call the application's click handler.
        case callCustomHandler
        /// Close the conversation.
        case closeConversation(id: String)
    }

    /// Who acts on clicks.
    public var onClick = ButtonInterceptorAction.useInternalHandler
    /// Whether it may be shown at all.
    public let isEnabled: Bool
    /// Whether it can be dropped to close the conversation.
    public let hasRemovalArea: Bool
    /// Whether it is on the screen, as a bookmark or in full.
    public private(set) var isVisible = false
    /// In full, or as a bookmark.
    public private(set) var placement = IndicatorAppearance.Placement.onScreen

    private var conversation: String?
    private var isUIVisible = false
    private var isInCall = false

    /// - Parameters:
    ///   - isEnabled: whether it may be shown at all.
    ///   - hasRemovalArea: whether it can be dropped to close the conversation.
    public init(isEnabled: Bool = true, hasRemovalArea: Bool = true) {
        self.isEnabled = isEnabled
        self.hasRemovalArea = hasRemovalArea
    }

    /// Takes an event in; says what follows, in order.
    public mutating func apply(_ event: Event) -> [Action] {
        let before = (isVisible, placement)
        let intent = note(event)
        isVisible = isEnabled && conversation != nil && !isUIVisible && !isInCall
        guard before != (isVisible, placement), isVisible || before.0 else { return intent }
        return [.show(isVisible: isVisible, placement: placement)] + intent
    }

    private mutating func note(_ event: Event) -> [Action] {
        switch event {
        case .conversationOpened(let id): conversation = id
        case .conversationClosed:
            conversation = nil
            placement = .onScreen
        case .conversationUI(let visible): isUIVisible = visible
        case .callStarted: isInCall = true
        case .callEnded: isInCall = false
        case .movedOffScreen: if isVisible { placement = .bookmark }
        case .bookmarkPulled: placement = .onScreen
        case .clicked: return click()
        case .droppedOnRemovalArea:
            if isVisible, hasRemovalArea, let conversation { return [.closeConversation(id: conversation)] }
        }
        return []
    }

    private mutating func click() -> [Action] {
        guard isVisible, let conversation else { return [] }
        if placement == .bookmark {
            placement = .onScreen
            return []
        }
        switch onClick {
        case .useInternalHandler:
            return [.requestConversationUI(.floatingActiveConversationButtonPressed, conversationID: conversation)]
        case .useCustomHandler: return [.callCustomHandler]
        }
    }
}
