import RTCCore
import RTCSim
import RTCWire
import Testing

/// Data channels inside a whole peer: over ICE and DTLS, beside media.
@Suite struct PeerDataTests {
    private static let certificates = Result {
        (alice: try DTLSCertificate.generate(), bob: try DTLSCertificate.generate())
    }

    private func pair(_ conditions: NetworkConditions, seed: UInt64) throws -> PeerPair {
        let pair = PeerPair(conditions, seed: seed, certificates: try Self.certificates.get())
        pair.connect()
        return pair
    }

    private func messages(_ node: PeerNode) -> [[UInt8]] {
        node.events.compactMap { if case .dataMessage(_, let bytes, _) = $0 { bytes } else { nil } }
    }

    private func opened(_ node: PeerNode) -> [(id: DataChannelID, label: String)] {
        node.events.compactMap { event in
            if case .dataChannelOpened(let id, let configuration) = event { (id, configuration.label) } else { nil }
        }
    }

    private func closed(_ node: PeerNode) -> Int {
        node.events.count { if case .dataChannelClosed = $0 { true } else { false } }
    }

    private func open(_ pair: PeerPair, _ node: PeerNode, _ label: String) {
        pair.drive(node) { peer, now, outbox in
            _ = try? peer.openDataChannel(DataChannelConfiguration(label: label), now: now, into: outbox)
        }
    }

    private func send(_ pair: PeerPair, _ node: PeerNode, _ label: String, _ bytes: [UInt8]) {
        guard let id = opened(node).last(where: { $0.label == label })?.id else { return }
        pair.drive(node) { peer, now, outbox in
            try? peer.sendMessage(bytes, isText: false, on: id, now: now, into: outbox)
        }
    }

    @Test(arguments: 1...3) func channelsWorkOverTheWholeStack(seed: UInt64) throws {
        let pair = try pair(.bad(loss: 0.1), seed: seed)
        for node in [pair.alice, pair.bob] {
            pair.drive(node) { peer, _, _ in peer.setSCTP(remotePort: 5000, maximumMessageSize: 262_144) }
        }
        open(pair, pair.alice, "a")
        open(pair, pair.bob, "b")
        let limit = pair.simulation.now + .seconds(30)
        #expect(
            pair.simulation.run(until: limit) { opened(pair.alice).count == 2 && opened(pair.bob).count == 2 })
        send(pair, pair.alice, "b", numbered(1, length: 100_000))
        send(pair, pair.bob, "b", numbered(2, length: 262_144))
        send(pair, pair.bob, "a", [])
        #expect(
            pair.simulation.run(until: limit + .seconds(60)) {
                messages(pair.bob).count == 1 && messages(pair.alice).count == 2
            })
        #expect(messages(pair.bob) == [numbered(1, length: 100_000)])
        #expect(Set(messages(pair.alice)) == [numbered(2, length: 262_144), []])
        pair.drive(pair.alice) { peer, now, outbox in peer.close(now: now, into: outbox) }
        #expect(closed(pair.alice) == 2)
        // The goodbye may be lost, and is not said again.
        if pair.simulation.run(until: pair.simulation.now + .seconds(2), or: { closed(pair.bob) > 0 }) {
            #expect(closed(pair.bob) == 2)
        }
    }

    /// The association would wait for its own timer; ICE knows earlier that packets pass again.
    @Test(arguments: [8, 15, 25]) func dataFlowsAsSoonAsThePathIsBack(seconds: Int) throws {
        let pair = try pair(NetworkConditions(delay: .milliseconds(20)), seed: 4)
        for node in [pair.alice, pair.bob] {
            pair.drive(node) { peer, _, _ in peer.setSCTP(remotePort: 5000, maximumMessageSize: 0) }
        }
        open(pair, pair.alice, "a")
        #expect(pair.simulation.run(until: pair.simulation.now + .seconds(5)) { opened(pair.bob).count == 1 })
        let end = pair.simulation.now + .seconds(seconds)
        var conditions = NetworkConditions(delay: .milliseconds(20))
        conditions.blackouts = [pair.simulation.now..<end]
        for (from, to) in [(pair.alice, pair.bob), (pair.bob, pair.alice)] {
            pair.simulation.network.set(conditions, from: from.address, to: to.address)
        }
        for number in 0..<5 { send(pair, pair.alice, "a", numbered(number)) }
        pair.simulation.run(until: end)
        #expect(messages(pair.bob).isEmpty)
        #expect(pair.simulation.run(until: end + .seconds(1)) { messages(pair.bob).count == 5 })
        #expect(messages(pair.bob) == (0..<5).map { numbered($0) })
    }

    @Test func channelsNegotiatedLaterBeginThen() throws {
        let pair = try pair(NetworkConditions(delay: .milliseconds(10)), seed: 9)
        #expect(pair.runUntilConnected())
        for node in [pair.alice, pair.bob] {
            pair.drive(node) { peer, _, _ in peer.setSCTP(remotePort: 5000, maximumMessageSize: 0) }
        }
        open(pair, pair.bob, "late")
        #expect(pair.simulation.run(until: pair.simulation.now + .seconds(5)) { opened(pair.alice).count == 1 })
    }

    @Test func withoutSCTPTheBytesAreTheOwners() throws {
        let pair = try pair(NetworkConditions(delay: .milliseconds(10)), seed: 9)
        #expect(pair.runUntilConnected())
        pair.drive(pair.alice) { peer, _, _ in peer.setSCTP(remotePort: 5000, maximumMessageSize: 0) }
        pair.simulation.run(for: .seconds(1))
        let foreign = pair.bob.events.count { if case .applicationData = $0 { true } else { false } }
        #expect(foreign > 0)
    }
}
