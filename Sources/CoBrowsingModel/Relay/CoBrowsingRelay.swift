/// The sessions of conversations at a server, as a value: who is connected, who shares, and whose messages go to whom.
///
/// It reads headers and no picture. From whoever shares it goes to all others; from those, to whoever shares. At most one
/// person of a conversation shares at a time.
package struct CoBrowsingRelay: Sendable {
    /// Channels of a conversation, and of one person in it.
    package static let perConversation = 16
    package static let perPerson = 4
    /// Messages a second that viewers may send.
    static let viewerRate = 100

    /// What is to be done, in order.
    package enum Action: Sendable, Hashable {
        /// To the channel of that number.
        case send(channel: Int, CoBrowsingEnvelope)
        /// The peer breaks the rules, or is not wanted any more.
        case close(channel: Int, String)
        /// Somebody shares in the conversation from now on, or nobody does.
        case sharing(conversation: String, sharer: String?)
    }

    private struct Channel: Sendable {
        var conversation: String
        var person: String
        var participant: CoBrowsingParticipant
        /// Frames, or a viewer's messages, of the running second.
        var count = 0
        var since: Int64
    }

    private struct Session: Sendable {
        var number: UInt32
        var channel: Int
    }

    package var properties: CoBrowsingProperties
    private var channels: [Int: Channel] = [:]
    private var members: [String: [Int]] = [:]
    private var sessions: [String: Session] = [:]
    private var number = 0

    package init(_ properties: CoBrowsingProperties) { self.properties = properties }

    /// Who shares in a conversation.
    package func sharer(in conversation: String) -> String? {
        sessions[conversation].flatMap { channels[$0.channel]?.person }
    }

    /// A person of a conversation connects. Nil, and why not, where too many are.
    package mutating func connect(
        _ conversation: String, _ person: String, _ participant: CoBrowsingParticipant, now: Int64
    ) -> (channel: Int, actions: [Action])? {
        let others = members[conversation, default: []]
        guard others.count < Self.perConversation,
            others.count(where: { channels[$0]?.person == person }) < Self.perPerson,
            person.utf8.count <= CoBrowsingBounds.nameBytes
        else { return nil }
        number += 1
        channels[number] = Channel(
            conversation: conversation, person: person, participant: participant, since: now)
        members[conversation] = others + [number]
        let session = sessions[conversation]
        let sharer = session.flatMap { channels[$0.channel]?.person }
        let welcome = CoBrowsingMessage.Welcome(properties: properties, participant: participant, sharer: sharer)
        var actions = [own(CoBrowsingMessage(sharer == nil ? 0 : session?.number ?? 0, .welcome(welcome)), to: number)]
        if let session { actions.append(presence(of: number, isPresent: true, to: session)) }
        return (number, actions)
    }

    package mutating func receive(_ bytes: [UInt8], from number: Int, now: Int64) -> [Action] {
        guard let channel = channels[number] else { return [] }
        let message: CoBrowsingMessage
        do { message = try CoBrowsingMessage(parsing: bytes) } catch {
            return [.close(channel: number, error.description)]
        }
        let session = sessions[channel.conversation]
        let isSharer = session?.channel == number
        switch message.body {
        case .start: return start(message, number, channel)
        case .frame, .tile, .status:
            guard isSharer else { return session == nil ? [] : [.close(channel: number, "somebody else shares")] }
            guard message.session == session?.number else { return [] }
            if case .frame = message.body, !admit(number, properties.framesPerSecond * 2, now) {
                return [.close(channel: number, "more than \(properties.framesPerSecond) frames a second")]
            }
            return pass(bytes, from: number, channel)
        case .stop(let reason):
            guard isSharer, message.session == session?.number else { return [] }
            return end(channel.conversation, reason)
        case .acknowledge, .refresh, .pointer, .action:
            // Under way while the session ended.
            guard let session, !isSharer, message.session == session.number else { return [] }
            guard admit(number, Self.viewerRate, now) else {
                return [.close(channel: number, "more than \(Self.viewerRate) messages a second")]
            }
            return [.send(channel: session.channel, CoBrowsingEnvelope(sender: channel.person, message: bytes))]
        case .welcome, .presence, .refusal: return [.close(channel: number, "only the server says that")]
        }
    }

    private mutating func start(
        _ message: CoBrowsingMessage, _ number: Int, _ channel: Channel
    ) -> [Action] {
        guard message.session != 0 else { return [.close(channel: number, "a session has a number")] }
        guard sessions[channel.conversation] == nil else {
            return [own(CoBrowsingMessage(message.session, .refusal("somebody is sharing already")), to: number)]
        }
        let session = Session(number: message.session, channel: number)
        sessions[channel.conversation] = session
        let others = members[channel.conversation, default: []].filter { $0 != number }
        return [.sharing(conversation: channel.conversation, sharer: channel.person)]
            + pass(message.bytes, from: number, channel)
            + others.map { presence(of: $0, isPresent: true, to: session) }
    }

    /// A channel is gone, for whatever reason.
    package mutating func disconnect(_ number: Int) -> [Action] {
        guard let channel = channels[number] else { return [] }
        var actions: [Action] = []
        if let session = sessions[channel.conversation] {
            if session.channel == number {
                actions = end(channel.conversation, .connectionLost)
            } else if members[channel.conversation, default: []].count(where: { channels[$0]?.person == channel.person }
            )
                == 1
            {
                actions = [presence(of: number, isPresent: false, to: session)]
            }
        }
        channels[number] = nil
        members[channel.conversation]?.removeAll { $0 == number }
        if members[channel.conversation]?.isEmpty == true { members[channel.conversation] = nil }
        return actions
    }

    /// A conversation is over: its session ends with it, and its channels are closed.
    package mutating func endConversation(_ conversation: String) -> [Action] {
        let all = members[conversation, default: []]
        let actions = end(conversation, .conversationEnded)
        members[conversation] = nil
        for number in all { channels[number] = nil }
        return actions + all.map { .close(channel: $0, "the conversation is over") }
    }

    /// Everybody hears of it from the server, whoever shares too.
    private mutating func end(_ conversation: String, _ reason: CoBrowsingEnd) -> [Action] {
        guard let session = sessions.removeValue(forKey: conversation) else { return [] }
        let message = CoBrowsingMessage(session.number, .stop(reason))
        return members[conversation, default: []].map { own(message, to: $0) }
            + [.sharing(conversation: conversation, sharer: nil)]
    }

    private func pass(_ bytes: [UInt8], from number: Int, _ channel: Channel) -> [Action] {
        members[channel.conversation, default: []].filter { $0 != number }.map {
            .send(channel: $0, CoBrowsingEnvelope(sender: channel.person, message: bytes))
        }
    }

    private func own(_ message: CoBrowsingMessage, to number: Int) -> Action {
        .send(channel: number, CoBrowsingEnvelope(sender: "", message: message.bytes))
    }

    private func presence(of number: Int, isPresent: Bool, to session: Session) -> Action {
        let person = channels[number]?.person ?? ""
        return own(
            CoBrowsingMessage(session.number, .presence(person: person, isPresent: isPresent)), to: session.channel)
    }

    private mutating func admit(_ number: Int, _ most: Int, _ now: Int64) -> Bool {
        guard var channel = channels[number] else { return false }
        if now - channel.since >= 1_000 || now < channel.since { (channel.count, channel.since) = (0, now) }
        channel.count += 1
        channels[number] = channel
        return channel.count <= most
    }
}
