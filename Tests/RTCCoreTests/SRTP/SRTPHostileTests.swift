import RTCCore
import Testing

@Suite struct SRTPHostileTests {
    private static let opposite = SRTPCombination.all

    @Test(arguments: opposite) func replays(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        let packets = try (0..<300).map { try #require(sender.sealed(sealablePacket(UInt16($0)))) }
        let reports = try (0..<150).map { _ in try #require(sender.sealed(sealableReport(), rtcp: true)) }
        for packet in packets { #expect(receiver.opened(packet) != nil) }
        for report in reports { #expect(receiver.opened(report, rtcp: true) != nil) }
        for packet in packets { #expect(receiver.opened(packet) == nil) }
        for report in reports { #expect(receiver.opened(report, rtcp: true) == nil) }
        #expect(receiver.statistics.replays == 450 && receiver.statistics.unprotected == 450)
    }

    @Test(arguments: opposite) func latePacketsWithinTheWindow(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        let packets = try (0..<129).map { try #require(sender.sealed(sealablePacket(UInt16($0)))) }
        let reports = try (0..<128).map { _ in try #require(sender.sealed(sealableReport(), rtcp: true)) }
        #expect(receiver.opened(packets[128]) != nil)
        #expect(receiver.opened(packets[0]) != nil)
        #expect(receiver.opened(reports[127], rtcp: true) != nil)
        #expect(receiver.opened(reports[1], rtcp: true) != nil)
    }

    @Test(arguments: opposite) func everyBitOfAPacketCounts(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        for rtcp in [false, true] {
            let plain = rtcp ? sealableReport(padding: 12) : sealablePacket(9)
            let sealed = try #require(sender.sealed(plain, rtcp: rtcp))
            for position in sealed.indices {
                for bit in 0..<8 where rtcp || position != 0 || bit < 4 {
                    var tampered = sealed
                    tampered[position] ^= 1 << UInt8(bit)
                    #expect(receiver.opened(tampered, rtcp: rtcp) == nil, "byte \(position) bit \(bit)")
                }
            }
            #expect(receiver.opened(sealed, rtcp: rtcp) == plain, "the genuine one still opens")
        }
        #expect(receiver.statistics.unprotected == 2)
    }

    @Test(arguments: opposite) func truncatedPackets(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        let packet = try #require(sender.sealed(sealablePacket(3)))
        let report = try #require(sender.sealed(sealableReport(padding: 8), rtcp: true))
        for count in packet.indices { #expect(receiver.opened(Array(packet[..<count])) == nil) }
        for count in report.indices { #expect(receiver.opened(Array(report[..<count]), rtcp: true) == nil) }
        #expect(receiver.statistics.unprotected == 0)
    }

    @Test(arguments: SRTPProfile.allCases, SRTPBackend.allCases)
    func randomBytes(_ profile: SRTPProfile, _ backend: SRTPBackend) throws {
        let receiver = try SRTPEndpoint(keys: someKeys(profile), role: .server, backend: backend)
        var random = CryptoTestRandom(5)
        for _ in 0..<2000 {
            var bytes = (0..<Int(random.next() % 200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if !bytes.isEmpty { bytes[0] = 0x80 }
            let offset = Int(random.next() % 80)
            #expect(receiver.opened(bytes, headerLength: offset) == nil)
            #expect(receiver.opened(bytes, rtcp: true) == nil)
        }
        #expect(receiver.statistics.malformed + receiver.statistics.authenticationFailures == 4000)
    }

    @Test(arguments: SRTPProfile.allCases, SRTPBackend.allCases)
    func sealingChecksRoomAndLengths(_ profile: SRTPProfile, _ backend: SRTPBackend) throws {
        var sender = try SRTPSession(keys: someKeys(profile), role: .client, backend: backend)
        var packet = sealablePacket(1)
        let length = packet.count
        packet.withUnsafeMutableBytes { buffer in
            let sealed = [
                sender.protectRTP(buffer, length: length, payloadOffset: 12),
                sender.protectRTP(buffer, length: 8, payloadOffset: 12),
                sender.protectRTP(buffer, length: 12, payloadOffset: 16),
                sender.protectRTP(buffer, length: -1, payloadOffset: 12),
                sender.protectRTCP(buffer, length: length),
                sender.protectRTCP(buffer, length: 4),
            ]
            #expect(sealed.allSatisfy { $0 == nil })
        }
        let unsealable = sender.statistics.unsealable
        #expect(unsealable == 6)
    }

    @Test(arguments: SRTPBackend.allCases) func forgeriesMakeNoSources(_ backend: SRTPBackend) throws {
        let receiver = try SRTPEndpoint(keys: someKeys(.aes128CMSHA1_80), role: .server, backend: backend)
        for ssrc in 0..<UInt32(2 * SRTPSession.sourceLimit) {
            #expect(receiver.opened(sealablePacket(1, ssrc: ssrc, payload: 40)) == nil)
        }
        #expect(receiver.statistics.authenticationFailures == 2 * SRTPSession.sourceLimit)
        #expect(receiver.statistics.tooManySources == 0)
    }
}
