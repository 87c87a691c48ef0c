public import ConversationModel

/// Why the client asks for its view.
public enum UIShowReason: String, Sendable, Hashable, CaseIterable {
    /// A call comes in, or one was answered.
    case incomingCall
    /// Sharing of the screen has begun.
    case coBrowsingStarted
    /// A conversation was opened, by whoever.
    case conversationOpened
    /// A click on the indicator of the call.
    case callIndicatorPressed
    /// A click on the indicator of the conversation.
    case conversationIndicatorPressed
    /// "Return" was chosen at the button of sharing.
    case coBrowsingButtonPressed
    /// The application was opened from a notification.
    case notificationOpened
}

/// Why the client asks to be hidden.
public enum UIHideReason: String, Sendable, Hashable, CaseIterable {
    /// The user pressed the button that collapses the view.
    case collapseButtonPressed
    /// Something lies over what the user shares, and the view would hide it.
    case layerActivated
}

/// What a client asks of the application about its view.
public enum UIRequest: Sendable, Hashable {
    /// Show it.
    case show(UIShowReason, requestedByUser: Bool)
    /// Hide it.
    case hide(UIHideReason, conversation: String?)
}

/// When the view may collapse, as the service configures it. All off unless it says so.
public struct CollapseSettings: Sendable, Hashable, Codable {
    /// The view gives way when a layer becomes active.
    public var onLayerActivation = false
    /// Visitors have a button for it.
    public var visitorButton = false
    /// Agents have a button for it.
    public var agentButton = false

    /// Nothing collapses.
    public init() {}

    /// From the properties of a service's configuration; unknown ones are left.
    public init(properties: [String: Bool]) {
        onLayerActivation =
            properties["com.unblu.conversation.ui.autoCollapseIndividualUiOnLayerActivation"] ?? false
        visitorButton = properties["com.unblu.visitor.ui.showOverviewActionBarCollapseAction"] ?? false
        agentButton = properties["com.unblu.agent.mobile.ui.showInboxActionBarCollapseAction"] ?? false
    }
}

/// Whether the view is there, and what is asked about it. The engine lives on without it.
public struct UIRequests: Sendable, Hashable {
    /// What happens.
    public enum Event: Sendable, Hashable {
        /// The application shows the view, or took it away.
        case viewChanged(isVisible: Bool)
        /// Something wants to be seen.
        case wanted(UIShowReason, byUser: Bool)
        /// The button that collapses the view was pressed.
        case collapsePressed(conversation: String?)
        /// A layer became active.
        case layerActivated(conversation: String?)
    }

    /// Whether the application shows the view.
    public private(set) var isVisible = false
    /// When it may collapse.
    public var collapse = CollapseSettings()
    private let role: PersonRole

    /// No view yet.
    public init(role: PersonRole) { self.role = role }

    /// What is to be asked of the application. Nothing, where it is so already or the service does not allow it.
    public mutating func apply(_ event: Event) -> UIRequest? {
        switch event {
        case .viewChanged(let isVisible):
            self.isVisible = isVisible
            return nil
        case .wanted(let reason, let byUser):
            return isVisible ? nil : .show(reason, requestedByUser: byUser)
        case .collapsePressed(let conversation):
            let isAllowed = role == .visitor ? collapse.visitorButton : collapse.agentButton
            return isVisible && isAllowed ? .hide(.collapseButtonPressed, conversation: conversation) : nil
        case .layerActivated(let conversation):
            return isVisible && collapse.onLayerActivation ? .hide(.layerActivated, conversation: conversation) : nil
        }
    }
}
