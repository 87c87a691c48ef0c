import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICERoleTests {
    @Test(arguments: [ICERole.controlling, .controlled], 1...10 as ClosedRange<UInt64>)
    func conflictIsResolvedByTieBreaker(role: ICERole, seed: UInt64) {
        let network = makeICENetwork(seed: seed, roles: (role, role))
        network.jitter = .milliseconds(20)
        network.signalAll()
        #expect(network.run(for: .seconds(3)) { network.isConnected })
        network.run(for: .seconds(30))
        let aControls = network.a.agent.tieBreaker >= network.b.agent.tieBreaker
        #expect(network.a.agent.role == (aControls ? .controlling : .controlled))
        #expect(network.b.agent.role == (aControls ? .controlled : .controlling))
        #expect(network.a.statistics.roleConflicts + network.b.statistics.roleConflicts > 0)
        #expect(network.a.state == .connected && network.b.state == .connected)
    }

    @Test func conflictResolvesOnLossyNetwork() {
        for seed in 1...50 as ClosedRange<UInt64> {
            let network = makeICENetwork(seed: seed, roles: (.controlling, .controlling))
            network.loss = 0.2
            network.jitter = .milliseconds(60)
            network.signalAll()
            #expect(network.run(for: .seconds(25)) { network.isConnected }, "seed \(seed)")
            #expect(network.a.agent.role != network.b.agent.role, "seed \(seed)")
        }
    }

    @Test func alwaysControlsLiteRemote() {
        var configuration = ICEConfiguration(role: .controlled)
        configuration.seed = 7
        let node = ICENode(configuration, bases: [.testA])
        var lite = LiteResponder(credentials: ICECredentials(ufrag: "lite", pwd: "0123456789abcdef012345"))
        var now = Instant(nanoseconds: 5)
        node.agent.addLocalCandidate(.testA, now: now)
        _ = node.agent.setRemoteCredentials(lite.credentials, remoteIsLite: true, now: now)
        #expect(node.agent.role == .controlling)
        let candidate = ICECandidate(foundation: "1", priority: 2_130_706_431, address: .testB, type: .host)
        node.agent.addRemoteCandidate(candidate, now: now)
        while !node.state.hasPath, let deadline = node.agent.nextDeadline, deadline.instant < .zero + .seconds(1) {
            now = max(now, deadline.instant)
            _ = node.agent.advance(to: now, into: node.outbox)
            let requests = node.outbox.datagrams.map { Array(node.outbox.bytes(of: $0)) }
            node.outbox.removeAll()
            for request in requests {
                guard let answer = lite.answer(request, to: .testA) else { continue }
                _ = answer.withUnsafeBytes {
                    node.agent.receive($0, from: .testB, localBase: .testA, now: now, into: node.outbox)
                }
            }
        }
        #expect(node.state == .connected)
        #expect(lite.nominations >= 1)
    }
}

/// The other half of a lite agent: answers, and never asks.
private struct LiteResponder {
    let credentials: ICECredentials
    private(set) var nominations = 0

    init(credentials: ICECredentials) { self.credentials = credentials }

    mutating func answer(_ request: [UInt8], to source: TransportAddress) -> [UInt8]? {
        let key = HMACSHA1(password: credentials.pwd)
        guard let message = try? STUNMessage(parsing: request.span.bytes), message.messageClass == .request,
            message.hasValidIntegrity(in: request.span.bytes, authenticate: { key.authenticate($0, into: $1) }),
            message.usernameText(in: request.span.bytes)?.hasPrefix("lite:") == true, message.iceControlling != nil
        else { return nil }
        if message.useCandidate { nominations += 1 }
        return STUNFixture.success(message.transactionID, mapped: source, key: key)
    }
}
