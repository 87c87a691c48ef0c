import RTCWire
import Testing

@testable import RTCCore

/// Sending and acknowledging, RFC 9260 section 6 and RFC 3758.
@Suite struct AssociationDataTests {
    @Test func aMessageArrivesWithItsKind() {
        let pair = AssociationPair.established()
        pair.send(pair.a, OutgoingMessage(stream: 3, protocolID: 51, payload: [1, 2, 3]))
        pair.exchange()
        #expect(pair.b.events == [.message(stream: 3, protocolID: 51, [1, 2, 3])])
    }

    @Test func emptyMessagesAreNone() {
        let pair = AssociationPair.established()
        pair.send(pair.a, OutgoingMessage(stream: 3, protocolID: 51, payload: []))
        #expect(pair.a.packets.isEmpty && pair.a.association.bufferedAmount == 0)
    }

    @Test func smallMessagesShareAPacket() {
        let pair = AssociationPair.established()
        pair.send(pair.a, .test(1, 100_000))
        for _ in 0..<10 { pair.send(pair.a, .test(2, 20)) }
        pair.run(.seconds(5))
        #expect(pair.b.messages.count == 11)
        let packets = pair.a.statistics.packetsSent
        #expect(packets < 100_000 / 1100 + 20)
    }

    /// No packet is larger than agreed, and no chunk is cut needlessly.
    @Test(arguments: [1, 1107, 1108, 1109, 2217, 50_000]) func packetsAreFull(size: Int) {
        let pair = AssociationPair.established()
        var largest = 0
        pair.send(pair.a, .test(1, size))
        while !(pair.a.packets.isEmpty && pair.b.packets.isEmpty) {
            largest = max(largest, pair.a.packets.map(\.count).max() ?? 0)
            pair.deliver(from: pair.a)
            pair.deliver(from: pair.b)
            if pair.a.packets.isEmpty, pair.b.packets.isEmpty { pair.wait(.milliseconds(200)) }
        }
        #expect(pair.b.messages.map(\.count) == [size] && largest <= 1136)
        let chunks = pair.a.sent.compactMap(\.data)
        #expect(chunks.count <= (size + 1107) / 1108 + size / 20_000)
    }

    @Test func aSinglePacketIsAnsweredLate() {
        let pair = AssociationPair.established()
        for _ in 0..<2 {
            pair.send(pair.a, .test(1, 10))
            pair.exchange()
        }
        // The first was answered at once, for the round trip; the second waits.
        #expect(pair.b.sent.compactMap(\.sack).count == 1)
        #expect(pair.b.deadline == pair.now + .milliseconds(200))
        pair.wait(.milliseconds(199))
        #expect(pair.b.packets.isEmpty)
        pair.wait(.milliseconds(1))
        #expect(pair.b.sent.compactMap(\.sack).count == 2 && pair.b.deadline != pair.now)
    }

    @Test func everySecondPacketIsAnsweredAtOnce() {
        let pair = AssociationPair.established()
        for _ in 0..<7 {
            pair.send(pair.a, .test(1, 10))
            pair.exchange()
        }
        #expect(pair.b.sent.compactMap(\.sack).count == 4)
    }

    /// An answer that isn't due yet travels with data.
    @Test func answersTravelWithData() {
        let pair = AssociationPair.established()
        for _ in 0..<2 {
            pair.send(pair.a, .test(1, 10))
            pair.exchange()
        }
        pair.send(pair.b, .test(1, 10))
        #expect(pair.b.packets.count == 1 && pair.b.sent.suffix(2).map(\.name) == ["sack", "data"])
    }

    @Test func aGapIsToldAtOnceAndRepaired() {
        let pair = AssociationPair.established()
        pair.send(pair.a, .test(1, 10))
        pair.lose(from: pair.a)
        for _ in 0..<3 {
            pair.send(pair.a, .test(1, 10))
            pair.deliver(from: pair.a)
            #expect(pair.b.packets.count == 1)
            pair.deliver(from: pair.b)
        }
        #expect(pair.a.statistics.fastRecoveries == 1 && pair.a.statistics.dataChunksResent == 1)
        pair.exchange()
        #expect(pair.b.messages.count == 4 && pair.a.statistics.timeouts == 0)
    }

    /// T3-rtx, section 6.3.3: doubled each time, and restored by an answer.
    @Test func silenceIsRepairedByTheTimer() {
        let pair = AssociationPair.established()
        pair.send(pair.a, .test(1, 10))
        for _ in 0..<3 {
            pair.lose(from: pair.a)
            guard let deadline = pair.a.deadline else { break }
            pair.wait(deadline - pair.now)
        }
        #expect(pair.a.statistics.timeouts == 3 && pair.now == .at(1000 + 500 + 1000 + 2000))
        pair.exchange()
        #expect(pair.b.messages.count == 1 && pair.a.transfer?.outstanding.isEmpty == true)
    }

    @Test func aLimitEndsIt() {
        let pair = AssociationPair.established { $0.maximumRetransmissions = 2 }
        pair.send(pair.a, .test(1, 10))
        for _ in 0..<5 {
            pair.lose(from: pair.a)
            pair.wait(.seconds(5))
        }
        #expect(pair.a.closure == .unreachable && pair.a.sent.last?.causes == [SCTPErrorCause.Code.userAbort])
        #expect(pair.a.statistics.timeouts == 2)
    }

