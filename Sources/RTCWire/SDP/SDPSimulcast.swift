/// `a=rid:<id> send|recv[ <restrictions>]` (RFC 8851 section 4).
package struct SDPRID: Hashable, Sendable {
    package var id: String
    /// True for `send`, seen from whoever wrote it.
    package var sends: Bool
    /// `pt=...;max-width=...`, untouched.
    package var restrictions: String?

    package init(id: String, sends: Bool, restrictions: String? = nil) {
        self.id = id
        self.sends = sends
        self.restrictions = restrictions
    }

    package init?(parsing text: String) {
        let parts = text.fields(limit: 3)
        guard parts.count >= 2, parts[1] == "send" || parts[1] == "recv" else { return nil }
        id = parts[0]
        sends = parts[1] == "send"
        restrictions = parts.count > 2 ? parts[2] : nil
    }
}

extension SDPRID: CustomStringConvertible {
    package var description: String { "\(id) \(sends ? "send" : "recv")" + (restrictions.map { " \($0)" } ?? "") }
}

/// `a=simulcast:send 1,~4;2 recv 3` (RFC 8853 section 5.1): streams by `;`, alternatives of one by `,`, `~` for paused.
package struct SDPSimulcast: Hashable, Sendable {
    package struct Alternative: Hashable, Sendable {
        package var rid: String
        package var isPaused: Bool

        package init(rid: String, isPaused: Bool) {
            self.rid = rid
            self.isPaused = isPaused
        }
    }

    /// Streams sent by whoever wrote it, each with its alternatives.
    package var send: [[Alternative]] = []
    /// Streams received.
    package var receive: [[Alternative]] = []

    package init(send: [[Alternative]] = [], receive: [[Alternative]] = []) {
        self.send = send
        self.receive = receive
    }

    package init?(parsing text: String) {
        let parts = text.fields()
        guard parts.count == 2 || parts.count == 4 else { return nil }
        for index in stride(from: 0, to: parts.count, by: 2) {
            switch parts[index] {
            case "send" where send.isEmpty: send = SDPSimulcast.streams(parts[index + 1])
            case "recv" where receive.isEmpty: receive = SDPSimulcast.streams(parts[index + 1])
            default: return nil
            }
        }
    }

    private static func streams(_ text: String) -> [[Alternative]] {
        text.fields(separator: UInt8(ascii: ";")).map { stream in
            stream.fields(separator: UInt8(ascii: ",")).map { rid in
                rid.hasPrefix("~")
                    ? Alternative(rid: String(rid.dropFirst()), isPaused: true)
                    : Alternative(rid: rid, isPaused: false)
            }
        }
    }
}

extension SDPSimulcast: CustomStringConvertible {
    package var description: String {
        func text(_ streams: [[Alternative]]) -> String {
            streams.map { $0.map { ($0.isPaused ? "~" : "") + $0.rid }.joined(separator: ",") }.joined(separator: ";")
        }
        var parts: [String] = []
        if !send.isEmpty { parts.append("send \(text(send))") }
        if !receive.isEmpty { parts.append("recv \(text(receive))") }
        return parts.joined(separator: " ")
    }
}
