import RTCCore
import RTCWire
import Testing

@testable import RTCSim

/// A node that answers every datagram with one byte more, up to a length.
private final class EchoNode: SimulatedNode {
    let address: TransportAddress
    var received: [(count: Int, at: Instant)] = []
    var nextDeadline: Instant?
    var advanced: [Instant] = []
    private let limit: Int

    init(_ port: UInt16, limit: Int = 0) {
        address = TransportAddress(ipv4: 1, port: port)
        self.limit = limit
    }

    func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        received.append((buffer.count, now))
        guard buffer.count < limit else { return }
        [UInt8](repeating: 0, count: buffer.count + 1).withUnsafeBytes { outbox.append($0, to: source) }
    }

    func advance(to now: Instant, into outbox: Outbox) {
        advanced.append(now)
        nextDeadline = nil
    }
}

@Suite struct SimulationTests {
    private func simulation(_ conditions: NetworkConditions) -> (Simulation, EchoNode, EchoNode) {
        let simulation = Simulation(network: SimulatedNetwork(conditions, seed: 1))
        let (one, two) = (EchoNode(1, limit: 10), EchoNode(2, limit: 10))
        simulation.add(one)
        simulation.add(two)
        return (simulation, one, two)
    }

    @Test func datagramsTravelAndTimeJumps() {
        let (simulation, one, two) = simulation(NetworkConditions(delay: .milliseconds(100)))
        let start = simulation.now
        simulation.perform(one) { outbox in
            [UInt8]([0]).withUnsafeBytes { outbox.append($0, to: two.address) }
        }
        simulation.run(for: .seconds(3600))
        #expect(two.received.map(\.count) == [1, 3, 5, 7, 9])
        #expect(one.received.map(\.count) == [2, 4, 6, 8, 10])
        #expect(one.received.last?.at == start + .seconds(1))
        #expect(simulation.now == start + .seconds(3600))
        #expect(simulation.steps == 10)
    }

    @Test func deadlinesAreMetExactly() {
        let (simulation, one, _) = simulation(NetworkConditions())
        let due = simulation.now + .microseconds(1_234)
        one.nextDeadline = due
        simulation.run(for: .seconds(1))
        #expect(one.advanced == [due])
    }

    @Test func tasksRunInOrderAndRepeat() {
        let (simulation, _, _) = simulation(NetworkConditions())
        let start = simulation.now
        var log: [Int] = []
        simulation.schedule(at: start + .milliseconds(25)) { log.append(-1) }
        simulation.schedule(every: .milliseconds(10), from: start) {
            log.append(log.count)
            return log.count < 6
        }
        let met = simulation.run(until: start + .seconds(1)) { log.count == 3 }
        #expect(met)
        #expect(simulation.now == start + .milliseconds(20))
        simulation.run(for: .seconds(1))
        #expect(log == [0, 1, 2, -1, 4, 5])
    }

    @Test func conditionsHoldForOneDirection() {
        let (simulation, one, two) = simulation(NetworkConditions())
        var dead = NetworkConditions()
        dead.loss = 1
        simulation.network.set(dead, from: two.address, to: one.address)
        simulation.perform(one) { outbox in
            [UInt8]([0]).withUnsafeBytes { outbox.append($0, to: two.address) }
        }
        simulation.run(for: .seconds(1))
        #expect(two.received.count == 1)
        #expect(one.received.isEmpty)
        #expect(simulation.network.statistics(from: two.address, to: one.address).lost == 1)
    }

    @Test func aNodeThatNeverRestsIsNoticed() {
        final class Restless: SimulatedNode {
            let address = TransportAddress(ipv4: 1, port: 3)
            var nextDeadline: Instant? { .zero }
            func receive(
                _ buffer: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant, into outbox: Outbox
            ) {}
            func advance(to now: Instant, into outbox: Outbox) {}
        }
        let simulation = Simulation(network: SimulatedNetwork(seed: 1))
        simulation.add(Restless())
        simulation.run(for: .seconds(1))
        #expect(simulation.isStuck)
    }
}

@Suite struct PeerPairTests {
    @Test func theSameSeedGivesTheSameCall() throws {
        let certificates = (alice: try DTLSCertificate.generate(), bob: try DTLSCertificate.generate())
        func run(_ seed: UInt64) -> [Instant] {
            let conditions = NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(30), loss: 0.2)
            let pair = PeerPair(conditions, seed: seed, certificates: certificates)
            var times: [Instant] = []
            pair.simulation.onSend = { bytes, _, _ in if bytes[0] < 4 { times.append(pair.simulation.now) } }
            pair.connect()
            pair.runUntilConnected()
            return times
        }
        #expect(run(4) == run(4))
        #expect(run(4) != run(5))
    }

    @Test func bothSidesConnect() throws {
        let pair = PeerPair(certificates: (try DTLSCertificate.generate(), try DTLSCertificate.generate()))
        pair.connect()
        let connected = pair.runUntilConnected()
        #expect(connected)
        #expect(pair.other(pair.alice) === pair.bob)
        #expect(!pair.simulation.isStuck)
    }
}
