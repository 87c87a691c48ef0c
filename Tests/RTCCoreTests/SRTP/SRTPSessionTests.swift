import RTCCore
import Testing

/// What holds for either backend and every profile, also between the backends.
@Suite struct SRTPSessionTests {
    @Test(arguments: SRTPCombination.all) func packetsCross(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        for (number, size) in [0, 1, 15, 16, 17, 160, 1000, 1180].enumerated() {
            let packet = sealablePacket(UInt16(100 + number), payload: size)
            let sealed = try #require(sender.sealed(packet))
            #expect(sealed.count == packet.count + combination.profile.rtpOverhead)
            #expect(Array(sealed[..<12]) == Array(packet[..<12]))
            #expect(size < 4 || Array(sealed[12..<packet.count]) != Array(packet[12...]))
            #expect(receiver.opened(sealed) == packet)
            let report = sealableReport(padding: size & ~3)
            let sealedReport = try #require(sender.sealed(report, rtcp: true))
            #expect(sealedReport.count == report.count + combination.profile.rtcpOverhead)
            #expect(receiver.opened(sealedReport, rtcp: true) == report)
        }
        #expect(sender.statistics.protected == 16 && receiver.statistics.unprotected == 16)
    }

    @Test(arguments: SRTPCombination.all) func bothDirectionsHaveTheirOwnKeys(_ combination: SRTPCombination) throws {
        let client = try combination.makeSender()
        let server = try combination.makeReceiver()
        let packet = sealablePacket(7)
        let up = try #require(client.sealed(packet))
        let down = try #require(server.sealed(packet))
        #expect(up != down)
        #expect(client.opened(up) == nil && server.opened(down) == nil)
        #expect(server.opened(up) == packet && client.opened(down) == packet)
        #expect(client.statistics.authenticationFailures == 1)
    }

    @Test(arguments: SRTPCombination.all) func rollOverWithLossAndReordering(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        var random = CryptoTestRandom(11)
        // Three times round the sequence number, in steps, so that the roll-over counter reaches 3.
        var index = 32_000
        while index < 3 * 65_536 + 500 {
            let burst = (index..<(index + 12)).map { sealablePacket(UInt16(truncatingIfNeeded: $0)) }
            let sealed = try burst.map { try #require(sender.sealed($0)) }
            for number in burst.indices.shuffled(using: &random) where random.next() % 4 > 0 {
                #expect(receiver.opened(sealed[number]) == burst[number], "index \(index + number)")
            }
            // Bursts stand close around the roll-over, far apart elsewhere.
            let near = (index + 200) % 65_536 < 400
            index += near ? 12 : 12 + Int(random.next() % 150)
        }
        #expect(receiver.statistics.authenticationFailures == 0 && receiver.statistics.replays == 0)
    }

    @Test(arguments: SRTPCombination.all) func largestStepsOfTheSequenceNumber(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        for number in [1, 32_000, 64_000, 30_000, 62_000, 28_000] as [UInt16] {
            let packet = sealablePacket(number)
            #expect(receiver.opened(try #require(sender.sealed(packet))) == packet, "\(number)")
        }
    }

    @Test(arguments: SRTPCombination.all) func manySourcesShareASession(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        let receiver = try combination.makeReceiver()
        for round in 0..<3 {
            for ssrc in 1...40 as ClosedRange<UInt32> {
                let packet = sealablePacket(UInt16(round), ssrc: ssrc &* 2_654_435_761)
                #expect(receiver.opened(try #require(sender.sealed(packet))) == packet)
            }
        }
    }

    @Test(arguments: SRTPCombination.all) func keyStreamIsNeverUsedTwice(_ combination: SRTPCombination) throws {
        let sender = try combination.makeSender()
        #expect(sender.sealed(sealablePacket(5)) != nil)
        #expect(sender.sealed(sealablePacket(5, payload: 9)) == nil)
        #expect(sender.sealed(sealablePacket(2000)) != nil)
        #expect(sender.sealed(sealablePacket(1500)) != nil, "late, but within the window")
        #expect(sender.sealed(sealablePacket(6)) == nil, "behind the window")
        #expect(sender.statistics.indexRefusals == 2)
    }

    @Test(arguments: SRTPProfile.allCases, SRTPBackend.allCases)
    func keysOfTheWrongLengthAreNamed(_ profile: SRTPProfile, _ backend: SRTPBackend) throws {
        let keys = someKeys(profile, serverSaltLength: profile.saltLength - 1)
        do {
            _ = try SRTPEndpoint(keys: keys, role: .client, backend: backend)
            Issue.record("accepted a short salt")
        } catch {
            #expect(
                error
                    == .invalidKeyLength(
                        profile: profile, key: profile.keyLength, salt: profile.saltLength - 1))
        }
    }
}
