import RTCCore
import RTCWire
import Testing

/// Who speaks on which side of a test.
struct DTLSBackends: Hashable, CustomTestStringConvertible {
    let client: DTLSBackend
    let server: DTLSBackend

    var testDescription: String { "client \(client), server \(server)" }

    /// Every pair of those that can be used: with an OpenSSL that is not of 3.0 our own alone.
    static let all = usable.flatMap { client in usable.map { DTLSBackends(client: client, server: $0) } }
    static let usable = DTLSBackend.allCases.filter { (try? $0.check()) != nil }
    static let own = DTLSBackends(client: .own, server: .own)
}

/// A transport behind a reference, and all that it said.
final class DTLSTestEndpoint {
    private var transport: DTLSTransport
    let outbox = Outbox(capacity: 4096)
    private(set) var actions: [DTLSAction] = []
    private(set) var messages: [[UInt8]] = []
    private let peer = TransportAddress(ipv4: 0x7f00_0001, port: 9)

    init(
        _ role: DTLSRole, _ certificate: DTLSCertificate, mtu: Int = 1200,
        profiles: [SRTPProfile] = SRTPProfile.preferred, expecting fingerprint: DTLSFingerprint? = nil,
        backend: DTLSBackend = .own, suites: [TLSCipherSuite] = TLSCipherSuite.allCases,
        groups: [TLSNamedGroup] = TLSNamedGroup.allCases
    ) throws {
        transport = try DTLSTransport(
            role: role, certificate: certificate, mtu: mtu, srtpProfiles: profiles,
            expectedFingerprint: fingerprint, backend: backend, cipherSuites: suites, groups: groups)
    }

    var state: DTLSState { transport.state }
    var keys: SRTPKeyingMaterial? { transport.srtpKeys }
    func takeKeys() -> SRTPKeyingMaterial? { transport.takeSRTPKeys() }
    var nextDeadline: Instant? { transport.nextDeadline }
    var dropped: Int { transport.droppedDatagrams }
    var maximumMessage: Int { transport.maximumMessage }

    func start(_ now: Instant = .zero) { note(transport.start(now: now, into: outbox, to: peer)) }

    func receive(_ datagram: [UInt8], _ now: Instant = .zero) {
        let action = datagram.withUnsafeBytes {
            transport.receive($0, now: now, into: outbox, to: peer) { messages.append(Array($0)) }
        }
        note(action)
    }

    func advance(_ now: Instant) { note(transport.advance(to: now, into: outbox, to: peer)) }

    func expect(_ fingerprint: DTLSFingerprint, _ now: Instant = .zero) {
        note(transport.expect(fingerprint, now: now, into: outbox, to: peer))
    }

    func send(_ message: [UInt8], _ now: Instant = .zero) -> Bool {
        message.withUnsafeBytes { transport.send($0, now: now, into: outbox, to: peer) }
    }

    func close(_ now: Instant = .zero) { transport.close(now: now, into: outbox, to: peer) }

    /// What was sent since the last call.
    func takeSent() -> [[UInt8]] {
        defer { outbox.removeAll() }
        return outbox.datagrams.map { Array(outbox.bytes(of: $0)) }
    }

    private func note(_ action: DTLSAction) {
        if action != .none { actions.append(action) }
    }
}

/// How bad the pipe between two transports is.
struct DTLSTestNetwork {
    /// Probability of a datagram's loss.
    var loss = 0.0
    /// Probability that it comes twice.
    var duplication = 0.0
    /// What its delay of 5 ms varies by, in microseconds: so much later datagrams overtake it.
    var jitter = 10_000
    /// Longer ones never arrive.
    var largestDatagram = Int.max
}

/// Two transports on one virtual clock with a seeded lossy pipe between them: each datagram takes 5 to 15 ms, so that
/// they also overtake each other.
final class DTLSTestPair {
    let client: DTLSTestEndpoint
    let server: DTLSTestEndpoint
    private(set) var now = Instant.zero
    private(set) var datagramsSent = 0
    private(set) var largestDatagram = 0
    private var random: CryptoTestRandom
    private let network: DTLSTestNetwork
    private var pipe: [(arrival: Instant, toServer: Bool, bytes: [UInt8])] = []

    init(
        client: DTLSTestEndpoint, server: DTLSTestEndpoint, loss: Double = 0, seed: UInt64 = 1,
        network: DTLSTestNetwork? = nil
    ) {
        (self.client, self.server) = (client, server)
        self.network = network ?? DTLSTestNetwork(loss: loss)
        random = CryptoTestRandom(seed)
    }

    /// Certificates take 0.2 ms: tests share two.
    static let certificates = Result { try (DTLSCertificate.generate(), DTLSCertificate.generate()) }

    /// A pair that knows each other's fingerprint.
    static func make(
        _ backends: DTLSBackends = .own, loss: Double = 0, seed: UInt64 = 1, mtu: Int = 1200,
        clientProfiles: [SRTPProfile] = SRTPProfile.preferred, serverProfiles: [SRTPProfile] = SRTPProfile.preferred,
        network: DTLSTestNetwork? = nil
    ) throws -> DTLSTestPair {
        let (a, b) = try certificates.get()
        return DTLSTestPair(
            client: try DTLSTestEndpoint(
                .client, a, mtu: mtu, profiles: clientProfiles, expecting: b.fingerprint, backend: backends.client),
            server: try DTLSTestEndpoint(
                .server, b, mtu: mtu, profiles: serverProfiles, expecting: a.fingerprint, backend: backends.server),
            loss: loss, seed: seed, network: network)
    }

    /// Starts both and runs until both are connected or failed, or nothing is to happen any more.
    @discardableResult
    func connect(limit: Interval = .seconds(60)) -> Bool {
        server.start(now)
        client.start(now)
        run(limit: limit) { $0.client.isSettled && $0.server.isSettled }
        return client.state == .connected && server.state == .connected
    }

    /// Jumps from event to event.
    func run(limit: Interval = .seconds(60), until isDone: (DTLSTestPair) -> Bool = { _ in false }) {
        let end = now + limit
        pump()
        while !isDone(self), let next = nextEvent, next <= end {
            now = max(now, next)
            client.advance(now)
            server.advance(now)
            let due = pipe.enumerated().filter { $0.element.arrival <= now }.sorted {
                $0.element.arrival < $1.element.arrival
            }
            pipe.removeAll { $0.arrival <= now }
            for (_, packet) in due { (packet.toServer ? server : client).receive(packet.bytes, now) }
            pump()
        }
    }

    private var nextEvent: Instant? {
        ([client.nextDeadline, server.nextDeadline] + pipe.map(\.arrival)).compactMap(\.self).min()
    }

    /// The draw is made even where nothing ever happens, so that a seed means the same.
    private func happens(_ probability: Double) -> Bool { Double(random.next() >> 11) * 0x1p-53 < probability }

    private func pump() {
        for toServer in [true, false] {
            for bytes in (toServer ? client : server).takeSent() {
                datagramsSent += 1
                largestDatagram = max(largestDatagram, bytes.count)
                if bytes.count > network.largestDatagram || happens(network.loss) { continue }
                for _ in 0...(happens(network.duplication) ? 1 : 0) {
                    let delay = Interval.microseconds(5000 + Int(random.next() % UInt64(network.jitter)))
                    pipe.append((now + delay, toServer, bytes))
                }
            }
        }
    }
}

extension DTLSTestEndpoint {
    var isSettled: Bool {
        switch state {
        case .connected, .closed, .failed: true
        default: false
        }
    }
}
