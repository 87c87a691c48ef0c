import RTCWire

@testable import RTCCore

/// One state of one side of a handshake, with all that a genuine peer would go on with.
final class HandshakeStage {
    /// Who is attacked, and what it has read last: "client after ServerHello".
    let name: String
    let role: DTLSRole
    /// Never changed: attacks begin at copies of it.
    let moment: HandshakePair
    /// Number of the handshake message that is to be read next.
    let nextMessage: UInt8
    /// All records of the whole handshake, also those of later stages.
    private(set) var handshake: [HandshakePair.Record] = []
    /// What this side would have at the end.
    private(set) var keys: SRTPKeyingMaterial?

    private init(_ name: String, _ role: DTLSRole, _ pair: HandshakePair, nextMessage: UInt8) {
        self.name = "\(role) \(name)"
        self.role = role
        self.nextMessage = nextMessage
        moment = HandshakePair(copying: pair)
    }

    /// Every state that either side can be in, of a handshake with one cipher suite.
    static func all(
        _ certificates: (client: DTLSCertificate, server: DTLSCertificate), suite: TLSCipherSuite
    ) -> [HandshakeStage] {
        walk(HandshakePair(certificates, suite: suite), asksForCookie: false, isWhole: true)
            + walk(HandshakePair(certificates, suite: suite), asksForCookie: true, isWhole: false)
            + unjudged(HandshakePair(certificates, suite: suite, isJudged: false))
    }

    /// Records of other handshakes: the same two once more, each in the other's place, and a request for a cookie.
    static func others(
        _ certificates: (client: DTLSCertificate, server: DTLSCertificate), suites: [TLSCipherSuite]
    ) -> [HandshakePair.Record] {
        [certificates, (certificates.server, certificates.client)].flatMap { certificates in
            suites.flatMap { suite in
                let pair = HandshakePair(certificates, suite: suite)
                pair.start()
                var records: [HandshakePair.Record] = []
                while let record = pair.deliverNext() { records.append(record) }
                return records
            }
        } + [HandshakePair.Record(toServer: false, bytes: helloVerifyRequest)]
    }

    /// A stage before the first message, one after each, and both sides closed.
    private static func walk(
        _ pair: HandshakePair, asksForCookie: Bool, isWhole: Bool
    ) -> [HandshakeStage] {
        pair.start()
        var stages: [HandshakeStage] = []
        var read: [DTLSRole: UInt8] = [:]
        if asksForCookie {
            // At the second one it is believed.
            for _ in 0..<2 { pair.inject(helloVerifyRequest, toServer: false) }
            stages = [HandshakeStage("after HelloVerifyRequest", .client, pair, nextMessage: 1)]
        } else {
            stages = [.client, .server].map { HandshakeStage("started", $0, pair, nextMessage: 0) }
        }
        guard isWhole else { return stages }
        var records: [HandshakePair.Record] = []
        while let record = pair.deliverNext() {
            records.append(record)
            guard record.bytes[0] == 22 else { continue }
            let role = record.toServer ? DTLSRole.server : .client
            read[role, default: 0] += 1
            let type = record.message.flatMap { TLSHandshakeType(rawValue: $0[13]) } ?? .finished
            stages.append(HandshakeStage("after \(type)", role, pair, nextMessage: read[role] ?? 0))
        }
        precondition(pair.state(of: .client) == .connected && pair.keys(of: .client) == pair.keys(of: .server))
        for stage in stages { (stage.handshake, stage.keys) = (records, pair.keys(of: .client)) }
        return stages + closed(pair, records)
    }

    private static func closed(_ pair: HandshakePair, _ records: [HandshakePair.Record]) -> [HandshakeStage] {
        [DTLSRole.client, .server].map { role in
            let closing = HandshakePair(copying: pair)
            closing.close(role)
            let stage = HandshakeStage("closed", role, closing, nextMessage: 8)
            stage.handshake = records
            return stage
        }
    }

    /// The handshake is over, and SDP has not yet said who the peer must be.
    private static func unjudged(_ pair: HandshakePair) -> [HandshakeStage] {
        pair.start()
        var records: [HandshakePair.Record] = []
        while let record = pair.deliverNext() { records.append(record) }
        precondition(pair.state(of: .client) == .awaitingFingerprint)
        return [DTLSRole.client, .server].map { role in
            let stage = HandshakeStage("without fingerprint", role, pair, nextMessage: 8)
            stage.handshake = records
            return stage
        }
    }

    private static let helloVerifyRequest: [UInt8] = [
        22, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 3, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 6, 0xfe, 0xff, 3, 1, 2, 3,
    ]
}
