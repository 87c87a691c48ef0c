import RTCCore
import RTCWire
import Testing

@Suite struct DTLSHandshakeTests {
    @Test func bothRolesAgreeOnKeys() throws {
        let pair = try DTLSTestPair.make()
        #expect(pair.connect())
        #expect(pair.client.actions == [.connected] && pair.server.actions == [.connected])
        let keys = try #require(pair.client.keys)
        #expect(keys == pair.server.keys)
        #expect(keys.profile == .aeadAES128GCM)
        #expect(keys.clientKey.count == 16 && keys.serverSalt.count == 12 && keys.clientKey != keys.serverKey)
        #expect(pair.datagramsSent <= 5)
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
    }

    @Test func exportedKeysOpenWhatTheOtherSeals() throws {
        let pair = try DTLSTestPair.make()
        #expect(pair.connect())
        let client = try SRTPEndpoint(keys: try #require(pair.client.keys), role: .client)
        let server = try SRTPEndpoint(keys: try #require(pair.server.keys), role: .server, backend: .libsrtp2)
        let packet = sealablePacket(1)
        #expect(server.opened(try #require(client.sealed(packet))) == packet)
        #expect(client.opened(try #require(server.sealed(packet))) == packet)
    }

    /// The server chooses by its own order from what the client offers.
    @Test func profileSelection() throws {
        func selected(_ client: [SRTPProfile], _ server: [SRTPProfile]) throws -> SRTPProfile? {
            let pair = try DTLSTestPair.make(clientProfiles: client, serverProfiles: server)
            pair.connect()
            #expect(pair.client.keys == pair.server.keys)
            return pair.client.keys?.profile
        }
        let (gcm, cm) = (SRTPProfile.aeadAES128GCM, SRTPProfile.aes128CMSHA1_80)
        #expect(try selected([gcm, cm], [gcm, cm]) == gcm)
        #expect(try selected([cm, gcm], [gcm, cm]) == gcm)
        #expect(try selected([gcm, cm], [cm, gcm]) == cm)
        #expect(try selected([cm], [gcm, cm]) == cm)
        #expect(try selected([.aeadAES256GCM], [.aeadAES256GCM, cm]) == .aeadAES256GCM)
    }

    @Test func noCommonProfileFailsBothSides() throws {
        let pair = try DTLSTestPair.make(clientProfiles: [.aeadAES128GCM], serverProfiles: [.aes128CMSHA1_80])
        #expect(!pair.connect())
        #expect(pair.client.state == .failed(.noCommonSRTPProfile))
        #expect(pair.server.state == .failed(.noCommonSRTPProfile))
        #expect(pair.client.keys == nil && pair.server.keys == nil)
    }

    @Test func withoutSRTP() throws {
        let pair = try DTLSTestPair.make(clientProfiles: [], serverProfiles: [])
        #expect(pair.connect())
        #expect(pair.client.keys == nil)
        #expect(pair.client.send([1, 2, 3], pair.now))
        pair.run(limit: .seconds(1))
        #expect(pair.server.messages == [[1, 2, 3]])
    }

    /// Two hundred handshakes at each loss, every one must end connected.
    @Test(arguments: [0.0, 0.1, 0.3]) func handshakesUnderLoss(_ loss: Double) throws {
        var times: [Double] = []
        for seed in 1...200 as ClosedRange<UInt64> {
            let pair = try DTLSTestPair.make(loss: loss, seed: seed)
            #expect(pair.connect(), "seed \(seed): \(pair.client.state), \(pair.server.state)")
            #expect(pair.client.keys != nil && pair.client.keys == pair.server.keys)
            times.append((pair.now - .zero).milliseconds)
        }
        times.sort()
        // A round trip takes 10 to 30 ms and the handshake two of them.
        #expect(loss > 0 || times[199] < 60)
        #expect(times[100] < (loss == 0.3 ? 400 : 120))
    }

    @Test(arguments: [300, 400, 512, 600, 800, 1000, 1200]) func datagramsFitTheMTU(_ mtu: Int) throws {
        for loss in [0.0, 0.2] {
            let pair = try DTLSTestPair.make(loss: loss, seed: 3, mtu: mtu)
            #expect(pair.connect())
            #expect(pair.largestDatagram <= mtu)
        }
    }

    @Test func timersBelongToOurClock() throws {
        let client = try DTLSTestEndpoint(.client, DTLSCertificate.generate())
        let start = Instant.zero + .milliseconds(5000)
        client.start(start)
        #expect(client.takeSent().count == 1)
        var elapsed = 0
        var interval = 50
        for _ in 0..<9 {
            elapsed += interval
            let due = start + .milliseconds(elapsed)
            #expect(client.nextDeadline == due)
            client.advance(due - .milliseconds(1))
            #expect(client.takeSent().isEmpty)
            client.advance(due)
            #expect(client.takeSent().count == 1)
            interval = min(2 * interval, 3200)
        }
    }

    @Test func aSilentPeerTimesOut() throws {
        let pair = DTLSTestPair(
            client: try DTLSTestEndpoint(.client, DTLSCertificate.generate()),
            server: try DTLSTestEndpoint(.server, DTLSCertificate.generate()), loss: 1)
        #expect(!pair.connect(limit: .seconds(100)))
        #expect(pair.client.state == .failed(.timedOut) && pair.server.state == .failed(.timedOut))
        #expect(pair.client.actions == [.failed(.timedOut)])
        #expect(pair.now <= .zero + .seconds(31))
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
    }

    /// The server is done when it has sent its last flight; where that is lost the client asks again.
    @Test func aLostLastFlightIsSentAgain() throws {
        let pair = try DTLSTestPair.make()
        pair.client.start()
        for datagram in pair.client.takeSent() { pair.server.receive(datagram) }
        for datagram in pair.server.takeSent() { pair.client.receive(datagram) }
        for datagram in pair.client.takeSent() { pair.server.receive(datagram) }
        #expect(pair.server.state == .connected && !pair.server.takeSent().isEmpty)
        for millisecond in [50, 150] {
            pair.client.advance(.zero + .milliseconds(millisecond))
            for datagram in pair.client.takeSent() { pair.server.receive(datagram) }
            let again = pair.server.takeSent()
            #expect(!again.isEmpty)
            if millisecond == 150 { for datagram in again { pair.client.receive(datagram) } }
        }
        #expect(pair.client.state == .connected)
    }

    @Test func aServerThatWasNotStartedStartsByItself() throws {
        let pair = try DTLSTestPair.make()
        pair.client.start()
        pair.run(limit: .seconds(1))
        #expect(pair.server.state == .connected && pair.client.state == .connected)
    }
}
