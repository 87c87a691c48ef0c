import RTCWire

@testable import RTCCore

/// Two associations of ours and the records under way between them, at one moment of a handshake. A moment is copied, so
/// that many attacks begin at it.
final class HandshakePair {
    struct Record {
        var toServer: Bool
        var bytes: [UInt8]

        /// Of a handshake message in the clear: its header and body.
        var message: ArraySlice<UInt8>? {
            bytes.count >= 25 && bytes[0] == 22 && bytes[4] == 0 ? bytes[13...] : nil
        }
    }

    private var client: DTLSAssociation
    private var server: DTLSAssociation
    private(set) var waiting: [Record] = []
    private(set) var now = Instant.zero
    /// Of all datagrams that either side has sent.
    private(set) var sentBytes = 0
    private(set) var delivered: [[UInt8]] = []
    private let outbox: DatagramOutbox
    private static let nowhere = TransportAddress(ipv4: 0, port: 0)
    private static let waitingLimit = 256

    /// - Parameter isJudged: each side knows the other's fingerprint from the start.
    init(
        _ certificates: (client: DTLSCertificate, server: DTLSCertificate), suite: TLSCipherSuite, mtu: Int = 1200,
        isJudged: Bool = true
    ) {
        outbox = DatagramOutbox(capacity: 16384)
        client = HandshakePair.side(.client, certificates.client, isJudged ? certificates.server : nil, suite, mtu)
        server = HandshakePair.side(.server, certificates.server, isJudged ? certificates.client : nil, suite, mtu)
    }

    /// The same moment once more. Both write to one outbox, which is empty between two calls.
    init(copying other: HandshakePair) {
        client = other.client.copied()
        server = other.server.copied()
        (waiting, now, outbox) = (other.waiting, other.now, other.outbox)
    }

    private static func side(
        _ role: DTLSRole, _ own: DTLSCertificate, _ peer: DTLSCertificate?, _ suite: TLSCipherSuite, _ mtu: Int
    ) -> DTLSAssociation {
        let settings = HandshakeSettings(
            certificate: own, srtpProfiles: SRTPProfile.preferred, cipherSuites: [suite])
        return DTLSAssociation(role: role, settings: settings, mtu: mtu, expectedFingerprint: peer?.fingerprint)
    }

    private var way: DTLSWay { DTLSWay(now: now, outbox: outbox, destination: HandshakePair.nowhere) }

    func start() {
        server.start(way)
        client.start(way)
        collect(toServer: true, mtu: client.mtu)
    }

    /// Delivers the record that was sent first.
    func deliverNext() -> Record? {
        guard !waiting.isEmpty else { return nil }
        let record = waiting.removeFirst()
        inject(record.bytes, toServer: record.toServer)
        return record
    }

    func inject(_ datagram: [UInt8], toServer: Bool) {
        datagram.withUnsafeBytes { bytes in
            if toServer {
                _ = server.receive(bytes, way) { delivered.append(Array($0)) }
            } else {
                _ = client.receive(bytes, way) { delivered.append(Array($0)) }
            }
        }
        collect(toServer: !toServer, mtu: client.mtu)
    }

    func advance(_ interval: Interval) {
        now += interval
        _ = client.advance(way)
        collect(toServer: true, mtu: client.mtu)
        _ = server.advance(way)
        collect(toServer: false, mtu: server.mtu)
    }

    func expect(_ fingerprint: DTLSFingerprint, as role: DTLSRole) {
        _ = role == .client ? client.expect(fingerprint, way) : server.expect(fingerprint, way)
        collect(toServer: role == .client, mtu: client.mtu)
    }

    func close(_ role: DTLSRole) {
        if role == .client { client.close(way) } else { server.close(way) }
        collect(toServer: role == .client, mtu: client.mtu)
    }

    /// A record of epoch 1 as `role` would seal it; nil without keys.
    func seal(_ type: DTLSRecordHeader.ContentType, _ content: [UInt8], by role: DTLSRole) -> [UInt8]? {
        let room = [UInt8](repeating: 0, count: content.count + 64)
        var target = room
        let length = target.withUnsafeMutableBytes { target in
            content.withUnsafeBytes { content in
                role == .client
                    ? client.records.write(type, epoch: 1, content, into: target)
                    : server.records.write(type, epoch: 1, content, into: target)
            }
        }
        return length.map { Array(target[..<$0]) }
    }

    /// Runs without an attacker until nothing happens any more, or both are connected.
    func settle() {
        for _ in 0..<200 {
            while deliverNext() != nil {}
            if state(of: .client) == .connected, state(of: .server) == .connected { return }
            guard let next = [client.nextDeadline, server.nextDeadline].compactMap(\.self).min() else { return }
            advance(max(next - now, .zero))
        }
    }

    func state(of role: DTLSRole) -> DTLSState { role == .client ? client.state : server.state }
    func keys(of role: DTLSRole) -> SRTPKeyingMaterial? { role == .client ? client.srtpKeys : server.srtpKeys }
    func dropped(by role: DTLSRole) -> Int { role == .client ? client.droppedRecords : server.droppedRecords }
    func deadline(of role: DTLSRole) -> Instant? { role == .client ? client.nextDeadline : server.nextDeadline }

    private func collect(toServer: Bool, mtu: Int) {
        for datagram in outbox.datagrams {
            precondition(datagram.length <= mtu, "a datagram of \(datagram.length) bytes")
            sentBytes += datagram.length
            for record in DTLSDatagram.records(Array(outbox.bytes(of: datagram)))
            where waiting.count < HandshakePair.waitingLimit {
                waiting.append(Record(toServer: toServer, bytes: record))
            }
        }
        outbox.removeDatagrams()
    }
}
