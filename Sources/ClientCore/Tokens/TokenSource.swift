public import ClientModel
import Foundation
import Synchronization

/// Where a client's tokens come from. Asked at each start, and whenever the one in use is refused or used up soon.
public protocol TokenSource: Sendable {
    /// A token that is good now. What it throws is shown to people.
    func token() async throws -> ClientToken
}

/// One token, until another is set.
public final class StaticTokenSource: TokenSource {
    private let value: Mutex<ClientToken>

    /// Always that token.
    public init(_ token: ClientToken) { value = Mutex(token) }

    /// The token that was set last.
    public func token() async throws -> ClientToken { value.withLock { $0 } }

    /// Replaces the token; clients that run are told with `CallClient.setToken`.
    public func set(_ token: ClientToken) { value.withLock { $0 = token } }
}

/// A file that something else keeps up to date. It is read each time.
public struct FileTokenSource: TokenSource {
    private let path: String

    /// - Parameter path: of a file with the token, and perhaps a line's end.
    public init(path: String) { self.path = path }

    /// What the file says now. Throws `ClientError` that names it.
    public func token() async throws -> ClientToken {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ClientError(
                .authorization, "the token file \(path) can't be read; check its path and its permissions")
        }
        return try TokenText.read(data, from: "the token file \(path)")
    }
}

/// What tokens look like, whoever gives them.
enum TokenText {
    private static let longest = 16 * 1024

    /// - Parameter place: what people call the source.
    static func read(_ data: Data, from place: String) throws(ClientError) -> ClientToken {
        guard data.count <= longest else { throw ClientError(.authorization, "\(place) gives more than 16 KiB") }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if text.hasPrefix("{") { return try document(text, place) }
        return try checked(text, nil, place)
    }

    private struct Document: Decodable {
        var token: String
        /// Seconds.
        var expiresIn: Double?
    }

    private static func document(_ text: String, _ place: String) throws(ClientError) -> ClientToken {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else {
            throw ClientError(
                .authorization,
                "\(place) gives JSON without a token; write {\"token\": \"...\", \"expiresIn\": seconds}")
        }
        let seconds = document.expiresIn.map { min(max($0, 0), 31_536_000) }
        return try checked(document.token, seconds.map { Int($0 * 1_000) }, place)
    }

    /// What stands in a header field has no blanks and nothing beyond ASCII.
    private static func checked(_ text: String, _ validFor: Int?, _ place: String) throws(ClientError) -> ClientToken {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ClientError(.authorization, "\(place) gives no token: one line of visible ASCII is needed")
        }
        return ClientToken(text, validFor: validFor)
    }
}
