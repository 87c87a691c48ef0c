import RTCWire
import Testing

@testable import RTCCore

/// Consent freshness, RFC 7675 section 5.1, as a value.
@Suite struct ICEConsentPartsTests {
    private let timing = ICETiming()
    private var consent = Consent(now: .at(0), nextCheckAt: .at(5000))

    private func id(_ number: UInt64) -> STUNTransactionID { STUNTransactionID(high: 0, low: number) }

    private mutating func send(_ number: UInt64, at milliseconds: Int, role: ICERole = .controlling) {
        consent.sent(id(number), as: role, now: .at(milliseconds), retry: .milliseconds(500))
    }

    @Test func whatWasNeverAskedIsFresh() {
        #expect(consent.standing(at: .at(1_000_000), timing: timing) == .fresh)
        #expect(consent.nextChange(after: .at(0), timing: timing) == nil && consent.firstUnanswered == nil)
    }

    @Test mutating func anAnswerTellsTheRoundTrip() {
        send(1, at: 5000)
        #expect(consent.nextCheckAt == .at(5500))
        #expect(consent.answered(id(1), now: .at(5080), interval: .seconds(4)) == .milliseconds(80))
        #expect(consent.nextCheckAt == .at(9000) && consent.lastAnswered == .at(5080))
        #expect(consent.answered(id(1), now: .at(5090), interval: .seconds(4)) == nil)
    }

    /// An answer to any check since the last answer is one: networks hold back.
    @Test mutating func anOlderCheckMayBeAnswered() {
        send(1, at: 5000)
        send(2, at: 5500)
        send(3, at: 6000)
        #expect(consent.answered(id(1), now: .at(6100), interval: .seconds(5)) == .milliseconds(1100))
        #expect(consent.standing(at: .at(60_000), timing: timing) == .fresh)
        #expect(consent.nextCheckAt == .at(11_000))
        // The others belong to that answer.
        #expect(consent.answered(id(3), now: .at(6200), interval: .seconds(5)) == nil)
    }

    @Test mutating func aLateAnswerLeavesNoDeadlineInThePast() {
        send(1, at: 5000)
        _ = consent.answered(id(1), now: .at(20_000), interval: .seconds(5))
        #expect(consent.nextCheckAt == .at(20_000))
    }

    @Test mutating func silenceIsCountedFromTheFirstUnansweredCheck() {
        for number: UInt64 in 0..<10 { send(number, at: 5000 + 500 * Int(number)) }
        #expect(consent.firstUnanswered == .at(5000))
        let changes = [0, 2000, 5000, 29_999].map { consent.nextChange(after: .at(5000 + $0), timing: timing) }
        #expect(changes == [7000, 10_000, 35_000, 35_000].map { .at($0) })
    }

