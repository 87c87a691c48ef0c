import RTCSim
import RTCWire
import Testing

@testable import RTCCore

@Suite struct DataChannelNetworkTests {
    @Test(arguments: 1...6) func reliableMessagesAllArriveOnce(seed: UInt64) {
        for isOrdered in [true, false] {
            let pair = opened(.bad(), seed: seed, DataChannelConfiguration(label: "x", isOrdered: isOrdered))
            let ids = (pair.alice.id("x"), pair.bob.id("x"))
            for number in 0..<200 {
                pair.send(pair.alice, ids.0, numbered(number, length: 8 + number * 37 % 3000))
                pair.send(pair.bob, ids.1, numbered(number, length: 8 + number * 91 % 2000))
                pair.run(.milliseconds(5))
            }
            let isDone = pair.run(until: { pair.bob.messages.count >= 200 && pair.alice.messages.count >= 200 })
            #expect(isDone)
            pair.run(.seconds(5))
            for (side, factor, modulus) in [(pair.bob, 37, 3000), (pair.alice, 91, 2000)] {
                let arrived = numbers(side.payloads("x"))
                #expect(arrived.sorted() == Array(0..<200))
                #expect(isOrdered == (arrived == Array(0..<200)))
                for message in side.payloads("x") {
                    let number = numbers([message])[0]
                    #expect(message == numbered(number, length: 8 + number * factor % modulus))
                }
            }
            #expect(pair.alice.statistics.dataChunksResent > 0)
        }
    }

    @Test(arguments: 1...4) func partlyReliableMessagesMayBeMissingButNeverComeTwice(seed: UInt64) {
        for isOrdered in [true, false] {
            for reliability: DataChannelConfiguration.Reliability in [
                .maximumRetransmissions(0), .maximumRetransmissions(1), .maximumLifetime(.milliseconds(60)),
            ] {
                let pair = opened(
                    .bad(), seed: seed,
                    DataChannelConfiguration(label: "x", isOrdered: isOrdered, reliability: reliability))
                for number in 0..<400 {
                    pair.send(pair.alice, pair.alice.id("x"), numbered(number, length: 8 + number * 53 % 2500))
                    pair.run(.milliseconds(10))
                }
                pair.run(.seconds(20))
                let arrived = numbers(pair.bob.payloads("x"))
                #expect(Set(arrived).count == arrived.count)
                #expect(!isOrdered || arrived == arrived.sorted())
                #expect(arrived.count > 100 && arrived.count < 400, "\(arrived.count) with \(reliability)")
                #expect(pair.alice.statistics.forwardTSNsSent > 0)
                // Nothing is left behind that would be sent for ever.
                #expect(pair.alice.isIdle && pair.bob.isIdle)
                // The channel goes on after all that was skipped.
                pair.conditions = NetworkConditions(delay: .milliseconds(5))
                pair.send(pair.alice, pair.alice.id("x"), numbered(1000))
                #expect(pair.run(until: { numbers(pair.bob.payloads("x")).last == 1000 }))
            }
        }
    }

    @Test func fewerRetransmissionsDeliverLess() {
        var delivered: [Int] = []
        for reliability: DataChannelConfiguration.Reliability in [
            .maximumRetransmissions(0), .maximumRetransmissions(2), .reliable,
        ] {
            let pair = opened(
                NetworkConditions(delay: .milliseconds(20)), seed: 3,
                DataChannelConfiguration(label: "x", isOrdered: false, reliability: reliability))
            pair.conditions.loss = 0.25
            for number in 0..<500 {
                pair.send(pair.alice, pair.alice.id("x"), numbered(number))
                pair.run(.milliseconds(20))
            }
            pair.run(.seconds(30))
            delivered.append(pair.bob.messages.count)
        }
        // A quarter is lost for good; of what may be sent three times, a 64th.
        #expect(abs(delivered[0] - 375) < 40)
        #expect(delivered[1] > 475 && delivered[1] < 500)
        #expect(delivered[2] == 500)
    }

