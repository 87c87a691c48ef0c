import MediaCore
import RTCCore
import RTCSim
import RTCWire

/// One participant's end of the simulated network: the session that runs on sockets elsewhere, with an address in a
/// simulation.
final class FakeClient: SimulatedNode {
    /// As the server sees it.
    private(set) var address: TransportAddress
    private let simulation: Simulation
    private let session: SimulatedSession
    private(set) var nextDeadline: Instant?

    /// - Parameters:
    ///   - number: makes the address, 1...60,000; each number may be used once.
    ///   - media: how the session is set up; what is about addresses and servers has no meaning here.
    init(
        _ simulation: Simulation, number: Int, seed: UInt64, media: MediaSessionConfiguration,
        certificate: DTLSCertificate
    ) throws {
        self.simulation = simulation
        address = FakeClient.address(number)
        var configuration = media
        configuration.iceServers = []
        configuration.iceTransportPolicy = .all
        configuration.remoteAddressMap = nil
        configuration.seed = seed &+ UInt64(number)
        session = try SimulatedSession(
            configuration, certificate: certificate, ntpOffset: FakeClient.ntpOffset, now: simulation.now)
        let base = address
        perform { machine, _, _ in machine.peer.addLocalCandidate(base) }
        simulation.add(self)
    }

    private static func address(_ number: Int) -> TransportAddress {
        TransportAddress(ipv4: 0x0a00_0000 &+ UInt32(truncatingIfNeeded: number), port: 4000)
    }

    /// Is reached elsewhere from now on, and doesn't know it.
    func move(number: Int) { address = FakeClient.address(number) }

    /// Any moment in NTP's own years will do.
    static let ntpOffset = Interval.seconds(3_950_000_000)

    var onEvent: (SessionMachineEvent) -> Void {
        get { session.onEvent }
        set { session.onEvent = newValue }
    }

    /// Has the session do something now; what it sends leaves from its address. Not from within another node's turn.
    @discardableResult
    func perform<Result>(
        _ body: (inout SessionMachine, Instant, SessionOutbox) throws -> Result
    ) rethrows -> Result {
        let now = simulation.now
        return try simulation.perform(self) { outbox in
            defer { nextDeadline = session.nextDeadline }
            return try session.perform(now: now, into: outbox) { machine, out in try body(&machine, now, out) }
        }
    }

    func statistics() -> SessionStatistics { session.statistics(now: simulation.now) }

    /// Says goodbye and leaves the network.
    func close() {
        perform { machine, now, out in machine.close(now: now, into: out) }
        session.onEvent = { _ in }
        simulation.remove(self)
    }

    // MARK: The simulation's side

    func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        session.receive(buffer, from: source, now: now, into: outbox)
        nextDeadline = session.nextDeadline
    }

    func advance(to now: Instant, into outbox: Outbox) {
        session.advance(to: now, into: outbox)
        nextDeadline = session.nextDeadline
    }
}
