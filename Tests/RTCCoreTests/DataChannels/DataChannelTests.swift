import RTCSim
import RTCWire
import Testing

@testable import RTCCore

@Suite struct DataChannelTests {
    @Test func channelsOpenBothWaysThoughBothEndsBeginAtOnce() {
        let pair = DataPair()
        pair.open(pair.alice, DataChannelConfiguration(label: "early", protocolName: "text.v1"))
        pair.start()
        pair.open(
            pair.bob,
            DataChannelConfiguration(label: "lossy", isOrdered: false, reliability: .maximumRetransmissions(0)))
        pair.open(
            pair.bob, DataChannelConfiguration(label: "timed", reliability: .maximumLifetime(.milliseconds(500))))
        #expect(pair.run(until: { pair.alice.opened.count == 3 && pair.bob.opened.count == 3 }))
        for side in [pair.alice, pair.bob] {
            let configurations = side.opened.map(\.configuration).sorted { $0.label < $1.label }
            #expect(configurations.map(\.label) == ["early", "lossy", "timed"])
            #expect(configurations[0].protocolName == "text.v1" && configurations[0].reliability == .reliable)
            #expect(!configurations[1].isOrdered && configurations[1].reliability == .maximumRetransmissions(0))
            #expect(configurations[2].reliability == .maximumLifetime(.milliseconds(500)))
        }
        // The DTLS client has the even streams.
        #expect(pair.alice.stream("early") == 0 && pair.bob.stream("early") == 0)
        #expect(pair.bob.stream("lossy") == 1 && pair.bob.stream("timed") == 3)
    }

    @Test(arguments: [true, false]) func oneEndMayBeginAlone(aliceBegins: Bool) {
        let pair = DataPair()
        pair.start(alice: aliceBegins, bob: false)
        // An end that waits has its association begun by what comes.
        let begins = aliceBegins ? pair.alice : pair.bob
        let waits = aliceBegins ? pair.bob : pair.alice
        if !aliceBegins { pair.start(alice: false, bob: true) }
        pair.open(begins, DataChannelConfiguration(label: "x"))
        pair.run(.seconds(2))
        #expect(waits.opened.isEmpty)
        pair.start(alice: !aliceBegins, bob: aliceBegins)
        #expect(pair.run(.seconds(10), until: { waits.opened.count == 1 }))
    }

    @Test func negotiatedChannelsNeedNoAnnouncement() {
        let pair = DataPair()
        for side in [pair.alice, pair.bob] {
            pair.open(side, DataChannelConfiguration(label: "neg", negotiatedID: 1000))
        }
        #expect(pair.open(pair.alice, DataChannelConfiguration(label: "again", negotiatedID: 1000)) == nil)
        #expect(pair.open(pair.alice, DataChannelConfiguration(label: "far", negotiatedID: 1024)) == nil)
        pair.start()
        #expect(pair.run(until: { pair.alice.opened.count == 1 && pair.bob.opened.count == 1 }))
        pair.send(pair.alice, pair.alice.id("neg"), [1, 2, 3])
        #expect(pair.run(until: { pair.bob.payloads("neg") == [[1, 2, 3]] }))
        let controls = pair.alice.chunks.filter {
            if case .data(let chunk) = $0 { chunk.protocolID == DataChannelProtocolID.control } else { false }
        }
        #expect(controls.isEmpty)
    }

    @Test func textBinaryAndEmptyMessagesKeepTheirKind() {
        let pair = opened()
        let id = pair.alice.id("x")
        pair.send(pair.alice, id, Array("grüße 你好".utf8), isText: true)
        pair.send(pair.alice, id, [], isText: true)
        pair.send(pair.alice, id, [])
        pair.send(pair.alice, id, [0])
        #expect(pair.run(until: { pair.bob.messages.count == 4 }))
        #expect(pair.bob.messages.map(\.isText) == [true, true, false, false])
        #expect(pair.bob.messages.map(\.bytes) == [Array("grüße 你好".utf8), [], [], [0]])
    }

