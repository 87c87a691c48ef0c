internal import ConversationModel
import Foundation
import GRDB

/// Conversations in SQLite: in memory, or in a file that outlives a kill. What a function returned is on the disk.
struct ConversationStore: Sendable {
    let writer: any DatabaseWriter

    /// - Parameter path: of the database; nil keeps it in memory.
    init(path: String?) throws {
        var configuration = Configuration()
        configuration.label = "conversations"
        configuration.prepareDatabase { db in
            guard path != nil else { return }
            // An acknowledged message outlives the machine's power, too.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        if let path {
            configuration.journalMode = .wal
            writer = try DatabaseQueue(path: path, configuration: configuration)
        } else {
            writer = try DatabaseQueue(configuration: configuration)
        }
        try Self.migrator.migrate(writer)
    }

    /// Each step once, in order; a step that has been released is never changed.
    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("conversations") { db in
            try db.execute(
                sql: """
                    CREATE TABLE conversation (
                        id TEXT NOT NULL PRIMARY KEY, creator TEXT NOT NULL, clientId TEXT NOT NULL, type TEXT NOT NULL,
                        state TEXT NOT NULL, area TEXT, data TEXT NOT NULL, autoJoinsCall INTEGER NOT NULL,
                        callType TEXT, callStartedBy TEXT, lastMessage INTEGER NOT NULL, createdAt INTEGER NOT NULL,
                        UNIQUE (creator, clientId)
                    );
                    CREATE INDEX conversation_state ON conversation (state, createdAt);
                    CREATE TABLE participant (
                        conversationId TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
                        personId TEXT NOT NULL, role TEXT NOT NULL, read INTEGER NOT NULL, position INTEGER NOT NULL,
                        PRIMARY KEY (conversationId, personId)
                    ) WITHOUT ROWID;
                    CREATE INDEX participant_person ON participant (personId);
                    CREATE TABLE message (
                        conversationId TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
                        number INTEGER NOT NULL, clientId TEXT NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL,
                        sentAt INTEGER NOT NULL, PRIMARY KEY (conversationId, number),
                        UNIQUE (conversationId, author, clientId)
                    ) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("files") { db in
            try db.execute(
                sql: """
                    CREATE TABLE file (
                        id TEXT NOT NULL PRIMARY KEY,
                        conversationId TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
                        clientId TEXT NOT NULL, author TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
                        size INTEGER NOT NULL, sha256 TEXT NOT NULL, received INTEGER NOT NULL, state TEXT NOT NULL,
                        createdAt INTEGER NOT NULL, UNIQUE (conversationId, author, clientId)
                    );
                    CREATE INDEX file_conversation ON file (conversationId, createdAt);
                    """)
        }
        migrator.registerMigration("push") { db in
            try db.execute(
                sql: """
                    CREATE TABLE pushDevice (
                        person TEXT NOT NULL, device TEXT NOT NULL, keyId TEXT NOT NULL, key BLOB NOT NULL,
                        keyMadeAt INTEGER NOT NULL, formerId TEXT, former BLOB, PRIMARY KEY (person, device)
                    ) WITHOUT ROWID;
                    CREATE TABLE pushToken (
                        person TEXT NOT NULL, device TEXT NOT NULL, channel TEXT NOT NULL, carrier TEXT NOT NULL,
                        token TEXT NOT NULL, encryption TEXT NOT NULL, registeredAt INTEGER NOT NULL,
                        PRIMARY KEY (person, device, channel), UNIQUE (carrier, token),
                        FOREIGN KEY (person, device) REFERENCES pushDevice (person, device) ON DELETE CASCADE
                    ) WITHOUT ROWID;
                    """)
        }
        return migrator
    }

    // MARK: Reading

    static func conversation(_ id: String, _ db: Database) throws -> Conversation? {
        try Row.fetchOne(db, sql: "SELECT * FROM conversation WHERE id = ?", arguments: [id])
            .map { try conversation($0, db) }
    }

    static func conversation(of person: String, clientId: String, _ db: Database) throws -> Conversation? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM conversation WHERE creator = ? AND clientId = ?", arguments: [person, clientId]
        ).map { try conversation($0, db) }
    }

    /// Those that are not over, oldest first: the person's own, or all.
    static func open(of person: String?, limit: Int, _ db: Database) throws -> [Conversation] {
        let sql = """
            SELECT * FROM conversation WHERE state <> 'ENDED'
            \(person == nil ? "" : "AND id IN (SELECT conversationId FROM participant WHERE personId = :person)")
            ORDER BY createdAt, id LIMIT :limit
            """
        var arguments: StatementArguments = ["limit": limit]
        if let person { arguments += ["person": person] }
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map { try conversation($0, db) }
    }

    static func openCount(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM conversation WHERE state <> 'ENDED'") ?? 0
    }

    static func unread(_ conversation: Conversation, by person: String, _ db: Database) throws -> Int {
        guard let read = conversation.participant(person)?.read, read < conversation.lastMessage else { return 0 }
        return try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM message WHERE conversationId = ? AND number > ? AND author <> ?",
            arguments: [conversation.id, read, person]) ?? 0
    }

    static func message(_ clientId: String, by author: String, in conversation: String, _ db: Database) throws
        -> ConversationMessage?
    {
        try Row.fetchOne(
            db, sql: "SELECT * FROM message WHERE conversationId = ? AND author = ? AND clientId = ?",
            arguments: [conversation, author, clientId]
        ).map(message)
    }

    static func messages(in conversation: String, after number: Int64, limit: Int, _ db: Database) throws
        -> [ConversationMessage]
    {
        try Row.fetchAll(
            db, sql: "SELECT * FROM message WHERE conversationId = ? AND number > ? ORDER BY number LIMIT ?",
            arguments: [conversation, number, limit]
        ).map(message)
    }

    private static func message(_ row: Row) -> ConversationMessage {
        ConversationMessage(
            conversationId: row["conversationId"], number: row["number"], clientId: row["clientId"],
            author: row["author"], text: row["text"], sentAt: row["sentAt"])
    }

    private static func conversation(_ row: Row, _ db: Database) throws -> Conversation {
        var conversation = Conversation(id: row["id"], type: ConversationType(rawValue: row["type"]) ?? .chat)
        conversation.state = ConversationState(rawValue: row["state"]) ?? .ended
        conversation.area = row["area"]
        conversation.data =
            (try? JSONDecoder().decode([String: String].self, from: Data((row["data"] as String).utf8))) ?? [:]
        conversation.autoJoinsCall = row["autoJoinsCall"]
        if let type = (row["callType"] as String?).flatMap(ConversationCallType.init),
            let who: String = row["callStartedBy"]
        {
            conversation.call = Conversation.Call(callType: type, startedBy: who)
        }
        conversation.lastMessage = row["lastMessage"]
        conversation.createdAt = row["createdAt"]
        let people = try Row.fetchAll(
            db, sql: "SELECT * FROM participant WHERE conversationId = ? ORDER BY position",
            arguments: [conversation.id])
        conversation.participants = people.map {
            Conversation.Participant(
                personId: $0["personId"], role: PersonRole(rawValue: $0["role"]) ?? .visitor, read: $0["read"])
        }
        return conversation
    }

    // MARK: Writing

    static func insert(_ conversation: Conversation, clientId: String, creator: String, _ db: Database) throws {
        let data = String(decoding: try JSONEncoder().encode(conversation.data), as: UTF8.self)
        try db.execute(
            sql: """
                INSERT INTO conversation (id, creator, clientId, type, state, area, data, autoJoinsCall, lastMessage, createdAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
                """,
            arguments: [
                conversation.id, creator, clientId, conversation.type.rawValue, conversation.state.rawValue,
                conversation.area, data, conversation.autoJoinsCall, conversation.createdAt,
            ])
        try update(conversation, db)
    }

    /// What changes in a conversation's life.
    static func update(_ conversation: Conversation, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE conversation SET state = ?, callType = ?, callStartedBy = ?, lastMessage = ? WHERE id = ?",
            arguments: [
                conversation.state.rawValue, conversation.call?.callType.rawValue, conversation.call?.startedBy,
                conversation.lastMessage, conversation.id,
            ])
        for (position, participant) in conversation.participants.enumerated() {
            try db.execute(
                sql: """
                    INSERT INTO participant (conversationId, personId, role, read, position) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (conversationId, personId) DO UPDATE SET read = excluded.read
                    """,
                arguments: [
                    conversation.id, participant.personId, participant.role.rawValue, participant.read, position,
                ])
        }
    }

    static func insert(_ message: ConversationMessage, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO message (conversationId, number, clientId, author, text, sentAt) VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                message.conversationId, message.number, message.clientId, message.author, message.text, message.sentAt,
            ])
    }

    /// Forgets the oldest that are over, beyond so many.
    static func forget(keeping count: Int, _ db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM conversation WHERE id IN
                (SELECT id FROM conversation WHERE state = 'ENDED' ORDER BY createdAt DESC, id LIMIT -1 OFFSET ?)
                """,
            arguments: [count])
    }
}
