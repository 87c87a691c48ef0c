import RTCSim
import RTCWire

@testable import RTCCore

/// Two data channel transports with a network between them, in virtual time.
final class DataPair {
    /// One end and what it has said.
    final class Side {
        var transport: DataChannelTransport
        let role: DTLSRole
        var opened: [(id: DataChannelID, configuration: DataChannelConfiguration)] = []
        var messages: [(id: DataChannelID, bytes: [UInt8], isText: Bool)] = []
        var closed: [DataChannelID] = []
        var low: [DataChannelID] = []
        var strays = 0
        var sentPackets: [[UInt8]] = []

        init(_ configuration: SCTPConfiguration, role: DTLSRole) {
            transport = DataChannelTransport(configuration: configuration)
            self.role = role
        }

        var statistics: SCTPStatistics {
            switch transport.association {
            case .some(let association): association.statistics
            case .none: SCTPStatistics()
            }
        }

        var closure: SCTPClosure? {
            switch transport.association {
            case .some(let association): association.closure
            case .none: nil
            }
        }

        var transfer: SCTPTransfer? {
            switch transport.association {
            case .some(let association): association.transfer
            case .none: nil
            }
        }

        var isEstablished: Bool {
            switch transport.association {
            case .some(let association): association.isEstablished
            case .none: false
            }
        }

        var channelCount: Int { transport.channels.count }

        /// Messages of one channel, by its label.
        func payloads(_ label: String) -> [[UInt8]] {
            let ids = opened.filter { $0.configuration.label == label }.map(\.id)
            return messages.filter { ids.contains($0.id) }.map(\.bytes)
        }

        func id(_ label: String) -> DataChannelID? { opened.last { $0.configuration.label == label }?.id }
    }

    private struct Flying {
        var arrival: Instant
        var order: Int
        var toAlice: Bool
        var bytes: [UInt8]
    }

    /// DTLS client: even streams.
    let alice: Side
    let bob: Side
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private var network: [NetworkModel]
    private var flying: [Flying] = []
    private var order = 0
    /// Sees every packet before the network does; nil drops it.
    var tap: (_ bytes: [UInt8], _ fromAlice: Bool) -> [UInt8]? = { bytes, _ in bytes }

    init(
        _ conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(20)), seed: UInt64 = 1,
        configure: (inout SCTPConfiguration) -> Void = { _ in }
    ) {
        func configuration(_ salt: UInt64) -> SCTPConfiguration {
            var result = SCTPConfiguration()
            result.seed = seed &* 2 &+ salt
            configure(&result)
            return result
        }
        alice = Side(configuration(0), role: .client)
        bob = Side(configuration(1), role: .server)
        network = [NetworkModel(conditions, seed: seed), NetworkModel(conditions, seed: seed &+ 1000)]
        for side in [alice, bob] { side.transport.setRemote(port: 5000, maximumMessageSize: 262_144) }
    }

    var conditions: NetworkConditions {
        get { network[0].conditions }
        set { for index in 0..<2 { network[index].conditions = newValue } }
    }

    /// Both ends begin, as they do when DTLS stands.
    func start(alice isFirst: Bool = true, bob isSecond: Bool = true) {
        if isFirst { act(alice) { $0.start(role: .client, now: $1, into: &$2) } }
        if isSecond { act(bob) { $0.start(role: .server, now: $1, into: &$2) } }
    }

    func act(_ side: Side, _ body: (inout DataChannelTransport, Instant, inout DataChannelOutput) -> Void) {
        var output = DataChannelOutput()
        body(&side.transport, now, &output)
        take(output, from: side)
    }

    @discardableResult
    func open(_ side: Side, _ configuration: DataChannelConfiguration) -> DataChannelID? {
        var id: DataChannelID?
        act(side) { id = try? $0.open(configuration, now: $1, into: &$2) }
        return id
    }

    /// The error, where the message is refused.
    @discardableResult
    func send(_ side: Side, _ id: DataChannelID?, _ bytes: [UInt8], isText: Bool = false) -> DataChannelError? {
        guard let id else { return .closed }
        var failure: DataChannelError?
        act(side) { transport, now, output in
            do throws(DataChannelError) {
                try transport.send(bytes, isText: isText, on: id, now: now, into: &output)
            } catch { failure = error }
        }
        return failure
    }

    func close(_ side: Side, _ id: DataChannelID?) {
        guard let id else { return }
        act(side) { $0.close(id, now: $1, into: &$2) }
    }

    private func take(_ output: DataChannelOutput, from side: Side) {
        side.strays += output.strayMessages
        for event in output.events {
            switch event {
            case .opened(let id, let configuration): side.opened.append((id, configuration))
            case .message(let id, let bytes, let isText): side.messages.append((id, bytes, isText))
            case .bufferedAmountLow(let id): side.low.append(id)
            case .closed(let id): side.closed.append(id)
            }
        }
        let isAlice = side === alice
        for packet in output.packets {
            side.sentPackets.append(packet)
            guard let bytes = tap(packet, isAlice) else { continue }
            let delivery = network[isAlice ? 0 : 1].transmit(length: bytes.count, at: now)
            for arrival in [delivery.first, delivery.duplicate].compactMap({ $0 }) {
                order += 1
                flying.append(Flying(arrival: arrival, order: order, toAlice: !isAlice, bytes: bytes))
            }
        }
    }

    /// Puts a packet into an end, as if it had come from the other one.
    func inject(_ bytes: [UInt8], into side: Side) {
        act(side) { $0.receive(bytes, now: $1, into: &$2) }
    }

    /// Runs until `condition` holds; false where that takes longer than `limit`.
    @discardableResult
    func run(_ limit: Interval = .seconds(60), until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        while !condition() {
            let arrival = flying.indices.min {
                (flying[$0].arrival, flying[$0].order) < (flying[$1].arrival, flying[$1].order)
            }
            let next = [arrival.map { flying[$0].arrival }, alice.transport.nextDeadline, bob.transport.nextDeadline]
                .compactMap { $0 }.min()
            guard let next, next <= end else {
                now = end
                return condition()
            }
            now = max(now, next)
            if let arrival, flying[arrival].arrival <= now {
                let packet = flying.remove(at: arrival)
                inject(packet.bytes, into: packet.toAlice ? alice : bob)
            }
            for side in [alice, bob] where side.transport.nextDeadline.map({ $0 <= now }) == true {
                act(side) { $0.advance(to: $1, into: &$2) }
            }
        }
        return true
    }
}

/// A message that tells its number, of this length.
func numbered(_ number: Int, length: Int = 8) -> [UInt8] {
    var bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    while bytes.count < length { bytes.append(UInt8(truncatingIfNeeded: bytes.count &* 31 &+ number)) }
    return bytes
}

/// The numbers of such messages.
func numbers(_ messages: [[UInt8]]) -> [Int] {
    messages.map { $0.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
}

extension NetworkConditions {
    /// Loses, holds back and repeats packets.
    static func bad(loss: Double = 0.15) -> NetworkConditions {
        var conditions = NetworkConditions(delay: .milliseconds(25), jitter: .milliseconds(10), loss: loss)
        conditions.reordering = 0.1
        conditions.reorderDelay = .milliseconds(30)
        conditions.duplication = 0.05
        return conditions
    }
}
