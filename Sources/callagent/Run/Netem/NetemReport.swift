import Foundation
import RTCTransport
import RTCWire

/// A line of `netem --json`.
struct NetemReport: Encodable {
    /// One direction; sums since the beginning.
    struct Direction: Encodable {
        var received: Int
        var forwarded: Int
        /// Lost by the simulated network, its full queue included.
        var dropped: Int
        /// Of them, because the queue was full.
        var queueDropped: Int
        var duplicated: Int
        var reordered: Int
        var receivedBytes: Int
        var forwardedBytes: Int
        /// How long a datagram that comes now waits at the bottleneck.
        var queueMs: Double
    }

    /// One client, or one port of --udp.
    struct Client: Encodable {
        var name: String
        var toServer: Direction
        var toClient: Direction
        var rebindings: Int
    }

    /// `listening`, `second` or `report`.
    var event: String
    /// Since the beginning.
    var seconds = 0.0
    /// Of signalling; with `listening`.
    var url: String?
    /// Ports of --udp; with `listening`.
    var udp: [String]?
    var network: NetworkConditionsReport?
    var clients: [Client]?
    var total: Client?
    /// Datagrams that the relays lost themselves, and no simulated network.
    var overloaded: Int?
    var ok: Bool?
}

extension NetemReport {
    init(_ event: String, after seconds: Double, _ count: NetemCount) {
        self.init(event: event, seconds: seconds)
        clients = count.clients.map { Client($0.name, $0.counted) }
        total = Client("all", count.total)
        overloaded = count.overloaded
        if event == "report" { ok = count.overloaded == 0 }
    }
}

extension NetemReport.Client {
    init(_ name: String, _ counted: UDPRelayPool.Statistics) {
        self.init(
            name: name, toServer: .init(counted.up, counted.upQueue), toClient: .init(counted.down, counted.downQueue),
            rebindings: counted.up.rebindings)
    }
}

extension NetemReport.Direction {
    init(_ counted: RelayStatistics, _ queue: Interval) {
        self.init(
            received: counted.received, forwarded: counted.forwarded, dropped: counted.dropped,
            queueDropped: counted.queueDropped, duplicated: counted.duplicated, reordered: counted.reordered,
            receivedBytes: counted.receivedBytes, forwardedBytes: counted.forwardedBytes,
            queueMs: (queue.milliseconds * 10).rounded() / 10)
    }
}

/// What `netem` prints for people.
enum NetemText {
    /// The line that changes: rates since the look before.
    static func line(_ now: NetemCount, before: NetemCount?, seconds: Double) -> String {
        func direction(_ name: String, _ counted: RelayStatistics, _ past: RelayStatistics?, _ queue: Interval)
            -> String
        {
            let bits = Double(counted.forwardedBytes - (past?.forwardedBytes ?? 0)) * 8
            let lost = counted.dropped - (past?.dropped ?? 0)
            return
                "\(name) \(Int(bits / max(0.001, seconds) / 1000)) kbit/s, \(lost) lost, queue \(Int(queue.milliseconds)) ms"
        }
        return "\(now.clients.count) clients; "
            + direction("to the server", now.total.up, before?.total.up, now.total.upQueue) + "; "
            + direction("to clients", now.total.down, before?.total.down, now.total.downQueue)
    }

    /// The report, a line for each client and direction.
    static func report(_ count: NetemCount) -> String {
        var lines: [String] = []
        for (name, counted) in count.clients {
            lines.append("\(name) to the server: \(words(counted.up))")
            lines.append("\(name) to the client: \(words(counted.down))")
            if counted.up.rebindings > 0 { lines.append("\(name): \(counted.up.rebindings) changes of address") }
        }
        if count.clients.isEmpty { lines.append("nobody came") }
        if count.overloaded > 0 {
            lines.append(
                "\(count.overloaded) datagrams were lost by netem itself, for want of time: its weather was worse than asked"
            )
        }
        return lines.joined(separator: "\n")
    }

    private static func words(_ counted: RelayStatistics) -> String {
        "\(counted.forwarded) datagrams passed, \(counted.dropped) lost (\(counted.queueDropped) by a full queue), "
            + "\(counted.duplicated) doubled, \(counted.reordered) held back"
    }
}
