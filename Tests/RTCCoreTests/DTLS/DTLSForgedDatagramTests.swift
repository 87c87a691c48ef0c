import RTCWire
import Testing

@testable import RTCCore

/// One forged datagram, however much stands in it, ends no handshake.
@Suite struct DTLSForgedDatagramTests {
    private static let largest = 1472

    private func stage(_ name: String) throws -> HandshakeStage {
        let stages = HandshakeStage.all(try DTLSTestPair.certificates.get(), suite: .ecdheECDSAWithAES128GCM)
        return try #require(stages.first { $0.name == name })
    }

    private func record(_ fragments: [HandshakeFragment]) -> [UInt8] {
        var body: [UInt8] = []
        for fragment in fragments { fragment.append(to: &body) }
        return [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, UInt8(body.count >> 8), UInt8(body.count & 255)] + body
    }

    /// Injects the datagram, then lets the genuine peer go on.
    private func survives(_ datagrams: [UInt8]..., in stage: HandshakeStage) -> Bool {
        let pair = HandshakePair(copying: stage.moment)
        for datagram in datagrams { pair.inject(datagram, toServer: stage.role == .server) }
        pair.settle()
        return pair.state(of: .client) == .connected && pair.state(of: .server) == .connected
    }

    private func genuine(_ type: TLSHandshakeType, in stage: HandshakeStage) throws -> HandshakeFragment {
        try #require(stage.handshake.compactMap(\.fragment).first { $0.type == type })
    }

    /// A message ahead of its time is refused when its time comes, once.
    @Test(arguments: ["server started", "server after clientHello"]) func aheadOfItsTime(_ name: String) throws {
        let stage = try stage(name)
        var forged = try genuine(.certificateVerify, in: stage)
        forged.body[forged.body.count - 1] ^= 1
        #expect(survives(record([forged]), in: stage))
    }

    /// Two datagrams: a proof that does not hold, and another hello, by which the client answers two flights. What stands
    /// between them and its own proof is not thrown away with the forgery.
    @Test func aheadOfItsTimeBesideAnotherHello() throws {
        let stage = try stage("server after clientHello")
        var (forged, other) = (try genuine(.certificateVerify, in: stage), try genuine(.clientHello, in: stage))
        forged.body[forged.body.count - 1] ^= 1
        other.body[33] ^= 1
        #expect(survives(record([forged]), record([other]), in: stage))
    }

    /// Each of them is refused, and more of them than a handshake bears.
    @Test func manyRefusals() throws {
        let stage = try stage("server after clientHello")
        let empty = HandshakeFragment(.certificate, number: 1, length: 3, offset: 0, [0, 0, 0])
        let count = (Self.largest - DTLSRecordHeader.length) / (DTLSHandshakeHeader.length + 3)
        #expect(count > 65)
        #expect(survives(record(Array(repeating: empty, count: count)), in: stage))
    }

    /// Each contradicts what was believed, and there are more of them than readings.
    @Test(arguments: [
        ("server after clientHello", TLSHandshakeType.clientHello), ("client after serverHello", .serverHello),
        ("client after certificateRequest", .certificateRequest), ("client after serverHelloDone", .certificateRequest),
    ]) func manyContradictions(_ name: String, _ type: TLSHandshakeType) throws {
        let stage = try stage(name)
        let genuine = try genuine(type, in: stage)
        var forged: [HandshakeFragment] = []
        while record(forged).count + DTLSHandshakeHeader.length + genuine.body.count <= 4 * Self.largest {
            var other = genuine
            // The last of the random value, or of the signature algorithms.
            other.body[type == .certificateRequest ? other.body.count - 3 : 33] ^= UInt8(forged.count + 1)
            forged.append(other)
        }
        #expect(forged.count > 32 && survives(record(forged), in: stage))
    }

    /// Both requests for a cookie that make it believed.
    @Test func cookiesAskedForAtOnce() throws {
        let request = HandshakeFragment(
            .helloVerifyRequest, number: 0, length: 6, offset: 0, [0xfe, 0xff, 3, 1, 2, 3])
        #expect(survives(record([request, request, request]), in: try stage("client started")))
    }
}
