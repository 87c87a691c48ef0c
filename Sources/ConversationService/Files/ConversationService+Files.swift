package import ConversationModel
import Foundation
import GRDB
import Synchronization

/// Which files a service takes, and how much of them.
package struct FileSettings: Sendable, Hashable {
    package var policy = FilePolicy()
    /// Files of one conversation.
    package var perConversation = 200
    /// Bytes of all files.
    package var totalBytes: Int64 = 10 * 1024 * 1024 * 1024
    /// How long an upload may rest, milliseconds; then it is forgotten.
    package var patience: Int64 = 24 * 3_600_000

    package init() {}
}

/// Uploads that are being written: one piece of a file at a time.
struct FilesUnderWay: Sendable {
    private var ids: Set<String> = []

    mutating func begin(_ id: String) -> Bool { ids.insert(id).inserted }
    mutating func end(_ id: String) { ids.remove(id) }
}

extension ConversationService {
    /// What there is in a conversation, and what may come.
    package func files(
        in id: String, for person: ConversationPerson
    ) async throws(ConversationRefusal) -> ConversationFiles {
        let policy = settings.files.policy
        return try await transact { db in
            _ = try Self.find(id, person, db)
            return ConversationFiles(policy: policy, files: try FileTable.files(in: id, db))
        }
    }

    /// A file, to whoever sees its conversation.
    package func file(
        _ id: String, for person: ConversationPerson
    ) async throws(ConversationRefusal) -> ConversationFile {
        try await transact { db in try Self.file(id, person, db) }
    }

    /// A file is to come; the same name gives the same file, and another content for it is refused. An empty one is whole at once.
    package func announce(
        _ request: FileRequest, in id: String, by person: ConversationPerson
    ) async throws(ConversationRefusal) -> (file: ConversationFile, isNew: Bool) {
        do { try request.check() } catch { throw ConversationRefusal(.invalid, error.description) }
        do { try settings.files.policy.check(type: request.type, size: request.size) } catch {
            switch error {
            case .size: throw ConversationRefusal(.tooLarge, "\(error)")
            case .type, .content: throw ConversationRefusal(.unfit, "\(error)")
            }
        }
        let vault = try requireVault()
        await forgetUnfinished(vault)
        let now = now()
        let (file, isNew) = try await transact { db in
            let conversation = try Self.find(id, person, db)
            if let known = try FileTable.file(request.clientId, by: person.id, in: id, db) {
                guard known.sha256 == request.sha256, known.size == request.size, known.type == request.type else {
                    throw ConversationRefusal(
                        .conflict, "the file \(request.clientId) is something else already; use a new id")
                }
                return (known, false)
            }
            guard conversation.participant(person.id) != nil else {
                throw ConversationRefusal(.forbidden, "only who is in a conversation may do that; join it first")
            }
            guard conversation.state != .ended else { throw ConversationRules.over(id) }
            guard try FileTable.files(in: id, db).count < self.settings.files.perConversation else {
                throw ConversationRefusal(
                    .conflict, "the conversation has \(self.settings.files.perConversation) files; no more fit in")
            }
            guard try FileTable.total(db) + request.size <= self.settings.files.totalBytes else {
                throw ConversationRefusal(.noSpace, "the service's room for files is used up; try again later")
            }
            let file = ConversationFile(
                request, id: UUID().uuidString.lowercased(), conversationId: id, author: person.id, createdAt: now)
            try FileTable.insert(file, db)
            return (file, true)
        }
        guard file.state == .uploading, file.size == 0 else { return (file, isNew) }
        return (try await append([], to: file.id, at: 0, by: person), isNew)
    }

