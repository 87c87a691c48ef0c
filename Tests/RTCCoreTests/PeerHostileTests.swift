import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

@Suite struct PeerHostileTests {
    /// Ten seconds of media under twenty thousand hostile datagrams on bob's own 5-tuple.
    @Test(arguments: SRTPBackend.allCases)
    func noiseReplaysAndMutationsLeaveMediaUntouched(_ backend: SRTPBackend) throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(10))) { configuration, _ in
            configuration.srtpBackend = backend
        }
        var captured: [[UInt8]] = []
        var generator = SeededGenerator(seed: 77)
        let (alice, bob) = (call.alice.node.address, call.bob.node.address)
        call.simulation.onSend = { bytes, from, _ in
            guard from == alice, captured.count < 2_000 else { return }
            captured.append(Array(bytes))
        }
        try call.connect()
        let end = call.simulation.now + .seconds(10)
        call.simulation.schedule(every: .microseconds(500), from: call.simulation.now) {
            attack(captured, &generator).withUnsafeBytes { call.simulation.inject($0, from: alice, to: bob) }
            return call.simulation.now < end
        }
        call.talk(for: .seconds(10))
        for (side, other) in [(call.alice, call.bob), (call.bob, call.alice)] {
            #expect(call.audioIsWhole(from: side, to: other))
            #expect(call.videoIsWhole(from: side, to: other))
            #expect(other.corrupt == 0)
        }
        let statistics = call.bob.node.peer.statistics
        #expect(statistics.unopenedDatagrams + statistics.unknownDatagrams > 10_000)
        #expect(Set(call.bob.node.peer.receivedSSRCs) == [call.alice.audioSSRC, call.alice.videoSSRC])
        #expect(call.bob.node.peer.state == .connected)
    }

    /// Random bytes, a replay, or a real datagram with some bits turned or its end cut off.
    private func attack(_ captured: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
        let kind = generator.next() % 4
        if kind == 0 || captured.isEmpty {
            return (0..<Int(generator.next() % 1_500)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
        var bytes = captured[Int(generator.next() % UInt64(captured.count))]
        if kind == 1 || bytes.isEmpty { return bytes }
        if kind == 2 { return Array(bytes.prefix(Int(generator.next() % UInt64(bytes.count)))) }
        for _ in 0...generator.next() % 4 {
            let index = Int(generator.next() % UInt64(min(bytes.count, 64)))
            bytes[index] ^= UInt8(truncatingIfNeeded: generator.next() | 1)
        }
        return bytes
    }

    @Test func anUnfinishedPeerDropsWhatItCannotKnow() throws {
        let call = try PeerCall()
        var generator = SeededGenerator(seed: 5)
        let stranger = TransportAddress(ipv4: 0x0a00_00ff, port: 9)
        for _ in 0..<20_000 {
            var bytes = (0..<Int(generator.next() % 200)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            if bytes.count > 1, generator.next() % 2 == 0 { bytes[0] = [22, 128, 0, 64][Int(generator.next() % 4)] }
            call.pair.drive(call.bob.node) { peer, now, outbox in
                bytes.withUnsafeMutableBytes { peer.receive($0, from: stranger, now: now, into: outbox) }
            }
        }
        let statistics = call.bob.node.peer.statistics
        #expect(statistics.datagramsReceived == 20_000)
        #expect(statistics.datagramsSent == 0)
        #expect(statistics.earlyDatagrams > 0)
        #expect(call.bob.node.events.isEmpty)
        try call.connect()
    }

    @Test func handshakeBytesFromStrangersAreNotListenedTo() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(10)))
        let (alice, bob) = (call.alice.node.address, call.bob.node.address)
        let stranger = TransportAddress(ipv4: 0x0a00_00ff, port: 9)
        call.simulation.onSend = { bytes, from, to in
            // Every DTLS datagram is sent from a stranger's address too, first.
            guard from == alice || from == bob, (20...63).contains(bytes[0]) else { return }
            call.simulation.inject(bytes, from: stranger, to: to)
        }
        try call.connect()
        #expect(call.bob.node.peer.statistics.unauthenticatedDatagrams > 0)
    }

    @Test func aFloodOfSourcesIsBounded() throws {
        let call = try PeerCall { configuration, _ in configuration.streams.maximumLearnedStreams = 256 }
        try call.connect()
        func send(_ ssrcs: ClosedRange<UInt32>) {
            for ssrc in ssrcs {
                call.alice.node.peer.addSendStream(
                    SendStreamConfiguration(
                        ssrc: ssrc, payloadType: 111, clockRate: 48_000, kind: .audio, extensionMap: call.extensions,
                        cache: .external))
                call.pair.drive(call.alice.node) { peer, now, outbox in
                    [UInt8](repeating: 1, count: 20).withUnsafeBytes {
                        _ = peer.send(ssrc: ssrc, marker: false, timestamp: 0, payload: $0, now: now, into: outbox)
                    }
                }
            }
            call.simulation.run(for: .milliseconds(10))
        }
        send(10_000...10_399)
        #expect(call.bob.node.peer.receivedSSRCs.count == 256)
        #expect(call.bob.node.peer.statistics.refusedStreams == 144)
        // Idle sources give their places away.
        call.simulation.run(for: .seconds(11))
        send(20_000...20_010)
        #expect(call.bob.node.peer.receivedSSRCs.count == 256)
        #expect(call.bob.received(20_010)?.packets == 1)
        #expect(call.bob.received(10_000) == nil)
    }

    @Test func requestsForEverythingCostLittle() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)))
        try call.connect()
        call.talk(for: .seconds(2))
        let before = call.alice.node.peer.statistics.datagramsSent
        // Bob asks for every sequence number there is, a hundred times in 20 ms.
        let all = GenericNACK(
            senderSSRC: call.bob.videoSSRC, mediaSSRC: call.alice.videoSSRC,
            sequenceNumbers: (0..<300).map { UInt16(truncatingIfNeeded: $0 * 17) })
        for _ in 0..<100 {
            call.pair.drive(call.bob.node) { peer, _, outbox in peer.sendFeedback(.nack(all), outbox) }
        }
        call.simulation.run(for: .milliseconds(100))
        // Nothing is repeated twice within a round trip.
        #expect(call.alice.node.peer.statistics.datagramsSent - before < 1_200)
    }
}
