/// A file to send.
public struct DeskFile: Sendable, Hashable {
    /// As the support will see it.
    public var name: String
    /// 1 byte to 16 MiB.
    public var bytes: [UInt8]

    /// Throws `emptyAttachment` or `tooLarge`.
    public init(name: String, bytes: [UInt8]) throws(DeskError) {
        guard !bytes.isEmpty else { throw DeskError(.emptyAttachment, "the file has no content; choose another one") }
        guard bytes.count <= DeskBounds.fileBytes else {
            throw DeskError(.tooLarge, "the file has more than \(DeskBounds.fileBytes) bytes; send a smaller one")
        }
        self.name = DeskFileName.fit(name)
        self.bytes = bytes
    }
}

/// How a choice ended.
public enum AttachmentChoice: Sendable, Hashable {
    /// A file's content, and where it is from.
    case chosen(bytes: [UInt8], url: String)
    /// Nothing was chosen.
    case cancelled
}

/// Lets somebody choose a file. Those of an application are one more entry of the menu.
public protocol AttachmentChooser: Sendable {
    /// The entry of the menu.
    var label: String { get }
    /// Asks. What it throws ends the choice as an error.
    func choose() async throws -> AttachmentChoice
}

/// The entries from which an attachment is taken: those of the chat, and at most one of the application's.
public struct AttachmentMenu: Sendable {
    private let standard: [any AttachmentChooser]
    private var registered: (any AttachmentChooser)?

    /// A menu of the chat's own entries.
    public init(_ standard: [any AttachmentChooser] = []) { self.standard = standard }

    /// Adds the application's entry, in place of an earlier one; nil takes it away.
    public mutating func register(_ chooser: (any AttachmentChooser)?) { registered = chooser }

    /// The entries.
    public var choosers: [any AttachmentChooser] { standard + (registered.map { [$0] } ?? []) }

    /// Their labels.
    public var labels: [String] { choosers.map(\.label) }

    /// Asks by an entry. Nil where nothing was chosen. Throws `DeskError` for content that can't be sent and for an entry
    /// that is not there, and what the chooser throws.
    public func choose(_ label: String) async throws -> DeskFile? {
        guard let chooser = choosers.first(where: { $0.label == label }) else {
            throw DeskError(.notFound, "the menu has no such entry; it has \(labels.joined(separator: ", "))")
        }
        switch try await chooser.choose() {
        case .cancelled: return nil
        case .chosen(let bytes, let url): return try DeskFile(name: url, bytes: bytes)
        }
    }
}
