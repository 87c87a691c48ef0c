import RTCWire

/// P6: what one participant more holds, by the difference between N and 2N of them; agents in one process, the server in
/// another, and this one only asks both.
enum MemoryRow {
    private static let agentGoal = 120
    private static let serverGoal = 80

    @Sendable static func run(_ settings: BenchSettings) throws -> [Row] {
        let wait = 6 * settings.window
        let alone = try grow("publish", by: 40, wait)
        let pairs = try grow("pair", by: 40, wait)
        let audience = try grow("audience", by: 50, wait)
        return [
            row("agent that publishes: heap", alone.agents.heap, agentGoal),
            row("agent that publishes and receives another: heap", pairs.agents.heap, agentGoal),
            row("server, a subscriber: heap", audience.server.heap, serverGoal),
            row("server, a subscriber: resident", audience.server.resident, serverGoal),
            row("server, a publisher and its room: heap", alone.server.heap, nil),
        ]
    }

    private static func row(_ what: String, _ bytes: Double, _ goal: Int?) -> Row {
        Row(
            id: "P6", what: what, ours: "\((bytes / 1024).fixed(0)) KiB", goal: goal.map { "at most \($0) KiB" } ?? "",
            isMet: goal.map { bytes <= Double($0 * 1024) })
    }

    /// Bytes that a participant more holds.
    private struct Growth {
        var heap: Double
        var resident: Double

        init(_ before: [Int], _ after: [Int], by count: Int) throws {
            guard before.count == 2, after.count == 2 else { throw BenchError("a process has not told its memory") }
            heap = Double(after[0] - before[0]) / Double(count)
            resident = Double(after[1] - before[1]) / Double(count)
        }
    }

    /// Lets `count` participants come, then as many again.
    ///
    /// - Parameter wait: seconds until what they hold for repetitions has filled.
    private static func grow(_ command: String, by count: Int, _ wait: Double) throws -> (
        agents: Growth, server: Growth
    ) {
        let server = try ChildProcess(["server"])
        let port = try server.answer(to: "server").first ?? 0
        let agents = try ChildProcess(["agents", "\(port)"])
        _ = try agents.answer(to: "agents")
        func measure() throws -> ([Int], [Int]) {
            try agents.ask("\(command) \(count)")
            SendPattern.sleep(until: .now + .seconds(wait))
            return (try agents.ask("measure"), try server.ask("measure"))
        }
        let (before, after) = (try measure(), try measure())
        return (
            try Growth(before.0, after.0, by: count), try Growth(before.1, after.1, by: count)
        )
    }
}
