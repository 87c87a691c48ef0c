/// Where a file of a conversation stands.
public enum FileState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Some of it is still to come.
    case uploading = "UPLOADING"
    /// Whole, and what it says it is. It may be downloaded.
    case ready = "READY"
    /// Whole, and its content is not what its type says. Nobody gets it.
    case quarantined = "QUARANTINED"
}

/// A file of a conversation as its service has it.
public struct ConversationFile: Sendable, Hashable, Codable, Identifiable {
    /// Unique at the service.
    public var id: String
    /// Where it belongs.
    public var conversationId: String
    /// The name that the client gives it: asked twice with one name, there is one file.
    public var clientId: String
    /// Who sends it.
    public var author: String
    /// For people: without folders.
    public var name: String
    /// Its media type, for example `image/png`.
    public var type: String
    /// Bytes of the whole.
    public var size: Int64
    /// SHA-256 of the whole, 64 hexadecimal digits.
    public var sha256: String
    /// Bytes that the service has on its disk: an upload goes on from there.
    public var received: Int64
    /// Where it stands.
    public var state: FileState
    /// Milliseconds of Unix time.
    public var createdAt: Int64

    package init(_ request: FileRequest, id: String, conversationId: String, author: String, createdAt: Int64) {
        self.id = id
        self.conversationId = conversationId
        clientId = request.clientId
        self.author = author
        name = request.name
        type = request.type
        size = request.size
        sha256 = request.sha256
        received = 0
        state = .uploading
        self.createdAt = createdAt
    }
}

/// `POST .../files`: a file is to come.
package struct FileRequest: Sendable, Hashable, Codable {
    package var clientId: String
    package var name: String
    package var type: String
    package var size: Int64
    package var sha256: String

    package init(clientId: String, name: String, type: String, size: Int64, sha256: String) {
        self.clientId = clientId
        self.name = name
        self.type = type
        self.size = size
        self.sha256 = sha256
    }

    /// What of its form can't be used, whatever a policy says.
    package func check() throws(ConversationFault) {
        try ConversationBounds.check(clientId: clientId)
        if let fault = FileName.fault(name) { throw ConversationFault("name: \(fault)") }
        guard FilePolicy.isType(type) else { throw ConversationFault("type: use a media type such as image/png") }
        guard size >= 0 else { throw ConversationFault("size: use 0 or more bytes") }
        let isDigest = sha256.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard sha256.utf8.count == 64, isDigest else {
            throw ConversationFault("sha256: use 64 hexadecimal digits, small letters")
        }
    }
}

/// `GET .../files`: what there is, and what may come.
public struct ConversationFiles: Sendable, Hashable, Codable {
    /// What the service takes.
    public var policy: FilePolicy
    /// In the order in which they were announced.
    public var files: [ConversationFile]

    /// A list from its parts.
    public init(policy: FilePolicy, files: [ConversationFile]) {
        self.policy = policy
        self.files = files
    }
}
