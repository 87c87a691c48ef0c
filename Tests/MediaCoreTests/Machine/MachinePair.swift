import RTCCore
import RTCSim
import RTCWire

@testable import MediaCore

/// Two sessions with a network between them, in virtual time: what a call's two ends run on sockets.
final class MachinePair {
    /// One end.
    final class End: SimulatedNode {
        let address: TransportAddress
        let session: SimulatedSession
        private(set) var events: [SessionMachineEvent] = []
        var onEvent: (SessionMachineEvent) -> Void = { _ in }

        init(_ address: TransportAddress, _ session: SimulatedSession) {
            self.address = address
            self.session = session
            session.onEvent = { [unowned self] event in
                events.append(event)
                onEvent(event)
            }
        }

        func receive(
            _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
        ) {
            session.receive(buffer, from: source, now: now, into: outbox)
        }

        func advance(to now: Instant, into outbox: Outbox) { session.advance(to: now, into: outbox) }

        var nextDeadline: Instant? { session.nextDeadline }

        /// Remote tracks that were negotiated and are still there.
        var tracks: [RemoteTrack] {
            var result: [RemoteTrack] = []
            for event in events {
                switch event {
                case .session(.trackAdded(let track)): result.append(track)
                case .session(.trackRemoved(let track)): result.removeAll { $0 === track }
                default: break
                }
            }
            return result
        }

        var isConnected: Bool {
            events.contains { if case .session(.connected) = $0 { true } else { false } }
        }
    }

    let simulation: Simulation
    let ada: End
    let bob: End

    init(
        _ conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(10)), seed: UInt64 = 1,
        configure: (inout MediaSessionConfiguration, _ isAda: Bool) -> Void = { _, _ in }
    ) throws {
        let simulation = Simulation(network: SimulatedNetwork(conditions, seed: seed))
        simulation.run(until: Instant(nanoseconds: 1_000_000_000))
        let certificate = try DTLSCertificate.generate()
        func end(_ isAda: Bool) throws -> End {
            var configuration = MediaSessionConfiguration()
            configuration.isAnswerer = !isAda
            configuration.seed = seed &+ (isAda ? 0 : 1)
            configure(&configuration, isAda)
            let session = try SimulatedSession(
                configuration, certificate: certificate, ntpOffset: .seconds(3_950_000_000), now: simulation.now)
            let end = End(TransportAddress(ipv4: isAda ? 0x0a00_0001 : 0x0a00_0002, port: 4000), session)
            simulation.add(end)
            return end
        }
        self.simulation = simulation
        ada = try end(true)
        bob = try end(false)
        for (from, to) in [(ada, bob), (bob, ada)] {
            let address = from.address
            perform(from) { machine, _, _ in machine.peer.addLocalCandidate(address) }
            from.onEvent = { [unowned self] event in
                guard case .session(.localCandidate(let candidate)) = event else { return }
                simulation.schedule(at: simulation.now) {
                    self.perform(to) { machine, now, out in machine.addRemoteCandidate(candidate, now: now, into: out) }
                }
            }
        }
    }

    @discardableResult
    func perform<Result>(
        _ end: End, _ body: (inout SessionMachine, Instant, SessionOutbox) throws -> Result
    ) rethrows -> Result {
        let now = simulation.now
        return try simulation.perform(end) { outbox in
            try end.session.perform(now: now, into: outbox) { machine, out in try body(&machine, now, out) }
        }
    }

    /// Ada offers, Bob answers.
    func negotiate() throws {
        let offer = try perform(ada) { machine, now, out in try machine.createOffer(now: now, into: out) }
        let answer = try perform(bob) { machine, now, out in try machine.createAnswer(to: offer, now: now, into: out) }
        try perform(ada) { machine, now, out in try machine.setAnswer(answer, now: now, into: out) }
    }

    /// Lets time go by.
    func pass(seconds: Double) { simulation.run(for: .seconds(seconds)) }

    /// Until both are connected; false where that takes longer than ten seconds.
    func connect() -> Bool {
        simulation.run(until: simulation.now + .seconds(10)) { ada.isConnected && bob.isConnected }
    }

    func statistics(_ end: End) -> SessionStatistics { end.session.statistics(now: simulation.now) }
}
