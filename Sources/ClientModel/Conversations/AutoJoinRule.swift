public import ConversationModel

/// What somebody does about the call of a conversation whose call is joined by itself.
///
/// Whoever begins the conversation starts the call; whoever comes later joins it. Switched on for a conversation that is there
/// already, it counts for those who come from then on, and pulls nobody in who is in it.
public enum AutoJoinRule {
    /// What is to be done.
    public enum Decision: Sendable, Hashable {
        /// Nothing: the call is a matter of the people.
        case nothing
        /// Start a call of that type.
        case start(ConversationCallType)
        /// Join the call that is under way.
        case join(ConversationCallType)
    }

    /// How somebody got into the conversation.
    public enum Entry: Sendable, Hashable, CaseIterable {
        /// They have begun it.
        case began
        /// They came to it.
        case joined
        /// They were in it when something about it changed.
        case isInside
    }

    /// Decides.
    public static func decide(_ conversation: Conversation, _ entry: Entry) -> Decision {
        guard conversation.autoJoinsCall, conversation.state != .ended else { return .nothing }
        switch entry {
        case .began: return .start(conversation.type == .audio ? .audio : .video)
        case .joined: return conversation.call.map { .join($0.callType) } ?? .nothing
        case .isInside: return .nothing
        }
    }
}
