import RTCCore
import RTCWire
import Testing

/// Handshakes and data over networks that lose, double, reorder, and let only small datagrams through.
@Suite struct DTLSNetworkTests {
    @Test(arguments: [300, 1200], DTLSBackends.all)
    func everythingAtOnce(_ mtu: Int, _ backends: DTLSBackends) throws {
        let network = DTLSTestNetwork(loss: 0.15, duplication: 0.3, jitter: 120_000)
        for seed in 1...60 as ClosedRange<UInt64> {
            let pair = try DTLSTestPair.make(backends, seed: seed, mtu: mtu, network: network)
            #expect(pair.connect(), "seed \(seed): \(pair.client.state), \(pair.server.state)")
            #expect(pair.client.keys != nil && pair.client.keys == pair.server.keys)
            #expect(pair.client.actions == [.connected] && pair.server.actions == [.connected])
            #expect(pair.largestDatagram <= mtu)
            for number in 0..<40 as Range<UInt8> {
                #expect(pair.client.send([number], pair.now) && pair.server.send([number], pair.now))
            }
            pair.run(limit: .seconds(2))
            for messages in [pair.client.messages, pair.server.messages] {
                #expect(Set(messages).count == messages.count, "a record is delivered once")
                #expect(messages.count > 20)
            }
        }
    }

    /// Nothing goes on before the last flight has arrived, in whatever order and however often datagrams come.
    @Test(arguments: DTLSBackends.all) func onlyDoublesAndDisorder(_ backends: DTLSBackends) throws {
        let network = DTLSTestNetwork(duplication: 0.5, jitter: 40_000)
        for seed in 1...100 as ClosedRange<UInt64> {
            let pair = try DTLSTestPair.make(backends, seed: seed, mtu: 400, network: network)
            #expect(pair.connect(), "seed \(seed)")
            #expect(pair.now < .zero + .seconds(2))
        }
    }

    /// A path whose MTU is smaller than we were told: flights get smaller once they stay unanswered (RFC 6347 section
    /// 4.1.1.1). libssl was told the path's MTU, and stays with it.
    @Test func smallerPathThanSaid() throws {
        let pair = try DTLSTestPair.make(network: DTLSTestNetwork(largestDatagram: 576))
        #expect(pair.connect())
        #expect(pair.largestDatagram > 576 && pair.now < .zero + .seconds(10))
    }

    /// Both give up at the same time, and say why.
    @Test func handshakesEndWithinTheirLimit() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let pair = try DTLSTestPair.make(seed: seed, network: DTLSTestNetwork(loss: 0.9))
            pair.connect(limit: .seconds(100))
            #expect(pair.client.isSettled || pair.server.state == .connected)
            #expect(pair.now <= .zero + .seconds(31))
        }
    }
}
