import RTCWire

@testable import RTCCore

/// Two associations whose packets are handed over one by one: each test decides which of them arrive.
final class AssociationPair {
    final class Side {
        var association: SCTPAssociation
        var events: [SCTPEvent] = []
        /// Sent and not delivered yet.
        var packets: [[UInt8]] = []
        /// All chunks that were sent so far.
        var sent: [SCTPChunk] = []

        init(_ configuration: SCTPConfiguration) {
            association = SCTPAssociation(configuration: configuration, remotePort: 5000)
        }

        var state: SCTPAssociation.State { association.state }
        /// Events but messages and `.bufferedAmountLow`.
        var turns: [SCTPEvent] {
            events.filter {
                switch $0 {
                case .message, .bufferedAmountLow: false
                default: true
                }
            }
        }
        var closure: SCTPClosure? { association.closure }
        var statistics: SCTPStatistics { association.statistics }
        var deadline: Instant? { association.nextDeadline }
        var transfer: SCTPTransfer? { association.transfer }
        var messages: [[UInt8]] {
            events.compactMap { if case .message(_, _, let bytes) = $0 { bytes } else { nil } }
        }
    }

    let a: Side
    let b: Side
    private(set) var now = Instant.at(1000)

    init(_ configure: (inout SCTPConfiguration) -> Void = { _ in }) {
        var configuration = SCTPConfiguration()
        configuration.seed = 5
        configure(&configuration)
        a = Side(configuration)
        configuration.seed = configuration.seed.map { $0 + 1 }
        b = Side(configuration)
    }

    /// Calls one side; what it wants sent waits for `deliver`.
    func act(_ side: Side, _ body: (inout SCTPAssociation, Instant, inout SCTPOutput) -> Void) {
        var output = SCTPOutput()
        body(&side.association, now, &output)
        side.events += output.events
        side.packets += output.packets
        for packet in output.packets {
            if let parsed = try? SCTPPacket(parsing: packet.span.bytes) { side.sent += parsed.chunks }
        }
    }

    func connect(_ side: Side) { act(side) { $0.connect(now: $1, into: &$2) } }
    func shutDown(_ side: Side) { act(side) { $0.shutDown(now: $1, into: &$2) } }

    func send(_ side: Side, _ message: OutgoingMessage) {
        act(side) { $0.send(message, now: $1, into: &$2) }
    }

    func receive(_ side: Side, _ bytes: [UInt8]) { act(side) { $0.receive(bytes, now: $1, into: &$2) } }

    /// A packet of the other side, with chunks of the test's own.
    func inject(_ side: Side, tag: UInt32? = nil, _ chunks: SCTPChunk...) {
        let header = SCTPCommonHeader(
            sourcePort: 5000, destinationPort: 5000, verificationTag: tag ?? side.association.localTag ?? 0)
        receive(side, SCTPPacket(header: header, chunks: chunks).encoded)
    }

    /// Hands over what one side has sent.
    func deliver(from side: Side) {
        let packets = side.packets
        side.packets = []
        for packet in packets { receive(side === a ? b : a, packet) }
    }

    /// Loses what one side has sent.
    func lose(from side: Side) { side.packets = [] }

    /// Both sides talk until neither has more to say; no time passes.
    func exchange() {
        while !(a.packets.isEmpty && b.packets.isEmpty) {
            deliver(from: a)
            deliver(from: b)
        }
    }

    /// Lets time pass for both.
    func wait(_ interval: Interval) {
        now += interval
        for side in [a, b] where side.deadline.map({ $0 <= now }) == true {
            act(side) { $0.advance(to: $1, into: &$2) }
        }
    }

    /// Goes on, deadline by deadline, for so long; everything arrives at once.
    func run(_ interval: Interval) {
        let end = now + interval
        exchange()
        while let next = [a.deadline, b.deadline].compactMap({ $0 }).min(), next <= end {
            wait(max(.zero, next - now))
            exchange()
        }
        wait(end - now)
        exchange()
    }

    /// A pair whose association stands.
    static func established(_ configure: (inout SCTPConfiguration) -> Void = { _ in }) -> AssociationPair {
        let pair = AssociationPair(configure)
        pair.connect(pair.a)
        pair.exchange()
        for side in [pair.a, pair.b] {
            side.events = []
            side.sent = []
        }
        return pair
    }
}

extension SCTPChunk {
    var name: String { String(String(describing: self).prefix { $0 != "(" }) }

    var data: DataChunk? { if case .data(let chunk) = self { chunk } else { nil } }
    var sack: SackChunk? { if case .sack(let chunk) = self { chunk } else { nil } }
    var reconfig: ReconfigChunk? { if case .reconfig(let chunk) = self { chunk } else { nil } }
    var forward: ForwardTSNChunk? { if case .forwardTSN(let chunk) = self { chunk } else { nil } }
    var causes: [UInt16] {
        switch self {
        case .error(let chunk): chunk.causes.map(\.code)
        case .abort(let chunk): chunk.causes.map(\.code)
        default: []
        }
    }
}
