package import CoBrowsingModel
package import ConversationModel
import Foundation
import GRDB
import Synchronization

/// Keeps conversations, and tells people's sockets what happens in them, in the order of their storage.
///
/// A function that returned has its result on the disk, where there is one. Ask from tasks, never from an event loop: the
/// disk takes its time.
package final class ConversationService: Sendable {
    /// How a service runs.
    package struct Settings: Sendable {
        /// The folder that conversations are kept in; nil keeps them in memory, while the service runs.
        package var directory: String?
        package var template = ConversationTemplate()
        /// Conversations that are not over, at a time.
        package var openConversations = 10_000
        /// Conversations that are over and are kept in memory.
        package var endedInMemory = 1_000
        /// What clients are told of co-browsing.
        package var coBrowsing = CoBrowsingProperties()
        /// Which files are taken, and how many bytes of them.
        package var files = FileSettings()

        package init() {}
    }

    let store: ConversationStore
    let settings: Settings
    let now: @Sendable () -> Int64
    let listeners = Mutex(ConversationListeners())
    /// Files on the disk; nil where the service has no folder.
    let vault: FileVault?
    let underWay = Mutex(FilesUnderWay())
    /// Whose devices can be reached, in memory: what is on the disk is read once.
    let directory: Mutex<PushDirectory>
    /// Who carries notifications.
    let carrier = Mutex<(@Sendable ([PushOrder]) -> Void)?>(nil)
    /// Who shares their screen with whom.
    package let coBrowsing: CoBrowsingHub
    /// Messages of a page.
    private static let page = 200

    /// Opens the storage. Throws `ConversationRefusal` that names the folder.
    ///
    /// - Parameter now: milliseconds of Unix time.
    package init(_ settings: Settings, now: @escaping @Sendable () -> Int64) throws(ConversationRefusal) {
        self.settings = settings
        self.now = now
        coBrowsing = CoBrowsingHub(settings.coBrowsing, now: now)
        do {
            if let directory = settings.directory {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            store = try ConversationStore(path: settings.directory.map { $0 + "/conversations.sqlite" })
            vault = try settings.directory.map { try FileVault(directory: $0 + "/files") }
            directory = Mutex(try store.writer.read { try PushTable.directory($0) })
        } catch {
            throw ConversationRefusal(
                .unavailable,
                "conversations can't be kept in \(settings.directory ?? "memory"): \(error); check the folder")
        }
        coBrowsing.whenSharingChanges { [weak self] id in Task { [weak self] in try await self?.announceSharing(id) } }
    }

    /// Closes all sockets and the storage.
    package func close() {
        listeners.withLock { $0.close() }
        try? store.writer.close()
    }

    // MARK: Asking

    package func snapshot(_ person: ConversationPerson) async throws(ConversationRefusal) -> ConversationSnapshot {
        try await transact { db in try self.snapshot(person, db) }
    }

    package func conversation(
        _ id: String, for person: ConversationPerson
    ) async throws(ConversationRefusal) -> ConversationInfo {
        try await transact { db in try self.info(try Self.find(id, person, db), person, db) }
    }

    package func messages(
        in id: String, after number: Int64, for person: ConversationPerson
    ) async throws(ConversationRefusal) -> MessagePage {
        try await transact { db in
            _ = try Self.find(id, person, db)
            let found = try ConversationStore.messages(in: id, after: number, limit: Self.page + 1, db)
            return MessagePage(messages: Array(found.prefix(Self.page)), hasMore: found.count > Self.page)
        }
    }

    /// A socket's notices, the first of which is a snapshot, and its number for `detach`.
    package func attach(
        _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> (number: Int, notices: AsyncStream<ConversationNotice>) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConversationNotice.self, bufferingPolicy: .bufferingOldest(ConversationListeners.queued))
        // In a transaction: nothing is written between the snapshot and what follows it.
        let number = try await transact { db in
            let snapshot = try self.snapshot(person, db)
            return try self.listeners.withLock { listeners in
                let number = try listeners.add(person, continuation)
                continuation.yield(.snapshot(snapshot))
                return number
            }
        }
        return (number, stream)
    }

    package func detach(_ number: Int) { listeners.withLock { $0.remove(number) } }

    // MARK: Doing

    /// Begins a conversation; `isNew` is false where one of that name was begun before.
    package func begin(
        _ request: ConversationRequest, by person: ConversationPerson
    ) async throws(ConversationRefusal) -> (conversation: Conversation, isNew: Bool) {
        do { try ConversationBounds.check(request) } catch { throw ConversationRefusal(.invalid, error.description) }
        let now = now()
        return try await transact { db in
            if let known = try ConversationStore.conversation(of: person.id, clientId: request.clientId, db) {
                return (known, false)
            }
            if person.role == .visitor, let open = try ConversationStore.open(of: person.id, limit: 1, db).first {
                throw ConversationRefusal(.conflict, "the conversation \(open.id) is open; end it first")
            }
            guard try ConversationStore.openCount(db) < self.settings.openConversations else {
                throw ConversationRefusal(.unavailable, "too many conversations are open; try again later")
            }
            let conversation = ConversationRules.begin(
                request, id: UUID().uuidString.lowercased(), by: person, template: self.settings.template, now: now)
            try ConversationStore.insert(conversation, clientId: request.clientId, creator: person.id, db)
            try self.announce(conversation, nil, db)
            return (conversation, true)
        }
    }

    /// Writes a message; the same name gives the same message, and another text for it is refused.
    package func write(
        _ text: String, clientId: String, in id: String, by person: ConversationPerson
    ) async throws(ConversationRefusal) -> ConversationMessage {
        do {
            try ConversationBounds.check(text: text)
            try ConversationBounds.check(clientId: clientId)
        } catch { throw ConversationRefusal(.invalid, error.description) }
        let now = now()
        return try await transact { db in
            let conversation = try Self.find(id, person, db)
            if let known = try ConversationStore.message(clientId, by: person.id, in: id, db) {
                guard known.text == text else {
                    throw ConversationRefusal(
                        .conflict, "the message \(clientId) says something else already; use a new id")
                }
                return known
            }
            let next = try ConversationRules.apply(.wrote, by: person, to: conversation)
            let message = ConversationMessage(
                conversationId: id, number: next.lastMessage, clientId: clientId, author: person.id, text: text,
                sentAt: now)
            try ConversationStore.insert(message, db)
            try ConversationStore.update(next, db)
            try self.announce(next, message, db)
            db.afterNextTransaction { [self] _ in push(message, next) }
            return message
        }
    }

    /// Changes a conversation, and gives it as the person sees it.
    package func change(
        _ id: String, _ change: ConversationRules.Change, by person: ConversationPerson
    ) async throws(ConversationRefusal) -> ConversationInfo {
        try await transact { db in
            let before = try Self.find(id, person, db)
            let after = try ConversationRules.apply(change, by: person, to: before)
            if after != before {
                try ConversationStore.update(after, db)
                try self.announce(after, nil, db)
                if after.state == .ended, self.settings.directory == nil {
                    try ConversationStore.forget(keeping: self.settings.endedInMemory, db)
                }
                if after.state == .ended { db.afterNextTransaction { _ in self.coBrowsing.endConversation(id) } }
            }
            return try self.info(after, person, db)
        }
    }

    package func setAvailable(
        _ isAvailable: Bool, _ person: ConversationPerson
    ) throws(ConversationRefusal) {
        guard person.role == .agent else {
            throw ConversationRefusal(.forbidden, "agents are available or not; this person is a visitor")
        }
        try listeners.withLock { listeners throws(ConversationRefusal) in
            guard !isAvailable || listeners.people.contains(person) else {
                throw ConversationRefusal(.conflict, "an agent is available while a socket of theirs is open; open one")
            }
            listeners.set(person.id, isAvailable: isAvailable)
        }
    }

    // MARK: Parts

    private func snapshot(_ person: ConversationPerson, _ db: Database) throws -> ConversationSnapshot {
        let open = try ConversationStore.open(of: person.role == .agent ? nil : person.id, limit: 1_000, db)
        return ConversationSnapshot(
            personId: person.id, role: person.role, conversations: try open.map { try self.info($0, person, db) },
            isAvailable: listeners.withLock(\.isAvailable))
    }

    static func find(_ id: String, _ person: ConversationPerson, _ db: Database) throws -> Conversation {
        guard let conversation = try ConversationStore.conversation(id, db),
            ConversationRules.isVisible(conversation, to: person)
        else { throw ConversationRules.unknown(id) }
        return conversation
    }

    private func info(_ conversation: Conversation, _ person: ConversationPerson, _ db: Database) throws
        -> ConversationInfo
    {
        var conversation = conversation
        conversation.sharedBy = coBrowsing.sharer(in: conversation.id)
        return ConversationInfo(
            conversation: conversation, unread: try ConversationStore.unread(conversation, by: person.id, db))
    }

    /// Somebody shares from now on, or nobody does. Nothing of it is stored: it ends with their connection.
    private func announceSharing(_ id: String) async throws(ConversationRefusal) {
        try await transact { db in
            guard let conversation = try ConversationStore.conversation(id, db), conversation.state != .ended else {
                return
            }
            try self.announce(conversation, nil, db)
        }
    }

    /// Tells everybody whose business it is, once it is on the disk. Commits come one after another: so do notices.
    private func announce(_ conversation: Conversation, _ message: ConversationMessage?, _ db: Database) throws {
        var infos: [ConversationPerson: ConversationInfo] = [:]
        for person in listeners.withLock(\.people)
        where conversation.participant(person.id) != nil || person.role == .agent {
            infos[person] = try self.info(conversation, person, db)
        }
        let known = infos
        db.afterNextTransaction { [self] _ in
            listeners.withLock { sockets in
                sockets.send { person in
                    guard let info = known[person] else { return nil }
                    guard let message, conversation.participant(person.id) != nil else { return .conversation(info) }
                    return .message(message, info)
                }
            }
        }
    }

    func transact<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(ConversationRefusal) -> Value {
        do { return try await store.writer.write(body) } catch let refusal as ConversationRefusal {
            throw refusal
        } catch {
            // Names no path and no statement: clients read it.
            throw ConversationRefusal(.unavailable, "the conversations' storage fails; try again later")
        }
    }
}
