import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICELossTests {
    @Test(arguments: [0, 0.1, 0.3]) func connectsOnBadNetwork(loss: Double) {
        for seed in 1...100 as ClosedRange<UInt64> {
            let network = makeICENetwork(seed: seed, bases: ([.testA, .testA6], [.testB, .testB6]))
            network.loss = loss
            network.delay = .milliseconds(40)
            network.jitter = .milliseconds(80)
            network.signalAll()
            let limit = Interval.seconds(loss == 0 ? 2 : 28)
            #expect(network.run(for: limit) { network.isConnected }, "seed \(seed)")
        }
    }

    @Test(arguments: [0.1, 0.3]) func staysOnBadNetwork(loss: Double) {
        var lossOfConsent = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            let network = makeICENetwork(seed: seed)
            network.signalAll()
            network.run(for: .seconds(1))
            network.loss = loss
            network.jitter = .milliseconds(50)
            network.run(for: .seconds(600))
            if !network.isConnected { lossOfConsent += 1 }
        }
        #expect(lossOfConsent == 0)
    }

    @Test func bothSidesChooseOnePair() {
        for seed in 1...50 as ClosedRange<UInt64> {
            let network = makeICENetwork(seed: seed, bases: ([.testA, .testA6], [.testB, .testB6]))
            network.jitter = .milliseconds(100)
            network.loss = 0.1
            network.signalAll()
            network.run(for: .seconds(20))
            #expect(network.a.pair?.base.isIPv4 == network.b.pair?.base.isIPv4, "seed \(seed)")
        }
    }
}
