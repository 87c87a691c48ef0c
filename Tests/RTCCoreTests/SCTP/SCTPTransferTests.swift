import RTCWire
import Testing

@testable import RTCCore

/// The transmission control block: what SACKs do to windows and timers, and what may be sent (RFC 9260 sections 6.1, 6.2).
@Suite struct SCTPTransferTests {
    private var configuration = SCTPConfiguration()
    private var transfer: SCTPTransfer
    private var queue = SendQueue()
    private var low: [UInt16] = []
    private var messages: [Reassembly.Message] = []

    init() {
        configuration.receiveWindow = 5000
        configuration.maximumMessageSize = 3000
        configuration.maximumFragments = 20
        configuration.maximumPacket = 1000
        transfer = SCTPTransferTests.make(configuration)
    }

    private static func make(
        _ configuration: SCTPConfiguration, window: UInt32 = 100_000, streams: UInt16 = 8,
        capabilities: [SCTPParameter] = [SCTPParameter(type: SCTPParameter.Kind.forwardTSNSupported, value: [])]
    ) -> SCTPTransfer {
        let initiate = InitChunk(
            initiateTag: 9, receiverWindow: window, outboundStreams: 16, inboundStreams: streams, initialTSN: 500,
            parameters: capabilities)
        let cookie = SCTPCookie(
            answering: initiate, localTag: 7, localInitialTSN: 100, tie: (0, 0), now: .at(0))
        return SCTPTransfer(cookie, configuration, now: .at(0))
    }

    private mutating func next(_ room: Int = 500, at now: Int = 0) -> DataChunk? {
        transfer.nextData(room: room, &queue, .at(now), &low)
    }

    private mutating func fill(_ bytes: Int, size: Int = 500) {
        for _ in 0..<(bytes / size) {
            queue.add(.test(1, size))
            _ = next(size)
        }
    }

    private mutating func sack(
        _ tsn: UInt32, _ gaps: [ClosedRange<UInt16>] = [], window: UInt32 = 100_000, at now: Int = 50
    ) -> Bool {
        transfer.receive(.test(tsn, gaps, window: window), now: .at(now)) != nil
    }

    // MARK: Beginning

    @Test func bothSidesAgreeOnTheFewerStreams() {
        #expect(transfer.outboundStreams == 8 && transfer.inboundStreams == 1024)
        #expect(SCTPTransferTests.make(configuration, streams: 65_535).outboundStreams == 1024)
        #expect(transfer.peerTag == 9 && transfer.localTag == 7 && transfer.peerWindow == 100_000)
        #expect(transfer.outstanding.nextTSN == 100 && transfer.tracker.cumulative == 499)
    }

    // MARK: Sending

    @Test mutating func dataGoesOutUntilTheWindowIsFull() {
        for _ in 0..<20 { queue.add(.test(1, 500)) }
        var count = 0
        while next() != nil { count += 1 }
        // The first window is 4,000: the chunk that begins below it still goes.
        #expect(count == 8 && transfer.outstanding.flight == 4000 && transfer.peerWindow == 96_000)
        #expect(!transfer.hasData(queue))
        #expect(sack(101) && transfer.hasData(queue))
    }

    @Test mutating func noRoomIsNoChunk() {
        queue.add(.test(1, 500))
        #expect(next(0) == nil && next(-16) == nil && next(500) != nil)
    }

    /// Section 6.1, rule A: one chunk probes a closed window, more wait until it opens.
    @Test mutating func aClosedWindowIsProbedByOneChunk() {
        transfer = SCTPTransferTests.make(configuration, window: 0)
        for _ in 0..<3 { queue.add(.test(1, 500)) }
        #expect(next() != nil && next() == nil)
        #expect(sack(100, window: 0) && transfer.peerWindow == 0)
        #expect(next() != nil && next() == nil)
        #expect(sack(101, window: 10_000) && transfer.peerWindow == 10_000)
        #expect(next() != nil)
    }

