import CallModel
import Foundation
import ServiceDesk

/// Chats as text for a terminal.
enum ChatText {
    /// `Ada: It leaves today. [label.pdf, 2048 bytes]`
    static func line(_ comment: DeskComment) -> String {
        let files = comment.attachments.map { "[\($0.name.printable(limit: 200)), \($0.size) bytes]" }
        let name = comment.author.name.isEmpty ? (comment.isInbound ? "Guest" : "Support") : comment.author.name
        let parts = [comment.body.isEmpty ? nil : comment.body.printable(limit: 32_768)] + files
        return "\(name.printable(limit: 200)): \(parts.compactMap { $0 }.joined(separator: " "))"
    }

    static func line(_ reply: DeskReply) -> String {
        guard reply.hasUnreadComments else { return "everything has been read" }
        let files = reply.lastCommentAttachmentsCount
        let attached = files == 0 ? "" : " [\(files) file\(files == 1 ? "" : "s")]"
        return "unread: \((reply.lastCommentText ?? "").printable(limit: 4_096))\(attached)"
    }
}

/// Standard input, line by line, from a thread of its own.
enum InputLines {
    /// Bytes of a line; what is longer comes in pieces.
    private static let longest = 32 * 1024

    static func read() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1_000))
        Thread.detachNewThread {
            var line: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4_096)
            func finish() {
                continuation.yield(String(decoding: line, as: UTF8.self))
                line = []
            }
            while true {
                let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                for byte in bytes[..<count] {
                    if byte == UInt8(ascii: "\n") { finish() } else { line.append(byte) }
                    if line.count >= longest { finish() }
                }
            }
            if !line.isEmpty { finish() }
            continuation.finish()
        }
        return lines
    }
}
