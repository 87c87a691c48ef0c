/// What an indicator shows, where, and whether at all.
public struct IndicatorAppearance: Sendable, Hashable {
    /// The picture in an indicator.
    public enum Content: Sendable, Hashable {
        /// Nobody else is there.
        case empty
        /// A participant who sends no picture: their avatar.
        case avatar(participantID: String)
        /// A participant's picture.
        case video(participantID: String, trackID: String)

        /// Who is shown; nil where nobody is.
        public var participantID: String? {
            switch self {
            case .empty: nil
            case .avatar(let participant), .video(let participant, _): participant
            }
        }
    }

    /// Where an indicator stands.
    public enum Placement: String, Sendable, Hashable {
        /// In full on the screen.
        case onScreen
        /// Moved off the screen; a bookmark at its edge brings it back.
        case bookmark
    }

    /// Whether anything is on the screen.
    public var isVisible: Bool
    /// What is, or would be, shown.
    public var content: Content
    /// In full, or as a bookmark.
    public var placement: Placement

    /// An appearance from its parts.
    public init(isVisible: Bool = false, content: Content = .empty, placement: Placement = .onScreen) {
        self.isVisible = isVisible
        self.content = content
        self.placement = placement
    }
}

/// Who acts on a click.
public enum ButtonInterceptorAction: Sendable, Hashable {
    /// What the library does by itself.
    case useInternalHandler
    /// The application's own handler, and the library's not.
    case useCustomHandler
}

/// Why a view is asked for.
public enum UIRequestReason: String, Sendable, Hashable {
    /// A click on the active-call indicator.
    case pipButtonPressed
    /// A click on the active-conversation indicator.
    case floatingActiveConversationButtonPressed
}