    @Test mutating func whatIsLostGoesFirst() {
        fill(2000)
        for end: UInt16 in 2...4 { #expect(sack(99, [2...end])) }
        #expect(transfer.outstanding.lostCount == 1 && transfer.mayResendNow)
        queue.add(.test(2, 500))
        #expect(next()?.tsn == 100 && next()?.stream == 2)
    }

    /// A chunk that is sent again doesn't fit into every packet.
    @Test mutating func whatIsLostIsNotCutAgain() {
        fill(2000)
        for end: UInt16 in 2...4 { _ = sack(99, [2...end]) }
        queue.add(.test(2, 100))
        #expect(next(499) == nil && next(500)?.tsn == 100)
    }

    @Test mutating func aTimeoutSendsOnePacketsWorth() {
        fill(4000)
        let before = transfer.timeout.current
        transfer.timedOut()
        #expect(transfer.errors == 1 && transfer.outstanding.flight == 0 && transfer.outstanding.lostCount == 8)
        #expect(transfer.congestion.window == 1000 && transfer.timeout.current == before * 2)
        #expect(next()?.tsn == 100 && next()?.tsn == 101 && next() == nil)
    }

    // MARK: Acknowledgements

    /// a_rwnd says what fits beyond what is in flight.
    @Test mutating func thePeersWindowIsLessWhatIsInFlight() {
        fill(2000)
        #expect(sack(101, window: 3000) && transfer.peerWindow == 2000)
        #expect(sack(101, window: 500) && transfer.peerWindow == 0)
    }

    @Test mutating func anAnswerMeasuresTheRoundTrip() {
        fill(1000)
        #expect(sack(101, at: 70) && transfer.timeout.smoothed == .milliseconds(70))
        #expect(transfer.lastActivity == .at(70))
    }

    /// Karn's rule, section 6.3.1 rule C5: what was sent twice measures nothing.
    @Test mutating func whatWasSentAgainMeasuresNothing() {
        fill(500)
        transfer.timedOut()
        #expect(next()?.tsn == 100)
        #expect(sack(100, at: 900) && transfer.timeout.smoothed == nil)
    }

    @Test mutating func oldAndImpossibleAnswersAreDropped() {
        fill(1000)
        transfer.errors = 3
        #expect(sack(100) && transfer.errors == 0)
        transfer.errors = 3
        #expect(!sack(99) && !sack(102) && !sack(100 &+ 0x8000_0000) && transfer.errors == 3)
        #expect(transfer.outstanding.flight == 500)
    }

    @Test mutating func anAnsweredClosedWindowIsNoSignOfDeath() {
        fill(500)
        transfer.errors = 4
        #expect(sack(99, window: 100_000) && transfer.errors == 4)
        #expect(sack(99, window: 0) && transfer.errors == 0)
    }

    @Test mutating func onlyTheFirstLossOfAFlightResendsAtOnce() {
        fill(4000)
        for end: UInt16 in 2...4 { _ = sack(99, [2...end]) }
        #expect(transfer.mayResendNow && transfer.congestion.isInRecovery)
        transfer.mayResendNow = false
        for end: UInt16 in 6...8 { _ = sack(99, [2...4, 6...end]) }
        #expect(transfer.outstanding.lostCount == 2 && !transfer.mayResendNow)
    }

    // MARK: Receiving

    private mutating func receive(_ chunk: DataChunk) -> SCTPTransfer.Verdict {
        transfer.receive(chunk, configuration, into: &messages)
    }

    @Test mutating func aMessageArrives() {
        #expect(receive(.test(500)) == .taken)
        #expect(messages.map(\.payload.count) == [10] && transfer.tracker.cumulative == 500)
        #expect(receive(.test(500)) == .ignored && messages.count == 1)
    }

    /// The data is acknowledged all the same: it has arrived (section 6.5).
    @Test mutating func aStreamBeyondTheAgreementIsRefused() {
        #expect(receive(.test(500, stream: 1024)) == .invalidStream)
        #expect(transfer.tracker.cumulative == 500 && messages.isEmpty)
        #expect(receive(.test(501, stream: 1023)) == .taken && messages.count == 1)
    }

    @Test mutating func theWindowShrinksWithWhatWaits() {
        #expect(transfer.window(configuration) == 5000)
        #expect(receive(.test(501, sequence: 1, size: 2000)) == .taken)
        #expect(transfer.window(configuration) == 3000)
        #expect(receive(.test(500, size: 1000)) == .taken)
        #expect(transfer.window(configuration) == 5000 && messages.count == 2)
    }

    @Test mutating func beyondTheWindowOnlyTheNextChunkIsTaken() {
        #expect(receive(.test(502, sequence: 2, size: 2500)) == .taken)
        #expect(receive(.test(503, sequence: 3, size: 2500)) == .taken)
        #expect(receive(.test(504, sequence: 4, size: 1)) == .ignored && transfer.tracker.isAcknowledgementDue)
        #expect(transfer.window(configuration) == 0)
        #expect(receive(.test(500, sequence: 0, size: 100)) == .taken && messages.count == 1)
        #expect(receive(.test(501, sequence: 1, size: 100)) == .taken && messages.count == 4)
        #expect(receive(.test(504, sequence: 4, size: 1)) == .taken && messages.count == 5)
    }

    @Test mutating func fragmentsAreBoundedInNumber() {
        for index in 0..<19 as Range<UInt32> {
            #expect(receive(.test(501 + index, sequence: UInt16(index) + 1, size: 1)) == .taken)
        }
        #expect(receive(.test(520, sequence: 20, size: 1)) == .ignored)
        #expect(receive(.test(500, size: 1)) == .taken && messages.count == 20)
    }

    @Test mutating func aMessageWithoutEndIsSeen() {
        var verdicts: [SCTPTransfer.Verdict] = []
        for index in 0..<4 as Range<UInt32> {
            verdicts.append(receive(.test(500 + index, size: 1000, isBeginning: index == 0, isEnd: false)))
        }
        #expect(verdicts == [.taken, .taken, .taken, .messageTooLarge])
    }

    // MARK: Skipping

    @Test mutating func aSkipDeliversWhatWaited() {
        #expect(receive(.test(502, sequence: 2)) == .taken && messages.isEmpty)
        transfer.receive(
            ForwardTSNChunk(newCumulativeTSN: 501, skipped: [.init(stream: 0, streamSequence: 1)]), into: &messages)
        #expect(messages.count == 1 && transfer.tracker.cumulative == 502)
    }

    @Test mutating func anOldSkipIsAnsweredAndChangesNothing() {
        #expect(receive(.test(500)) == .taken)
        _ = transfer.tracker.acknowledge(window: 0, room: 100)
        transfer.receive(
            ForwardTSNChunk(newCumulativeTSN: 500, skipped: [.init(stream: 0, streamSequence: 9)]), into: &messages)
        #expect(transfer.tracker.isAcknowledgementDue)
        #expect(receive(.test(501, sequence: 1)) == .taken && messages.count == 2)
    }

    /// Streams that don't exist cost no state.
    @Test mutating func aSkipOfUnknownStreams() {
        transfer.receive(
            ForwardTSNChunk(newCumulativeTSN: 500, skipped: [.init(stream: 5000, streamSequence: 3)]), into: &messages)
        #expect(transfer.tracker.cumulative == 500 && messages.isEmpty)
    }

    // MARK: Abandoning

    @Test mutating func whatMayNotBeSentAgainIsSkipped() {
        var message = OutgoingMessage.test(1, 500)
        message.maximumRetransmissions = 0
        queue.add(message)
        _ = next()
        transfer.timedOut()
        transfer.abandonExhausted(&queue, .at(10), &low)
        #expect(transfer.isSkipDue && transfer.outstanding.skip(room: 100).newCumulativeTSN == 100)
        #expect(next() == nil && !transfer.hasData(queue))
    }

    /// The part that waits goes with the part that was lost, and its TSN is skipped too.
    @Test mutating func aHalfSentMessageGoesWhole() {
        var message = OutgoingMessage.test(1, 900)
        message.maximumRetransmissions = 0
        queue.add(message)
        _ = next()
        transfer.timedOut()
        transfer.abandonExhausted(&queue, .at(10), &low)
        #expect(queue.isEmpty && low == [1] && transfer.outstanding.skip(room: 100).newCumulativeTSN == 101)
    }

    @Test mutating func nothingIsGivenUpAgainstAPeerThatCannotSkip() {
        transfer = SCTPTransferTests.make(configuration, capabilities: [])
        var message = OutgoingMessage.test(1, 500)
        message.maximumRetransmissions = 0
        queue.add(message)
        _ = next()
        transfer.timedOut()
        transfer.abandonExhausted(&queue, .at(10), &low)
        #expect(!transfer.isSkipDue && next()?.tsn == 100)
    }
}
