internal import ConversationModel

/// The sockets of people, and which agents are there.
struct ConversationListeners: Sendable {
    /// A socket that falls this far behind is closed: its client comes back and is told everything.
    static let queued = 1_024
    /// Sockets of one person.
    static let perPerson = 16

    private struct Listener: Sendable {
        var person: ConversationPerson
        var continuation: AsyncStream<ConversationNotice>.Continuation
    }

    private var listeners: [Int: Listener] = [:]
    private var number = 0
    /// Agents who said that they are there.
    private var available: Set<String> = []

    var isAvailable: Bool { !available.isEmpty }

    mutating func add(
        _ person: ConversationPerson, _ continuation: AsyncStream<ConversationNotice>.Continuation
    ) throws(ConversationRefusal) -> Int {
        guard listeners.values.count(where: { $0.person.id == person.id }) < Self.perPerson else {
            throw ConversationRefusal(.conflict, "\(Self.perPerson) sockets of one person are open; close one")
        }
        number += 1
        listeners[number] = Listener(person: person, continuation: continuation)
        return number
    }

    /// An agent is there while one of their sockets is.
    mutating func remove(_ number: Int) {
        guard let gone = listeners.removeValue(forKey: number) else { return }
        gone.continuation.finish()
        guard gone.person.role == .agent, !listeners.values.contains(where: { $0.person == gone.person }) else {
            return
        }
        set(gone.person.id, isAvailable: false)
    }

    mutating func set(_ agent: String, isAvailable: Bool) {
        let before = self.isAvailable
        if isAvailable { available.insert(agent) } else { available.remove(agent) }
        guard self.isAvailable != before else { return }
        let present = self.isAvailable
        send { _ in .availability(present) }
    }

    /// Whoever is meant by `notice` hears it.
    mutating func send(_ notice: (ConversationPerson) -> ConversationNotice?) {
        var gone: [Int] = []
        for (number, listener) in listeners {
            guard let notice = notice(listener.person) else { continue }
            switch listener.continuation.yield(notice) {
            // It reads what it has, and comes back.
            case .dropped: listener.continuation.finish()
            case .terminated: gone.append(number)
            default: break
            }
        }
        for number in gone { remove(number) }
    }

    /// People who listen.
    var people: Set<ConversationPerson> { Set(listeners.values.map(\.person)) }

    mutating func close() {
        for listener in listeners.values { listener.continuation.finish() }
        listeners = [:]
        available = []
    }
}
