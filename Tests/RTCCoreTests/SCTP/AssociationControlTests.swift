import RTCWire
import Testing

@testable import RTCCore

/// Ending in order (RFC 9260 section 9.2), probing (section 8.3), and stream reset (RFC 6525).
@Suite struct AssociationControlTests {
    // MARK: Shutdown

    @Test func threeMessagesEnd() {
        let pair = AssociationPair.established()
        pair.shutDown(pair.a)
        #expect(pair.a.state == .shutdownSent)
        pair.deliver(from: pair.a)
        #expect(pair.b.state == .shutdownAckSent)
        pair.deliver(from: pair.b)
        #expect(pair.a.closure == .shutdown)
        pair.deliver(from: pair.a)
        #expect(pair.b.closure == .shutdown)
        #expect(pair.a.sent.map(\.name) == ["shutdown", "shutdownComplete"])
        #expect(pair.b.sent.map(\.name) == ["shutdownAck"])
    }

    @Test func dataGoesFirst() {
        let pair = AssociationPair.established()
        pair.send(pair.a, .test(1, 10))
        pair.lose(from: pair.a)
        pair.shutDown(pair.a)
        #expect(pair.a.state == .shutdownPending && pair.a.packets.isEmpty)
        pair.run(.seconds(2))
        #expect(pair.b.messages.count == 1 && pair.a.closure == .shutdown && pair.b.closure == .shutdown)
    }

    /// The receiver of SHUTDOWN sends what it has before it agrees.
    @Test func theOtherSidesDataGoesFirst() {
        let pair = AssociationPair.established()
        pair.send(pair.b, .test(1, 20_000))
        pair.lose(from: pair.b)
        pair.shutDown(pair.a)
        pair.deliver(from: pair.a)
        #expect(pair.b.state == .shutdownReceived)
        pair.run(.seconds(5))
        #expect(pair.a.messages.map(\.count) == [20_000] && pair.b.closure == .shutdown)
    }

    @Test func bothMayEndAtOnce() {
        let pair = AssociationPair.established()
        pair.shutDown(pair.a)
        pair.shutDown(pair.b)
        pair.exchange()
        #expect(pair.a.closure == .shutdown && pair.b.closure == .shutdown)
    }

    @Test(arguments: 0..<2) func aLostMessageIsSentAgain(lost: Int) {
        let pair = AssociationPair.established()
        pair.shutDown(pair.a)
        for step in 0..<2 {
            let side = step == 0 ? pair.a : pair.b
            if step == lost { pair.lose(from: side) } else { pair.deliver(from: side) }
        }
        pair.run(.seconds(2))
        #expect(pair.a.closure == .shutdown && pair.b.closure == .shutdown)
    }

    @Test func anUnansweredEndHasAnEnd() {
        let pair = AssociationPair.established { $0.maximumRetransmissions = 2 }
        pair.shutDown(pair.a)
        for _ in 0..<6 {
            pair.lose(from: pair.a)
            pair.wait(.seconds(5))
        }
        #expect(pair.a.closure == .unreachable && pair.a.sent.count { $0.name == "shutdown" } == 3)
    }

