import RTCWire
import Testing

@testable import RTCCore

@Suite struct DTLSHandshakeTests {
    @Test(arguments: DTLSBackends.all) func bothRolesAgreeOnKeys(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        #expect(pair.client.actions == [.connected] && pair.server.actions == [.connected])
        let keys = try #require(pair.client.keys)
        #expect(keys == pair.server.keys)
        #expect(keys.profile == .aeadAES128GCM)
        let (client, server) = (keys.written(by: .client), keys.written(by: .server))
        #expect(client.key.count == 16 && server.salt.count == 12 && client.key != server.key)
        #expect(pair.datagramsSent <= 5)
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
    }

    /// The server chooses by its own order from what the client offers.
    @Test(arguments: DTLSBackends.all) func profileSelection(_ backends: DTLSBackends) throws {
        func selected(_ client: [SRTPProfile], _ server: [SRTPProfile]) throws -> SRTPProfile? {
            let pair = try DTLSTestPair.make(backends, clientProfiles: client, serverProfiles: server)
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

    @Test(arguments: DTLSBackends.all) func noCommonProfileFailsBothSides(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends, clientProfiles: [.aeadAES128GCM], serverProfiles: [.aes128CMSHA1_80])
        #expect(!pair.connect())
        #expect(pair.client.state == .failed(.noCommonSRTPProfile))
        #expect(pair.server.state == .failed(.noCommonSRTPProfile))
        #expect(pair.client.keys == nil && pair.server.keys == nil)
    }

    @Test(arguments: DTLSBackends.all) func withoutSRTP(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends, clientProfiles: [], serverProfiles: [])
        #expect(pair.connect())
        #expect(pair.client.keys == nil)
        #expect(pair.client.send([1, 2, 3], pair.now))
        pair.run(limit: .seconds(1))
        #expect(pair.server.messages == [[1, 2, 3]])
    }

    /// Two hundred handshakes at each loss, every one must end connected.
    @Test(arguments: [0.0, 0.1, 0.3], DTLSBackends.all)
    func handshakesUnderLoss(_ loss: Double, _ backends: DTLSBackends) throws {
        var times: [Double] = []
        for seed in 1...200 as ClosedRange<UInt64> {
            let pair = try DTLSTestPair.make(backends, loss: loss, seed: seed)
            #expect(pair.connect(), "seed \(seed): \(pair.client.state), \(pair.server.state)")
            #expect(pair.client.keys != nil && pair.client.keys == pair.server.keys)
            times.append((pair.now - .zero).milliseconds)
        }
        times.sort()
        // A round trip takes 10 to 30 ms and the handshake two of them.
        #expect(loss > 0 || times[199] < 60)
        #expect(times[100] < (loss == 0.3 ? 400 : 120))
    }

    @Test(arguments: [300, 400, 512, 600, 800, 1000, 1200], DTLSBackends.all)
    func datagramsFitTheMTU(_ mtu: Int, _ backends: DTLSBackends) throws {
        for loss in [0.0, 0.2] {
            let pair = try DTLSTestPair.make(backends, loss: loss, seed: 3, mtu: mtu)
            #expect(pair.connect())
            #expect(pair.largestDatagram <= mtu)
        }
    }

    @Test(arguments: DTLSBackends.usable) func timersBelongToOurClock(_ backend: DTLSBackend) throws {
        let client = try DTLSTestEndpoint(.client, DTLSCertificate.generate(), backend: backend)
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

    @Test(arguments: DTLSBackends.all) func aSilentPeerTimesOut(_ backends: DTLSBackends) throws {
        let pair = DTLSTestPair(
            client: try DTLSTestEndpoint(.client, DTLSCertificate.generate(), backend: backends.client),
            server: try DTLSTestEndpoint(.server, DTLSCertificate.generate(), backend: backends.server), loss: 1)
        #expect(!pair.connect(limit: .seconds(100)))
        #expect(pair.client.state == .failed(.timedOut) && pair.server.state == .failed(.timedOut))
        #expect(pair.client.actions == [.failed(.timedOut)])
        #expect(pair.now <= .zero + .seconds(31))
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
    }

    /// The server is done when it has sent its last flight; where that is lost the client asks again.
    @Test(arguments: DTLSBackends.all) func aLostLastFlightIsSentAgain(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
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

    @Test(arguments: DTLSBackends.all) func aServerThatWasNotStartedStartsByItself(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        pair.client.start()
        pair.run(limit: .seconds(1))
        #expect(pair.server.state == .connected && pair.client.state == .connected)
    }
}
