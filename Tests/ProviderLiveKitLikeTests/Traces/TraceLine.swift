import Foundation

/// One event of a recorded signalling socket; `Tests/Vectors/livekit-traces/make-traces` tells the format.
struct TraceLine {
    enum Direction: String {
        /// The client opens a socket.
        case open
        /// From the server.
        case `in`
        /// From the client.
        case out
        case close
    }

    /// Where it stands in the recording.
    let line: Int
    let direction: Direction
    let kind: String
    let message: [String: Any]

    /// The message's own part, without its kind around it.
    var body: [String: Any] {
        direction == .open ? message : message[kind] as? [String: Any] ?? [:]
    }

    static func load(_ name: String) throws -> [TraceLine] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/livekit-traces/\(name).jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { text in
            let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
            guard let value = value as? [String: Any], let line = value["line"] as? Int,
                let direction = (value["dir"] as? String).flatMap(Direction.init), let kind = value["case"] as? String,
                let message = value["json"] as? [String: Any]
            else { throw TraceError("\(name): \(text.prefix(80)) is no line of a trace") }
            return TraceLine(line: line, direction: direction, kind: kind, message: message)
        }
    }
}

/// Why a replay can't go on.
struct TraceError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
