import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICEConsentTests {
    private func connected(seed: UInt64 = 1) -> ICENetwork {
        let network = makeICENetwork(seed: seed)
        network.signalAll()
        network.run(for: .seconds(12))
        return network
    }

    @Test func checksEveryFourToSixSeconds() {
        let network = connected()
        let before = network.a.statistics
        network.run(for: .seconds(600))
        let sent = network.a.statistics.consentChecksSent - before.consentChecksSent
        #expect((110...130).contains(sent))
        #expect(network.a.statistics.consentChecksAnswered - before.consentChecksAnswered >= sent - 1)
    }

    /// Media that flows asks for nothing; where it stops, one check is sent, and no second one until it has come again.
    @Test func silenceIsAskedAfterOnce() {
        let network = connected()
        let least = network.a.statistics.consentChecksSent
        for _ in 0..<3000 {
            network.run(for: .milliseconds(20))
            network.a.agent.mediaArrived(now: network.now)
        }
        #expect((10...16).contains(network.a.statistics.consentChecksSent - least))
        for _ in 0..<30 {
            let before = network.a.statistics.consentChecksSent
            network.a.agent.mediaArrived(now: network.now)
            network.run(for: .milliseconds(4_500))
            #expect((1...2).contains(network.a.statistics.consentChecksSent - before))
        }
        let silent = network.a.statistics.consentChecksSent
        network.run(for: .seconds(600))
        #expect((110...130).contains(network.a.statistics.consentChecksSent - silent))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func expiresInSilence(seed: UInt64) {
        let network = connected(seed: seed)
        network.isDown = true
        let start = network.now
        #expect(network.run(for: .seconds(15)) { network.a.state == .disconnected })
        #expect(network.now - start >= .seconds(5) && network.now - start <= .seconds(12))
        let sent = network.a.statistics.consentChecksSent
        network.run(for: .seconds(10))
        #expect((18...22).contains(network.a.statistics.consentChecksSent - sent))
        #expect(network.a.pair != nil)
        #expect(network.run(for: .seconds(20)) { network.a.state == .failed })
        #expect(network.now - start >= .seconds(30) && network.now - start <= .seconds(36))
        #expect(network.a.pair == nil)
        network.run(for: .seconds(10))
        let quiet = network.a.sent
        network.run(for: .seconds(60))
        #expect(network.a.sent == quiet)
    }

    @Test(arguments: [8, 15, 25]) func survivesBlackout(seconds: Int) {
        for seed in 1...40 as ClosedRange<UInt64> {
            let network = connected(seed: seed)
            network.run(for: .milliseconds(Int(seed) * 150))
            network.isDown = true
            network.run(for: .seconds(seconds))
            #expect(network.a.state.hasPath && network.b.state.hasPath, "seed \(seed)")
            network.isDown = false
            network.run(for: .milliseconds(600))
            #expect(network.a.state == .connected && network.b.state == .connected, "seed \(seed)")
            #expect(network.a.remote == .testB && network.b.remote == .testA, "seed \(seed)")
        }
    }

    @Test func blackoutOnSeveralPairsEndsConnected() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let network = makeICENetwork(seed: seed, bases: ([.testA, .testA6], [.testB, .testB6]))
            network.signalAll()
            network.run(for: .seconds(10))
            network.isDown = true
            network.run(for: .seconds(15))
            network.isDown = false
            // Each side may have taken another pair at first; the next nomination, with a consent check, settles it.
            network.run(for: .seconds(8))
            #expect(network.a.state == .connected && network.b.state == .connected, "seed \(seed)")
            #expect(network.a.pair?.base.isIPv4 == network.b.pair?.base.isIPv4, "seed \(seed)")
        }
    }

    @Test func failsOverToOtherPair() {
        let network = makeICENetwork(bases: ([.testA, .testA6], [.testB, .testB6]))
        network.signalAll()
        network.run(for: .seconds(10))
        #expect(network.a.remote == .testB6)
        network.unreachable = [.testA6, .testB6]
        network.run(for: .seconds(12))
        #expect(network.a.remote == .testB && network.b.remote == .testA)
        #expect(network.a.state == .connected && network.b.state == .connected)
    }

    @Test func answersFromElsewhereDoNotRenewConsent() {
        let network = connected()
        network.isDown = true
        network.run(for: .seconds(7))
        let stranger = TransportAddress(ipv4: 0x0a00_0009, port: 9)
        let key = HMACSHA1(password: network.b.agent.localCredentials.pwd)
        let deadline = network.a.agent.nextDeadline?.instant ?? network.now
        network.a.note(network.a.agent.advance(to: deadline, into: network.a.outbox))
        for (bytes, _) in network.take(network.a) {
            guard let message = try? STUNMessage(parsing: bytes.span.bytes) else { continue }
            let answer = STUNFixture.success(message.transactionID, mapped: .testA, key: key)
            #expect(network.inject(answer, from: stranger, to: network.a).isEmpty)
        }
        #expect(network.a.statistics.asymmetricResponses == 1)
        #expect(network.run(for: .seconds(40)) { network.a.state == .failed })
    }
}