    /// The layer below says that the path is back: nothing waits for a doubled timer.
    @Test func aRestoredPathIsUsedAtOnce() {
        let pair = AssociationPair.established()
        pair.send(pair.a, .test(1, 10))
        for _ in 0..<4 {
            pair.lose(from: pair.a)
            pair.wait(.seconds(3))
        }
        pair.lose(from: pair.a)
        pair.act(pair.a) { association, now, _ in association.pathRestored(now: now) }
        #expect(pair.a.deadline == pair.now)
        pair.wait(.zero)
        pair.exchange()
        // The timer ran out once more, but not eight times as long as at first.
        #expect(pair.b.messages.count == 1 && pair.a.transfer?.timeout.current == .seconds(1))
    }

    @Test func aBurstHasAnEnd() {
        let pair = AssociationPair.established { $0.maximumBurst = 2 }
        pair.send(pair.a, .test(1, 100_000))
        #expect(pair.a.packets.count == 2)
        pair.run(.seconds(10))
        #expect(pair.b.messages.map(\.count) == [100_000])
    }

    // MARK: Giving up, RFC 3758

    @Test func anExpiredMessageIsSkipped() {
        let pair = AssociationPair.established()
        var message = OutgoingMessage.test(1, 10)
        message.expiry = pair.now + .milliseconds(300)
        pair.send(pair.a, message)
        pair.lose(from: pair.a)
        pair.send(pair.a, .test(1, 20))
        pair.exchange()
        #expect(pair.b.messages.isEmpty)
        pair.run(.seconds(2))
        #expect(pair.b.messages.map(\.count) == [20] && pair.a.statistics.forwardTSNsSent == 1)
        #expect(pair.a.sent.compactMap(\.forward).first?.skipped == [.init(stream: 1, streamSequence: 0)])
        #expect(pair.a.transfer?.outstanding.isEmpty == true)
    }

    /// A FORWARD TSN that is lost is sent again.
    @Test func aLostSkipIsToldAgain() {
        let pair = AssociationPair.established()
        var message = OutgoingMessage.test(1, 10)
        message.maximumRetransmissions = 0
        pair.send(pair.a, message)
        pair.lose(from: pair.a)
        pair.wait(.milliseconds(500))
        #expect(pair.a.sent.compactMap(\.forward).count == 1)
        pair.lose(from: pair.a)
        pair.run(.seconds(5))
        #expect(pair.a.sent.compactMap(\.forward).count == 2 && pair.a.transfer?.outstanding.isEmpty == true)
        pair.send(pair.a, .test(1, 5))
        pair.exchange()
        #expect(pair.b.messages.map(\.count) == [5])
    }

    // MARK: The other side's faults

    @Test func foreignAndBrokenPacketsAreCounted() {
        let pair = AssociationPair.established()
        pair.inject(pair.a, tag: 1, .cookieAck)
        pair.receive(pair.a, [1, 2, 3])
        #expect(pair.a.statistics.foreignPackets == 1 && pair.a.statistics.malformedPackets == 1)
        #expect(pair.a.packets.isEmpty && pair.a.association.isEstablished)
    }

    /// Section 3.2: what the highest bits of a chunk type say.
    @Test(arguments: [(0x3f, false, false), (0x7f, true, false), (0xbf, false, true), (0xff, true, true)])
    func unknownChunks(type: UInt8, isReported: Bool, isSkipped: Bool) throws {
        let pair = AssociationPair.established()
        let tsn = try #require(pair.a.transfer).tracker.cumulative + 1
        pair.inject(
            pair.a, .unknown(UnknownChunk(type: type, value: [1])), .data(.test(tsn.serial32, stream: 1)))
        #expect(pair.a.messages.count == (isSkipped ? 1 : 0))
        let causes = pair.a.sent.flatMap(\.causes)
        #expect(causes == (isReported ? [SCTPErrorCause.Code.unrecognizedChunk] : []))
    }

    @Test func aStreamBeyondTheAgreementIsReportedAndAcknowledged() throws {
        let pair = AssociationPair.established { $0.maximumStreams = 4 }
        let tsn = try #require(pair.a.transfer).tracker.cumulative + 1
        pair.inject(pair.a, .data(.test(tsn.serial32, stream: 4)))
        #expect(pair.a.messages.isEmpty && pair.a.sent.flatMap(\.causes) == [SCTPErrorCause.Code.invalidStream])
        #expect(pair.a.sent.compactMap(\.sack).last?.cumulativeTSN == tsn.serial32)
    }

    @Test func aMessageTooLargeEndsIt() throws {
        let pair = AssociationPair.established { $0.maximumMessageSize = 50 }
        let tsn = try #require(pair.a.transfer).tracker.cumulative + 1
        pair.inject(pair.a, .data(.test(tsn.serial32, size: 51)))
        #expect(pair.a.closure == .protocolViolation)
        #expect(pair.a.sent.last?.causes == [SCTPErrorCause.Code.protocolViolation])
        pair.deliver(from: pair.a)
        #expect(pair.b.closure == .abortedByPeer(cause: SCTPErrorCause.Code.protocolViolation))
    }

    @Test func whatIsOverTakesNothing() {
        let pair = AssociationPair.established()
        pair.act(pair.a) { association, _, output in
            association.abort(SCTPErrorCause(code: SCTPErrorCause.Code.userAbort), into: &output)
        }
        pair.exchange()
        #expect(pair.a.closure == .aborted && pair.b.closure == .abortedByPeer(cause: SCTPErrorCause.Code.userAbort))
        pair.send(pair.a, .test(1, 10))
        pair.connect(pair.a)
        pair.wait(.seconds(60))
        #expect(pair.a.packets.isEmpty && pair.a.deadline == nil && pair.a.events == [.closed(.aborted)])
    }
}
