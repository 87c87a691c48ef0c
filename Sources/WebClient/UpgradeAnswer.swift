import Foundation

/// What a server answers to the request for a WebSocket (RFC 6455 section 4.2.2), read from its bytes as they come. A value.
///
/// It says exactly where the answer ends: the first frames often come in the same segment.
package struct UpgradeAnswer: Sendable {
    package enum Step: Sendable, Equatable {
        /// More has to come.
        case incomplete
        /// The WebSocket is open; `rest` are the bytes that follow the answer.
        case upgraded(rest: [UInt8])
        /// Another answer, with at most 16 kilobytes of its text.
        case refused(status: Int, body: String)
        /// What came is no such answer.
        case malformed(String)
    }

    /// The longest head, and the longest text of a refusal, bytes.
    package static let limit = 16_384

    private enum State {
        case head
        /// A refusal; `length` is nil where the text ends with the connection.
        case body(status: Int, length: Int?)
    }

    private let accept: String
    private var bytes: [UInt8] = []
    /// Up to where no end of the head has been found.
    private var searched = 0
    private var state = State.head

    /// - Parameter accept: the `Sec-WebSocket-Accept` that belongs to the request's key.
    package init(accept: String) { self.accept = accept }

    /// Takes in what came next.
    package mutating func read(_ more: some Sequence<UInt8>) -> Step {
        bytes += more
        return advance()
    }

    /// The connection has ended.
    package mutating func end() -> Step {
        guard case .body(let status, _) = state else { return .malformed("the connection ended before the answer did") }
        return refused(status, bytes.count)
    }

    private mutating func advance() -> Step {
        while true {
            switch state {
            case .body(let status, let length):
                let wanted = min(length ?? Self.limit, Self.limit)
                return bytes.count < wanted ? .incomplete : refused(status, wanted)
            case .head:
                guard let end = endOfHead() else {
                    return bytes.count > Self.limit ? .malformed("its head is longer than 16 kilobytes") : .incomplete
                }
                guard let head = AnswerHead(bytes[..<end]) else { return .malformed("what came is not HTTP") }
                bytes.removeFirst(end)
                searched = 0
                if head.status == 101 { return head.upgrades(accept: accept) ? .upgraded(rest: bytes) : Self.mismatch }
                // Informational answers come before the one that counts.
                if head.status >= 200 { state = .body(status: head.status, length: head.bodyLength) }
            }
        }
    }

    private static let mismatch = Step.malformed("it switches to something else than the WebSocket that was asked for")

    private func refused(_ status: Int, _ length: Int) -> Step {
        .refused(status: status, body: String(decoding: bytes.prefix(min(length, Self.limit)), as: UTF8.self))
    }

    /// The index behind the empty line.
    private mutating func endOfHead() -> Int? {
        var index = searched
        while index + 4 <= bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        searched = index
        return nil
    }
}

/// Status and header fields of an answer, the names in lower case.
private struct AnswerHead {
    let status: Int
    private var fields: [String: [String]] = [:]

    init?(_ bytes: ArraySlice<UInt8>) {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            (100...599).contains(status)
        else { return nil }
        self.status = status
        for line in lines.dropFirst() where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            fields[parts[0].lowercased(), default: []].append(parts[1].trimmingCharacters(in: .whitespaces))
        }
    }

    private func has(_ name: String, _ token: String) -> Bool {
        (fields[name] ?? []).flatMap { $0.split(separator: ",") }
            .contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == token }
    }

    func upgrades(accept: String) -> Bool {
        has("upgrade", "websocket") && has("connection", "upgrade") && fields["sec-websocket-accept"] == [accept]
    }

    /// nil where the text goes on to the end of the connection. One in chunks is left out: it is only shown to people.
    var bodyLength: Int? {
        if status == 204 || status == 304 || has("transfer-encoding", "chunked") { return 0 }
        return fields["content-length"]?.first.map { max(0, Int($0) ?? 0) }
    }
}