    /// A piece of a file, from `offset` on, which is where what came before ends. Gives the file with what is on the disk; the
    /// last piece makes it whole.
    package func append(
        _ bytes: [UInt8], to id: String, at offset: Int64, by person: ConversationPerson
    ) async throws(ConversationRefusal) -> ConversationFile {
        let vault = try requireVault()
        guard underWay.withLock({ $0.begin(id) }) else {
            throw ConversationRefusal(.conflict, "a piece of the file is being written; wait for it")
        }
        defer { underWay.withLock { $0.end(id) } }
        var file = try await transact { db in try Self.file(id, person, db) }
        guard file.author == person.id else {
            throw ConversationRefusal(.forbidden, "only who announced a file uploads it")
        }
        // Said twice, since the answer was lost.
        if file.state != .uploading { return file }
        guard offset == file.received else {
            throw ConversationRefusal(.conflict, "\(file.received) bytes are here; go on from there")
        }
        guard offset + Int64(bytes.count) <= file.size else {
            throw ConversationRefusal(.invalid, "the piece goes beyond the \(file.size) bytes that were announced")
        }
        do { try await vault.write(bytes, to: id, at: offset) } catch { throw Self.refusal(error) }
        file.received = offset + Int64(bytes.count)
        if file.received == file.size { file = try await complete(file, vault) }
        return try await keep(file)
    }

    /// The file of a download. It has left `UPLOADING` behind, and was not refused.
    package func content(
        of id: String, for person: ConversationPerson
    ) async throws(ConversationRefusal) -> (file: ConversationFile, path: String) {
        let vault = try requireVault()
        let file = try await file(id, for: person)
        switch file.state {
        case .ready: return (file, vault.path(id))
        case .uploading: throw ConversationRefusal(.conflict, "the file is not whole yet; come back later")
        case .quarantined:
            throw ConversationRefusal(.forbidden, "the file was kept back: its content is no \(file.type)")
        }
    }

    // MARK: Parts

    private func complete(_ file: ConversationFile, _ vault: FileVault) async throws(ConversationRefusal)
        -> ConversationFile
    {
        var file = file
        do {
            let head = try await vault.complete(file.id, size: file.size, sha256: file.sha256)
            if (try? settings.files.policy.check(type: file.type, head: head)) != nil {
                file.state = .ready
            } else {
                try await vault.quarantine(file.id)
                file.state = .quarantined
            }
            return file
        } catch VaultFault.digest {
            // Nothing of it is worth keeping.
            file.received = 0
            _ = try await keep(file)
            throw ConversationRefusal(
                .conflict, "the content is not what sha256 says; upload it again from the beginning")
        } catch { throw Self.refusal(error) }
    }

    /// Notes what is on the disk, and tells whoever is in the conversation of a whole one.
    private func keep(_ file: ConversationFile) async throws(ConversationRefusal) -> ConversationFile {
        try await transact { db in
            try FileTable.update(file, db)
            guard file.state != .uploading,
                let conversation = try ConversationStore.conversation(file.conversationId, db)
            else { return file }
            db.afterNextTransaction { [self] _ in
                listeners.withLock { sockets in
                    sockets.send { conversation.participant($0.id) == nil ? nil : .file(file) }
                }
            }
            return file
        }
    }

    private func forgetUnfinished(_ vault: FileVault) async {
        let time = now() - settings.files.patience
        let gone = try? await transact { db in
            let ids = try FileTable.unfinished(before: time, db)
            for id in ids { try FileTable.delete(id, db) }
            return ids
        }
        for id in gone ?? [] { await vault.remove(id) }
    }

    private static func file(_ id: String, _ person: ConversationPerson, _ db: Database) throws -> ConversationFile {
        guard let file = try FileTable.file(id, db),
            let conversation = try ConversationStore.conversation(file.conversationId, db),
            ConversationRules.isVisible(conversation, to: person)
        else { throw ConversationRefusal(.unknown, "there is no file \(id.prefix(80))") }
        return file
    }

    private func requireVault() throws(ConversationRefusal) -> FileVault {
        guard let vault else {
            throw ConversationRefusal(.unavailable, "files need a folder; start the server with --data")
        }
        return vault
    }

    private static func refusal(_ error: any Error) -> ConversationRefusal {
        if let refusal = error as? ConversationRefusal { return refusal }
        if let fault = error as? VaultFault, case .noSpace = fault {
            return ConversationRefusal(.noSpace, "the service's disk is full; go on later")
        }
        return ConversationRefusal(.unavailable, "the files' storage fails; try again later")
    }
}