    @Test(arguments: 1...3) func largeMessagesArriveWhole(seed: UInt64) {
        let pair = opened(.bad(loss: 0.05), seed: seed)
        for number in 0..<4 {
            pair.send(pair.alice, pair.alice.id("x"), numbered(number, length: 262_144))
            pair.send(pair.bob, pair.bob.id("x"), numbered(number, length: 200_001))
        }
        #expect(
            pair.run(.seconds(300), until: { pair.bob.messages.count == 4 && pair.alice.messages.count == 4 }))
        #expect(pair.bob.payloads("x") == (0..<4).map { numbered($0, length: 262_144) })
        #expect(pair.alice.payloads("x") == (0..<4).map { numbered($0, length: 200_001) })
        #expect(pair.alice.sentPackets.allSatisfy { $0.count <= 1136 })
    }

    @Test func aCleanPathIsFilledWithoutSendingAnythingTwice() {
        var conditions = NetworkConditions(delay: .milliseconds(10))
        conditions.rate = 20_000_000
        let pair = opened(conditions)
        for number in 0..<16 { pair.send(pair.alice, pair.alice.id("x"), numbered(number, length: 250_000)) }
        let start = pair.now
        #expect(pair.run(until: { pair.bob.messages.count == 16 }))
        // 4 MB at 20 Mbit/s take 1.7 s with all headers; the beginning is slow.
        #expect(pair.now - start < .seconds(3))
        #expect(pair.alice.statistics.timeouts == 0)
        #expect(pair.bob.statistics.packetsSent < pair.bob.statistics.packetsReceived * 2 / 3)
    }

    @Test func oneLossIsRepairedWithoutTheTimer() {
        let pair = opened(NetworkConditions(delay: .milliseconds(50)))
        pair.send(pair.alice, pair.alice.id("x"), numbered(0, length: 100_000))
        #expect(pair.run(until: { pair.bob.messages.count == 1 }))
        var seen = 0
        pair.tap = { bytes, fromAlice in
            guard fromAlice else { return bytes }
            seen += 1
            return seen == 6 ? nil : bytes
        }
        pair.send(pair.alice, pair.alice.id("x"), numbered(1, length: 100_000))
        #expect(pair.run(until: { pair.bob.messages.count == 2 }))
        #expect(pair.alice.statistics.timeouts == 0)
        #expect(pair.alice.statistics.fastRecoveries == 1)
        #expect(pair.alice.statistics.dataChunksResent == 1)
    }

    @Test(arguments: [8, 15, 25]) func dataFlowsSoonAfterABlackout(seconds: Int) {
        let pair = opened()
        let end = pair.now + .seconds(1) + .seconds(seconds)
        pair.conditions.blackouts = [(pair.now + .seconds(1))..<end]
        for number in 0..<(seconds * 10 + 20) {
            pair.send(pair.alice, pair.alice.id("x"), numbered(number))
            pair.run(.milliseconds(100))
        }
        let all = Array(0..<(seconds * 10 + 20))
        #expect(pair.run(until: { pair.bob.messages.count == all.count }))
        #expect(pair.now - end < .seconds(4))
        #expect(numbers(pair.bob.payloads("x")) == all)
    }

    @Test func messagesOutliveNoBlackoutLongerThanTheirLifetime() {
        let pair = opened(
            seed: 2, DataChannelConfiguration(label: "x", reliability: .maximumLifetime(.milliseconds(500))))
        let start = pair.now
        pair.conditions.blackouts = [start..<(start + .seconds(3))]
        for number in 0..<100 {
            pair.send(pair.alice, pair.alice.id("x"), numbered(number, length: 2000))
            pair.run(.milliseconds(100))
        }
        pair.run(.seconds(5))
        let arrived = numbers(pair.bob.payloads("x"))
        // What was sent in the first two seconds of the blackout can't be alive at its end; three seconds after it all is.
        #expect(!arrived.contains { $0 < 20 })
        #expect(arrived.suffix(30) == Array(70..<100)[...])
    }

    @Test func aPathThatStaysDeadEndsTheAssociationWhereALimitIsSet() {
        let pair = opened(configure: { $0.maximumRetransmissions = 5 })
        pair.conditions.loss = 1
        pair.send(pair.alice, pair.alice.id("x"), [1])
        #expect(pair.run(until: { pair.alice.closure != nil }))
        #expect(pair.alice.closure == .unreachable && pair.alice.closed.count == 1)
        #expect(pair.alice.statistics.timeouts == 5)
        // The other end notices by its probes.
        #expect(pair.run(.seconds(400), until: { pair.bob.closure == .unreachable }))
    }

    @Test func anIdlePathIsProbedAndStaysOpen() {
        let pair = opened()
        pair.run(.seconds(600))
        #expect((15...21).contains(pair.alice.statistics.heartbeatsSent))
        #expect(pair.alice.closure == nil && pair.alice.statistics.timeouts == 0)
        pair.send(pair.alice, pair.alice.id("x"), [1])
        #expect(pair.run(.seconds(1), until: { pair.bob.messages.count == 1 }))
    }

    @Test func aSmallReceiveWindowSlowsTheSenderAndLosesNothing() {
        let pair = opened(.bad(), seed: 4, configure: { $0.receiveWindow = 6000 })
        for number in 0..<20 { pair.send(pair.alice, pair.alice.id("x"), numbered(number, length: 20_000)) }
        #expect(pair.run(.seconds(300), until: { pair.bob.messages.count == 20 }))
        #expect(pair.bob.payloads("x") == (0..<20).map { numbered($0, length: 20_000) })
        let windows = pair.bob.chunks.compactMap { if case .sack(let sack) = $0 { sack.receiverWindow } else { nil } }
        #expect(windows.contains { $0 < 1136 } && windows.allSatisfy { $0 <= 6000 })
    }

    @Test func aClosedWindowIsProbedUntilItOpens() {
        let pair = opened(configure: { $0.maximumRetransmissions = 8 })
        var isClosed = true
        pair.tap = { bytes, fromAlice in
            guard !fromAlice, isClosed, var packet = try? SCTPPacket(parsing: bytes.span.bytes) else { return bytes }
            packet.chunks = packet.chunks.map { chunk in
                guard case .sack(var sack) = chunk else { return chunk }
                sack.receiverWindow = 0
                return .sack(sack)
            }
            return packet.encoded
        }
        pair.send(pair.alice, pair.alice.id("x"), numbered(0, length: 60_000))
        pair.run(.seconds(1))
        let before = pair.alice.statistics.dataChunksSent
        pair.run(.seconds(20))
        // One chunk at a time, each answered, and nobody gives up.
        #expect(pair.alice.closure == nil && pair.bob.messages.isEmpty || pair.bob.messages.count == 1)
        #expect(pair.alice.statistics.dataChunksSent > before)
        isClosed = false
        #expect(pair.run(until: { pair.bob.messages.count == 1 }))
    }
}

extension DataPair.Side {
    /// Nothing is outstanding and nothing waits, but for the probes of an idle path.
    var isIdle: Bool {
        switch transport.association {
        case .some(let association):
            association.transfer?.outstanding.isEmpty == true && association.queue.isEmpty
                && association.transfer?.reassembly.fragments == 0
        case .none: true
        }
    }
}
