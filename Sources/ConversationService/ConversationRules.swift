package import ConversationModel

/// Somebody whose credentials were checked.
package struct ConversationPerson: Sendable, Hashable {
    package var id: String
    package var role: PersonRole

    package init(id: String, role: PersonRole) {
        self.id = id
        self.role = role
    }
}

/// Why something is not done.
package struct ConversationRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// The request can't be read, or breaks a bound.
        case invalid
        /// There is no such conversation, or it is none of this person's business.
        case unknown
        /// It is not for people of this role.
        case forbidden
        /// It does not fit how things stand; asked again it won't either.
        case conflict
        /// The service is full, or its storage fails. Ask later.
        case unavailable
        /// A file has too many bytes.
        case tooLarge
        /// A file is of a type that is not taken.
        case unfit
        /// There is no room for a file.
        case noSpace
    }

    package let kind: Kind
    /// One sentence that names the input and the remedy.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Who may do what with a conversation, and what comes of it. Values in, values out; the store keeps what comes out.
package enum ConversationRules {
    /// Something that somebody does.
    package enum Change: Sendable, Hashable {
        case join
        case end
        case read(Int64)
        /// A message was written; it has the next number.
        case wrote
        case call(ConversationCallType?)
    }

    package static func begin(
        _ request: ConversationRequest, id: String, by person: ConversationPerson, template: ConversationTemplate,
        now: Int64
    ) -> Conversation {
        var conversation = Conversation(id: id, type: request.type)
        conversation.area = request.area
        conversation.data = request.data ?? [:]
        conversation.autoJoinsCall = request.autoJoinsCall ?? template.autoJoinsCall
        conversation.createdAt = now
        conversation.participants = [Conversation.Participant(personId: person.id, role: person.role)]
        if person.role == .agent { conversation.state = .active }
        return conversation
    }

    /// Participants see a conversation, and agents see all that are not over.
    package static func isVisible(_ conversation: Conversation, to person: ConversationPerson) -> Bool {
        conversation.participant(person.id) != nil || (person.role == .agent && conversation.state != .ended)
    }

    package static func apply(
        _ change: Change, by person: ConversationPerson, to conversation: Conversation
    ) throws(ConversationRefusal) -> Conversation {
        guard isVisible(conversation, to: person) else { throw unknown(conversation.id) }
        var next = conversation
        let isOver = conversation.state == .ended
        if change == .join {
            guard !isOver else { throw over(conversation.id) }
            guard conversation.participant(person.id) == nil else { return conversation }
            guard conversation.participants.count < 64 else {
                throw ConversationRefusal(.conflict, "64 people are in the conversation; nobody else fits in")
            }
            next.participants.append(.init(personId: person.id, role: person.role, read: 0))
            next.state = .active
            return next
        }
        guard let index = conversation.participants.firstIndex(where: { $0.personId == person.id }) else {
            throw ConversationRefusal(.forbidden, "only who is in a conversation may do that; join it first")
        }
        switch change {
        case .join: break
        case .end:
            next.state = .ended
            next.call = nil
        case .read(let number):
            guard (0...conversation.lastMessage).contains(number) else {
                throw ConversationRefusal(
                    .invalid, "number: \(number) is no message; use 0 to \(conversation.lastMessage)")
            }
            next.participants[index].read = max(number, conversation.participants[index].read)
        case .wrote:
            guard !isOver else { throw over(conversation.id) }
            guard conversation.lastMessage < 10_000 else {
                throw ConversationRefusal(.conflict, "the conversation has 10000 messages; begin another one")
            }
            next.lastMessage += 1
        case .call(let type):
            guard !isOver else { throw over(conversation.id) }
            // The first one's word counts while a call is under way.
            if let type {
                next.call = conversation.call ?? Conversation.Call(callType: type, startedBy: person.id)
            } else {
                next.call = nil
            }
        }
        return next
    }

    static func unknown(_ id: String) -> ConversationRefusal {
        ConversationRefusal(.unknown, "there is no conversation \(id.prefix(80))")
    }

    static func over(_ id: String) -> ConversationRefusal {
        ConversationRefusal(.conflict, "the conversation \(id) is over; begin another one")
    }
}

/// What conversations are begun with where the request says nothing. Changing it leaves conversations that exist alone.
public struct ConversationTemplate: Sendable, Hashable {
    /// Whoever begins one starts its call, whoever comes joins it.
    public var autoJoinsCall = false

    /// Nothing by itself.
    public init() {}
}
