internal import ConversationModel
import Foundation
import GRDB

/// Files in SQLite: what they are, and how much of them is on the disk.
enum FileTable {
    static func insert(_ file: ConversationFile, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO file (id, conversationId, clientId, author, name, type, size, sha256, received, state, createdAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                file.id, file.conversationId, file.clientId, file.author, file.name, file.type, file.size, file.sha256,
                file.received, file.state.rawValue, file.createdAt,
            ])
    }

    static func update(_ file: ConversationFile, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE file SET received = ?, state = ? WHERE id = ?",
            arguments: [file.received, file.state.rawValue, file.id])
    }

    static func delete(_ id: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM file WHERE id = ?", arguments: [id])
    }

    static func file(_ id: String, _ db: Database) throws -> ConversationFile? {
        try Row.fetchOne(db, sql: "SELECT * FROM file WHERE id = ?", arguments: [id]).map(file)
    }

    static func file(
        _ clientId: String, by author: String, in conversation: String, _ db: Database
    ) throws -> ConversationFile? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM file WHERE conversationId = ? AND author = ? AND clientId = ?",
            arguments: [conversation, author, clientId]
        ).map(file)
    }

    static func files(in conversation: String, _ db: Database) throws -> [ConversationFile] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM file WHERE conversationId = ? ORDER BY createdAt, id", arguments: [conversation]
        ).map(file)
    }

    /// Uploads that nobody has gone on with.
    static func unfinished(before time: Int64, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT id FROM file WHERE state = 'UPLOADING' AND createdAt < ? LIMIT 100", arguments: [time])
    }

    /// Bytes that files have, or will have.
    static func total(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT COALESCE(SUM(size), 0) FROM file") ?? 0
    }

    private static func file(_ row: Row) -> ConversationFile {
        let request = FileRequest(
            clientId: row["clientId"], name: row["name"], type: row["type"], size: row["size"], sha256: row["sha256"])
        var file = ConversationFile(
            request, id: row["id"], conversationId: row["conversationId"], author: row["author"],
            createdAt: row["createdAt"])
        file.received = row["received"]
        file.state = FileState(rawValue: row["state"]) ?? .quarantined
        return file
    }
}