    @Test mutating func standingsAreOrdered() {
        send(1, at: 0)
        let standings = [0, 2000, 5000, 30_000].map { consent.standing(at: .at($0), timing: timing) }
        #expect(standings == [.fresh, .suspect, .disconnected, .expired])
        #expect(zip(standings, standings.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// The oldest probes give way: no silence makes the list grow.
    @Test mutating func probesAreBounded() {
        for number: UInt64 in 0..<40 {
            send(number, at: 5000 + Int(number), role: number < 39 ? .controlling : .controlled)
        }
        #expect(consent.role(of: id(23)) == nil && consent.role(of: id(24)) == .controlling)
        #expect(consent.role(of: id(39)) == .controlled)
    }

    @Test mutating func hasteAsksAtOnceUnlessItHasAsked() {
        consent.hasten(now: .at(1000))
        #expect(consent.nextCheckAt == .at(1000))
        send(1, at: 1000)
        consent.hasten(now: .at(1100))
        #expect(consent.nextCheckAt == .at(1500))
    }

    @Test mutating func aSocketThatIsGoneIsSilentAtOnce() {
        consent.lose(now: .at(3000), timing: timing)
        #expect(consent.standing(at: .at(3000), timing: timing) == .disconnected)
        #expect(consent.nextChange(after: .at(3000), timing: timing) == .at(28_000))
        // An earlier silence is not shortened.
        var silent = Consent(now: .at(0), nextCheckAt: .at(0))
        silent.sent(id(1), as: .controlled, now: .at(0), retry: .seconds(1))
        silent.lose(now: .at(29_000), timing: timing)
        #expect(silent.standing(at: .at(30_000), timing: timing) == .expired)
    }

    /// Who turns up elsewhere is asked at once at the address that was good so far, and then once more.
    @Test mutating func whoTurnsUpElsewhereIsSuspectSoon() {
        let patience = Interval.milliseconds(200)
        consent.turnedUpElsewhere(now: .at(1000), patience: patience)
        #expect(consent.nextCheckAt == .at(1000) && consent.doubtRetry == .milliseconds(100))
        send(1, at: 1000)
        #expect(consent.nextChange(after: .at(1000), timing: timing) == .at(1200))
        #expect([1199, 1200].map { consent.standing(at: .at($0), timing: timing) } == [.fresh, .suspect])
        #expect(consent.nextChange(after: .at(1200), timing: timing) == .at(6000))
        // It answers after all.
        #expect(consent.answered(id(1), now: .at(1250), interval: .seconds(5)) == .milliseconds(250))
        #expect(consent.doubtRetry == nil)
        send(2, at: 6000)
        #expect(consent.standing(at: .at(7999), timing: timing) == .fresh)
    }

    /// A check that is unanswered already counts from the doubt on: its answer may be on its way.
    @Test mutating func anOlderSilenceIsGivenTheSameTime() {
        send(1, at: 1000)
        consent.turnedUpElsewhere(now: .at(1400), patience: .milliseconds(200))
        consent.turnedUpElsewhere(now: .at(1500), patience: .milliseconds(200))
        #expect(consent.nextCheckAt == .at(1400))
        #expect([1599, 1600].map { consent.standing(at: .at($0), timing: timing) } == [.fresh, .suspect])
        // Never later than without it.
        var late = Consent(now: .at(0), nextCheckAt: .at(0))
        late.sent(id(1), as: .controlling, now: .at(0), retry: .seconds(1))
        late.turnedUpElsewhere(now: .at(1900), patience: .seconds(1))
        #expect(late.standing(at: .at(2000), timing: timing) == .suspect)
    }

    // MARK: Credentials

    @Test func userNamesBelongToTheirGeneration() {
        var generation = ICEGeneration(number: 1, local: ICECredentials(ufrag: "ours", pwd: "p"))
        func accepts(_ name: String) -> Bool {
            let bytes = Array(name.utf8)
            return generation.accepts(0..<bytes.count, in: bytes.span.bytes)
        }
        // Before the other side has spoken, any second part will do.
        #expect(accepts("ours:x") && accepts("ours:theirs"))
        #expect(!accepts("ours") && !accepts("ours:") && !accepts("our:x") && !accepts(""))
        generation.setRemote(ICECredentials(ufrag: "theirs", pwd: "q"))
        #expect(accepts("ours:theirs") && generation.outgoingUsername == "theirs:ours")
        #expect(!accepts("ours:x") && !accepts("ours:theirsx") && !accepts("theirs:ours") && !accepts("ours:their"))
    }

    @Test func drawsRepeatFromASeed() {
        var (one, other, third) = (ICERandom(seed: 4), ICERandom(seed: 4), ICERandom(seed: 5))
        #expect(one.text(count: 24) == other.text(count: 24) && one.transactionID() == other.transactionID())
        #expect(one.next() != third.next())
        var intervals: [Double] = []
        for _ in 0..<2000 { intervals.append(one.spread(.seconds(5)).seconds) }
        // RFC 7675 section 5.1: 0.8 to 1.2 times the mean.
        #expect(intervals.allSatisfy { (4.0...6.0).contains($0) })
        #expect(intervals.contains { $0 < 4.2 } && intervals.contains { $0 > 5.8 })
        let mean = intervals.reduce(0, +) / 2000
        #expect((4.9...5.1).contains(mean))
    }
}

/// A question to a STUN server, RFC 8489 section 6.2.1.
@Suite struct ServerReflexiveProbeTests {
    private let server = TransportAddress(ipv4: 0x0808_0808, port: 3478)

