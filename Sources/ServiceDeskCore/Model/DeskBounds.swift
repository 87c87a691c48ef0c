/// Bounds that client and service share. A character is a Unicode scalar, so that nobody counts otherwise.
package enum DeskBounds {
    /// `user_id` and `security_key`: the authorization service's contract.
    package static let identifierCharacters = 100
    /// `app_id`, and the device's own name.
    package static let appCharacters = 200
    /// Bytes of UTF-8 of a comment.
    package static let bodyBytes = 32 * 1024
    package static let attachments = 10
    /// Bytes of UTF-8 of a file's name, and of people's names and subjects.
    package static let nameBytes = 255
    /// Bytes of one file.
    package static let fileBytes = 16 * 1024 * 1024
    package static let pushTokenBytes = 4_096
    /// Bytes of a JSON or form body.
    package static let requestBytes = 128 * 1024
    /// Bytes of an answer that is no file.
    package static let answerBytes = 8 * 1024 * 1024
    /// Comments of a chat that a client remembers.
    package static let rememberedComments = 1_000

    /// 1 to `limit` characters, none of which is a control.
    package static func isIdentifier(_ text: String, limit: Int = identifierCharacters) -> Bool {
        guard !text.isEmpty, text.utf8.count <= limit * 4 else { return false }
        let scalars = text.unicodeScalars
        return scalars.count <= limit && scalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
