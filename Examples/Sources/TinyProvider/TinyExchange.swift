import CallBridge
import MediaCore

/// The signalling server of the tiny provider: it knows who is in which room and carries messages from one to the other.
/// Media does not pass it.
public actor TinyExchange {
    private struct Member {
        var participant: Participant
        let room: String
        let mailbox: AsyncStream<TinyMessage>.Continuation
    }

    private let token: String
    private var members: [String: Member] = [:]
    private var visits = 0
    private var isStopped = false

    /// - Parameter token: what a descriptor must have as its token.
    public init(token: String) { self.token = token }

    // MARK: Coming and going

    /// Lets somebody in. Throws `CallError`.
    func enter(_ descriptor: CallDescriptor, as identity: String) throws(CallError) -> Visit {
        guard !isStopped else {
            throw CallError(.network, .unreachable, "the exchange does not answer; is it running?")
        }
        guard descriptor.credentials.token == token else {
            throw CallError(.provider, .providerRefused, "the exchange refused the token; ask for another descriptor")
        }
        let room = descriptor.serviceProviderCallId
        for (id, member) in members where member.room == room && member.participant.identity == identity {
            dismiss(id, .unknown, .ended(.unknown, detail: "somebody joined with the same identity"))
        }
        visits += 1
        let own = Participant(id: "visit-\(visits)", identity: identity)
        let others = members.values.filter { $0.room == room }.map(\.participant).sorted { $0.id < $1.id }
        let (messages, mailbox) = AsyncStream.makeStream(of: TinyMessage.self)
        members[own.id] = Member(participant: own, room: room, mailbox: mailbox)
        tellOthers(of: own.id, .joined(own))
        return Visit(own: own, others: others, messages: messages)
    }

    /// What somebody gets who is let in.
    struct Visit: Sendable {
        let own: Participant
        let others: [Participant]
        let messages: AsyncStream<TinyMessage>
    }

    func leave(_ id: String) { dismiss(id, .hangUp, nil) }

    private func dismiss(_ id: String, _ reason: ParticipantLeftReason, _ lastWord: TinyMessage?) {
        guard let member = members[id] else { return }
        tellOthers(of: id, .left(id: id, reason))
        members[id] = nil
        if let lastWord { member.mailbox.yield(lastWord) }
        member.mailbox.finish()
    }

    // MARK: What a moderator does

    /// Removes somebody from a room.
    public func remove(_ identity: String, from room: String) {
        for (id, member) in members where member.room == room && member.participant.identity == identity {
            dismiss(id, .removed, .ended(.unknown, detail: "we were removed from the call"))
        }
    }

    /// Ends a room for everybody in it.
    public func end(room: String) {
        for (id, member) in members where member.room == room {
            dismiss(id, .callEnded, .ended(.conversationEnded, detail: "the conversation was ended"))
        }
    }

    /// Says goodbye to everybody and lets nobody in any more.
    public func stop() {
        isStopped = true
        for id in members.keys {
            dismiss(id, .systemAbort, .ended(.systemShutdown, detail: "the exchange was stopped"))
        }
    }

    // MARK: Messages

    /// Carries a message to one other member.
    func send(_ message: TinyMessage, to id: String) { members[id]?.mailbox.yield(message) }

    /// Keeps what a member publishes, for those who come later, and tells the others.
    func announce(_ message: TinyMessage, by id: String) {
        guard var own = members[id]?.participant else { return }
        switch message {
        case .published(let track, _): own.tracks.append(track)
        case .unpublished(let trackID, _): own.tracks.removeAll { $0.id == trackID }
        case .muted(let isMuted, let trackID, _):
            for index in own.tracks.indices where own.tracks[index].id == trackID {
                own.tracks[index].isMuted = isMuted
            }
        default: return
        }
        members[id]?.participant = own
        tellOthers(of: id, message)
    }

    private func tellOthers(of id: String, _ message: TinyMessage) {
        guard let room = members[id]?.room else { return }
        for (other, member) in members where member.room == room && other != id { member.mailbox.yield(message) }
    }
}