    @Test func wrongUseIsRefusedInWords() {
        let pair = DataPair()
        let early = pair.open(pair.alice, DataChannelConfiguration(label: "x"))
        #expect(pair.send(pair.alice, early, [1]) == .notOpen)
        pair.start()
        #expect(pair.run(until: { pair.bob.opened.count == 1 }))
        #expect(
            pair.send(pair.alice, early, [UInt8](repeating: 0, count: 262_145)) == .messageTooLarge(limit: 262_144))
        #expect(pair.send(pair.alice, DataChannelID(rawValue: 99), [1]) == .closed)
        let long = String(repeating: "x", count: 4097)
        #expect(pair.open(pair.alice, DataChannelConfiguration(label: long)) == nil)
        var refused: DataChannelError?
        for _ in 0..<100 where refused == nil {
            refused = pair.send(pair.alice, early, [UInt8](repeating: 0, count: 262_144))
        }
        #expect(refused == .bufferFull(limit: 16 << 20))
        pair.close(pair.alice, early)
        #expect(pair.send(pair.alice, early, [1]) == .closed)
    }

    @Test func aClosedChannelsStreamIsUsedAgain() {
        let pair = opened(NetworkConditions.bad(), seed: 5)
        for round in 0..<5 {
            let id = pair.alice.id("x")
            for number in 0..<10 { pair.send(pair.alice, id, numbered(round * 10 + number)) }
            #expect(pair.alice.stream("x") == 0)
            // What was handed in before is still delivered.
            pair.close(pair.alice, id)
            #expect(pair.run(until: { pair.alice.closed.count == round + 1 && pair.bob.closed.count == round + 1 }))
            #expect(pair.bob.messages.count == (round + 1) * 10)
            pair.open(pair.alice, DataChannelConfiguration(label: "x"))
            #expect(pair.run(until: { pair.bob.opened.count == round + 2 }))
        }
        #expect(numbers(pair.bob.messages.map(\.bytes)) == Array(0..<50))
    }

    @Test func bothEndsMayCloseAtOnce() {
        let pair = opened()
        pair.close(pair.alice, pair.alice.id("x"))
        pair.close(pair.bob, pair.bob.id("x"))
        #expect(pair.run(until: { pair.alice.closed.count == 1 && pair.bob.closed.count == 1 }))
        pair.open(pair.bob, DataChannelConfiguration(label: "y"))
        #expect(pair.run(until: { pair.alice.opened.count == 2 }))
    }

    @Test func theBufferedAmountFallsAndIsReported() {
        let pair = opened(NetworkConditions(delay: .milliseconds(100)))
        guard let id = pair.alice.id("x") else { return }
        pair.act(pair.alice) { transport, _, _ in transport.setLowThreshold(10_000, of: id) }
        pair.send(pair.alice, id, [UInt8](repeating: 1, count: 100_000))
        let waiting = pair.alice.transport.bufferedAmount(of: id)
        // What fits into the first window has left.
        #expect(waiting > 90_000 && waiting < 100_000)
        #expect(pair.run(until: { !pair.alice.low.isEmpty }))
        #expect(pair.alice.transport.bufferedAmount(of: id) <= 10_000)
        #expect(pair.bob.messages.isEmpty)
        pair.run(.seconds(10))
        #expect(pair.alice.low == [id] && pair.bob.messages.count == 1)
    }

    @Test func closingAnEndClosesTheOther() {
        let pair = opened()
        pair.act(pair.alice) { transport, _, output in transport.close(into: &output) }
        #expect(pair.run(.seconds(1), until: { pair.bob.closed.count == 1 }))
        #expect(pair.alice.closed.count == 1)
        #expect(pair.bob.closure == .abortedByPeer(cause: SCTPErrorCause.Code.userAbort))
        #expect(pair.send(pair.bob, pair.bob.id("x"), [1]) == .closed)
    }

    @Test func tooManyChannelsAreRefusedAndClosedAgain() {
        let pair = opened()
        for number in 1..<600 { pair.open(pair.alice, DataChannelConfiguration(label: "\(number)")) }
        pair.run(.seconds(20))
        #expect(pair.alice.channelCount == DataChannelTransport.maximumChannels)
        #expect(pair.bob.channelCount == DataChannelTransport.maximumChannels)
    }
}

/// A pair with one channel "x" of alice's that is open.
func opened(
    _ conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(20)), seed: UInt64 = 1,
    _ channel: DataChannelConfiguration = DataChannelConfiguration(label: "x"),
    configure: (inout SCTPConfiguration) -> Void = { _ in }
) -> DataPair {
    let pair = DataPair(conditions, seed: seed, configure: configure)
    pair.start()
    pair.open(pair.alice, channel)
    let isOpen = pair.run(until: { pair.bob.opened.count == 1 })
    #expect(isOpen)
    return pair
}

extension DataPair.Side {
    func stream(_ label: String) -> UInt16? { id(label).flatMap { transport.channels[$0.rawValue]?.stream } }

    /// All chunks sent so far.
    var chunks: [SCTPChunk] {
        sentPackets.flatMap { (try? SCTPPacket(parsing: $0.span.bytes))?.chunks ?? [] }
    }
}
