import RTCCore
import RTCWire

/// Two associations of ours on one virtual clock, whose records are delivered one by one.
final class FuzzedPair {
    private var client: DTLSTransport
    private var server: DTLSTransport
    private let mtu: Int
    private var now = Instant.zero
    private let outbox = Outbox(capacity: 8192)
    private let nowhere = TransportAddress(ipv4: 0, port: 0)
    /// Sent and not delivered.
    private var waiting: [(toServer: Bool, bytes: [UInt8])] = []
    /// All that was ever sent.
    private var history: [(toServer: Bool, bytes: [UInt8])] = []
    private static let historyLimit = 64
    private static let waitingLimit = 256

    init(_ certificates: (DTLSCertificate, DTLSCertificate), suite: TLSCipherSuite, mtu: Int) throws(CryptoError) {
        self.mtu = mtu
        client = try DTLSTransport(
            role: .client, certificate: certificates.0, mtu: mtu, expectedFingerprint: certificates.1.fingerprint,
            cipherSuites: [suite])
        server = try DTLSTransport(
            role: .server, certificate: certificates.1, mtu: mtu, expectedFingerprint: certificates.0.fingerprint,
            cipherSuites: [suite])
        _ = server.start(now: now, into: outbox, to: nowhere)
        _ = client.start(now: now, into: outbox, to: nowhere)
        collect(toServer: true)
    }

    /// Delivers so many records, in order.
    func deliver(_ count: Int) {
        for _ in 0..<count where !waiting.isEmpty {
            let next = waiting.removeFirst()
            inject(next.bytes, toServer: next.toServer)
        }
    }

    func lose(_ count: Int) { waiting.removeFirst(min(count, waiting.count)) }

    func recorded(_ index: Int) -> (toServer: Bool, bytes: [UInt8])? {
        history.isEmpty ? nil : history[index % history.count]
    }

    func inject(_ datagram: [UInt8], toServer: Bool) {
        let (now, outbox, nowhere) = (now, outbox, nowhere)
        datagram.withUnsafeBytes { bytes in
            if toServer {
                _ = server.receive(bytes, now: now, into: outbox, to: nowhere)
            } else {
                _ = client.receive(bytes, now: now, into: outbox, to: nowhere)
            }
        }
        collect(toServer: !toServer)
    }

    func advance(_ interval: Interval) {
        now += interval
        _ = client.advance(to: now, into: outbox, to: nowhere)
        collect(toServer: true)
        _ = server.advance(to: now, into: outbox, to: nowhere)
        collect(toServer: false)
    }

    /// Runs without an attacker until nothing happens any more.
    func settle() {
        for _ in 0..<200 {
            deliver(waiting.count)
            guard let next = [client.nextDeadline, server.nextDeadline].compactMap(\.self).min() else { break }
            advance(max(next - now, .zero))
        }
    }

    /// What holds whatever was sent.
    func check() {
        let (left, right) = (client.srtpKeys, server.srtpKeys)
        precondition((client.state == .connected) == (left != nil) || isOver(client.state), "keys without connection")
        precondition((server.state == .connected) == (right != nil) || isOver(server.state), "keys without connection")
        if client.state == .connected, server.state == .connected { precondition(left == right, "different keys") }
    }

    var isConnected: Bool { client.state == .connected && server.state == .connected }

    private func isOver(_ state: DTLSState) -> Bool {
        switch state {
        case .closed, .failed: true
        default: false
        }
    }

    private func collect(toServer: Bool) {
        for datagram in outbox.datagrams {
            precondition(datagram.length <= mtu, "a datagram of \(datagram.length) bytes")
            for record in DTLSDatagram.records(Array(outbox.bytes(of: datagram)))
            where waiting.count < FuzzedPair.waitingLimit {
                waiting.append((toServer, record))
                if history.count < FuzzedPair.historyLimit { history.append((toServer, record)) }
            }
        }
        outbox.removeAll()
    }
}