    @Test func anAssociationThatNeverStoodEndsAtOnce() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.shutDown(pair.a)
        #expect(pair.a.closure == .shutdown && pair.a.deadline == nil)
    }

    /// Out of the blue, these say nothing about an association that isn't ending.
    @Test func endingsOutOfTurnAreIgnored() {
        let pair = AssociationPair.established()
        pair.inject(pair.a, .shutdownAck)
        pair.inject(pair.a, .shutdownComplete(ShutdownCompleteChunk()))
        #expect(pair.a.association.isEstablished && pair.a.packets.isEmpty)
    }

    // MARK: Heartbeat

    @Test func aSilentPathIsProbed() {
        let pair = AssociationPair.established { $0.heartbeatInterval = .seconds(10) }
        pair.wait(.milliseconds(10_499))
        #expect(pair.a.packets.isEmpty)
        pair.wait(.milliseconds(1))
        #expect(pair.a.sent.map(\.name) == ["heartbeat"])
        pair.exchange()
        #expect(pair.a.transfer?.heartbeat == nil && pair.a.transfer?.errors == 0)
        #expect(pair.a.association.roundTripTime == .zero)
    }

    /// Whoever is asked gives back what was sent (section 3.3.6).
    @Test func aProbeIsAnsweredWithItsOwnBytes() {
        let pair = AssociationPair.established()
        pair.inject(pair.a, .heartbeat(HeartbeatChunk(info: [9, 8, 7])))
        #expect(pair.a.sent == [.heartbeatAck(HeartbeatChunk(info: [9, 8, 7]))])
    }

    @Test func dataIsProbeEnough() {
        let pair = AssociationPair.established { $0.heartbeatInterval = .seconds(10) }
        for _ in 0..<10 {
            pair.send(pair.a, .test(1, 10))
            pair.run(.seconds(4))
        }
        #expect(pair.a.statistics.heartbeatsSent == 0)
    }

    @Test func unansweredProbesEndItWhereALimitIsSet() {
        let pair = AssociationPair.established {
            $0.heartbeatInterval = .seconds(5)
            $0.maximumRetransmissions = 2
        }
        for _ in 0..<10 {
            pair.lose(from: pair.a)
            pair.lose(from: pair.b)
            pair.wait(.seconds(10))
        }
        #expect(pair.a.closure == .unreachable && pair.a.statistics.heartbeatsSent == 3)
    }

    @Test func aForgedAnswerIsNone() {
        let pair = AssociationPair.established { $0.heartbeatInterval = .seconds(5) }
        pair.wait(.seconds(6))
        pair.inject(pair.a, .heartbeatAck(HeartbeatChunk(info: [0, 0, 0, 0])))
        #expect(pair.a.transfer?.heartbeat != nil && pair.a.association.roundTripTime == nil)
    }

    // MARK: Stream reset

    private func reset(_ pair: AssociationPair, _ stream: UInt16) {
        pair.act(pair.a) { $0.resetStream(stream, now: $1, into: &$2) }
    }

    @Test func aResetStreamBeginsAnew() {
        let pair = AssociationPair.established()
        for _ in 0..<3 { pair.send(pair.a, .test(1, 10)) }
        pair.run(.seconds(1))
        reset(pair, 1)
        pair.run(.seconds(1))
        #expect(pair.a.turns == [.outgoingReset([1])] && pair.b.turns == [.incomingReset([1])])
        pair.send(pair.a, .test(1, 7))
        pair.run(.seconds(1))
        #expect(pair.a.sent.last { $0.data != nil }?.data?.streamSequence == 0 && pair.b.messages.count == 4)
    }

    /// What waits on the stream goes first, and is delivered before the reset is.
    @Test func aResetWaitsForItsData() throws {
        let pair = AssociationPair.established()
        pair.send(pair.a, .test(1, 30_000))
        reset(pair, 1)
        #expect(pair.a.sent.allSatisfy { $0.reconfig == nil })
        pair.run(.seconds(3))
        let message = try #require(pair.b.events.firstIndex { if case .message = $0 { true } else { false } })
        let done = try #require(pair.b.events.firstIndex(of: .incomingReset([1])))
        #expect(message < done && pair.a.events.contains(.outgoingReset([1])))
    }

    @Test(arguments: [true, false]) func aLostResetIsAskedForAgain(isRequest: Bool) {
        let pair = AssociationPair.established()
        reset(pair, 1)
        if !isRequest { pair.deliver(from: pair.a) }
        pair.lose(from: isRequest ? pair.a : pair.b)
        pair.run(.seconds(3))
        #expect(pair.a.events == [.outgoingReset([1])] && pair.b.events == [.incomingReset([1])])
        #expect(pair.a.sent.compactMap(\.reconfig).count == 2)
    }

    @Test func aResetAheadOfLostDataIsDeferred() {
        let pair = AssociationPair.established()
        pair.send(pair.a, .test(1, 10))
        pair.lose(from: pair.a)
        reset(pair, 1)
        pair.deliver(from: pair.a)
        pair.deliver(from: pair.b)
        #expect(pair.b.events.isEmpty && pair.a.turns.isEmpty)
        pair.run(.seconds(5))
        #expect(pair.b.events.last == .incomingReset([1]) && pair.b.messages.count == 1)
        #expect(pair.a.turns == [.outgoingReset([1])])
    }

    /// RFC 6525 section 5.2.3: who is asked for a reset makes one of its own.
    @Test func theOtherSideMayAsk() throws {
        let pair = AssociationPair.established()
        let request = try #require(pair.a.transfer).tracker.cumulative + 1
        pair.inject(
            pair.a,
            .reconfig(
                ReconfigChunk(parameters: [
                    .incomingReset(
                        IncomingResetRequest(requestSequence: request.serial32, streams: [2, 5000]))
                ])))
        let parameters = pair.a.sent.compactMap(\.reconfig).flatMap(\.parameters)
        #expect(
            parameters.first == .response(ReconfigResponse(responseSequence: request.serial32, result: .performed)))
        guard case .outgoingReset(let ours)? = parameters.last else {
            Issue.record("no reset of its own")
            return
        }
        #expect(ours.streams == [2])
    }

    @Test func aPeerThatCannotBeAskedIsNotAsked() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.deliver(from: pair.a)
        // The answer says nothing of extensions.
        let answer = pair.b.packets.first.flatMap { try? SCTPPacket(parsing: $0.span.bytes) }
        if var packet = answer, case .initiateAck(var chunk)? = packet.chunks.first {
            chunk.parameters.removeAll { $0.type != SCTPParameter.Kind.stateCookie }
            packet.chunks = [.initiateAck(chunk)]
            pair.b.packets = [packet.encoded]
        }
        pair.exchange()
        #expect(pair.a.association.isEstablished && pair.a.transfer?.capabilities == [])
        reset(pair, 1)
        #expect(pair.a.events == [.established, .resetRefused([1])] && pair.a.packets.isEmpty)
    }

    @Test func otherRequestsAreDenied() throws {
        let pair = AssociationPair.established()
        let request = try #require(pair.a.transfer).tracker.cumulative + 1
        pair.inject(
            pair.a, .reconfig(ReconfigChunk(parameters: [.other(type: 17, requestSequence: request.serial32)])))
        #expect(
            pair.a.sent.compactMap(\.reconfig).flatMap(\.parameters)
                == [.response(ReconfigResponse(responseSequence: request.serial32, result: .denied))])
    }
}