    private func request(_ outbox: Outbox) throws -> STUNMessage {
        let datagram = try #require(outbox.datagrams.last)
        #expect(datagram.destination == server)
        return try STUNMessage(parsing: outbox.bytes(of: datagram).bytes)
    }

    private func answer(_ id: STUNTransactionID, _ address: TransportAddress?, _ kind: STUNClass = .success) -> [UInt8]
    {
        STUNFixture.build(kind, id) { builder in
            if let address { builder.addXOR(.xorMappedAddress, address) }
        }
    }

    @Test func theAnswerIsOurAddress() throws {
        var probe = ServerReflexiveProbe(server: server, seed: 1, now: .at(100))
        let outbox = Outbox()
        #expect(probe.nextDeadline == .at(100))
        let gaveUp = probe.advance(to: .at(100), into: outbox)
        let id = try request(outbox).transactionID
        #expect(!gaveUp && probe.state == .asking)
        let stray = answer(STUNTransactionID(high: 9, low: 9), .testB).withUnsafeBytes { probe.receive($0) }
        let echo = answer(id, .testB, .request).withUnsafeBytes { probe.receive($0) }
        let noise = [UInt8](repeating: 7, count: 30).withUnsafeBytes { probe.receive($0) }
        #expect(!stray && !echo && !noise && probe.state == .asking)
        let isTaken = answer(id, .testB).withUnsafeBytes { probe.receive($0) }
        #expect(isTaken && probe.state == .answered(.testB) && probe.nextDeadline == nil)
        let isTakenAgain = answer(id, .testA).withUnsafeBytes { probe.receive($0) }
        #expect(!isTakenAgain && probe.state == .answered(.testB))
    }

    @Test(arguments: [STUNClass.success, .error]) func anAnswerWithoutAddressIsAFailure(_ kind: STUNClass) throws {
        var probe = ServerReflexiveProbe(server: server, seed: 1, now: .at(0))
        let outbox = Outbox()
        _ = probe.advance(to: .at(0), into: outbox)
        let id = try request(outbox).transactionID
        let isTaken = answer(id, nil, kind).withUnsafeBytes { probe.receive($0) }
        #expect(isTaken && probe.state == .failed)
    }

    /// At 0, 500, 1500, 3500, 7500, 15500 and 31500 ms, and 16 times the first interval later it is over.
    @Test func itAsksSevenTimes() throws {
        var probe = ServerReflexiveProbe(server: server, seed: 1, now: .at(0))
        let outbox = Outbox()
        var times: [Instant] = []
        var ids = Set<STUNTransactionID>()
        var gaveUp = false
        while let deadline = probe.nextDeadline, !gaveUp {
            gaveUp = probe.advance(to: deadline, into: outbox)
            times.append(deadline)
            if !gaveUp { ids.insert(try request(outbox).transactionID) }
        }
        #expect(times == [0, 500, 1500, 3500, 7500, 15_500, 31_500, 39_500].map { .at($0) })
        #expect(gaveUp && probe.state == .failed && outbox.datagrams.count == 7 && ids.count == 1)
    }

    @Test func nothingIsDueBeforeItsTime() {
        var probe = ServerReflexiveProbe(server: server, seed: 1, now: .at(0))
        let outbox = Outbox()
        _ = probe.advance(to: .at(0), into: outbox)
        let gaveUp = probe.advance(to: .at(499), into: outbox)
        #expect(!gaveUp && outbox.datagrams.count == 1)
    }
}
