import RTCWire
import Testing

@testable import RTCCore

/// What authenticated messages bring about, RFC 8445 sections 7.2.5 and 7.3.1.
@Suite struct ICETriggeredCheckTests {
    private let stranger = TransportAddress(ipv4: 0x0a00_0077, port: 777)

    /// An agent that knows the other side's credentials and not its candidates.
    private func waiting(_ role: ICERole = .controlled) -> ICENetwork {
        let network = makeICENetwork(roles: (role.opposite, role))
        network.addHostCandidates(network.b)
        network.signalCredentials(to: network.b)
        _ = network.b.agent.advance(to: network.now, into: network.b.outbox)
        _ = network.take(network.b)
        return network
    }

    private func request(
        _ network: ICENetwork, from source: TransportAddress = .testA, transaction: UInt64 = 2,
        _ change: (inout STUNFixture.Request) -> Void = { _ in }
    ) -> ICEChanges {
        var request = STUNFixture.Request(to: network.b.agent)
        request.transactionID = STUNTransactionID(high: 1, low: transaction)
        change(&request)
        return network.inject(request.bytes, from: source, to: network.b)
    }

    /// What the agent under test has sent, parsed.
    private func sent(_ network: ICENetwork) -> [(message: STUNMessage, to: TransportAddress)] {
        network.take(network.b).compactMap { datagram in
            (try? STUNMessage(parsing: datagram.bytes.span.bytes)).map { ($0, datagram.destination) }
        }
    }

    private func answer(_ network: ICENetwork, _ id: STUNTransactionID, from source: TransportAddress = .testA) {
        let password = network.a.agent.localCredentials.pwd
        network.inject(
            STUNFixture.success(id, mapped: .testB, key: HMACSHA1(password: password)), from: source, to: network.b)
    }

    private func refuse(_ network: ICENetwork, _ id: STUNTransactionID, code: UInt16) {
        let key = HMACSHA1(password: network.a.agent.localCredentials.pwd)
        let bytes = STUNFixture.build(.error, id) { builder in
            builder.addErrorCode(code, reason: "no")
            builder.addIntegrity { key.authenticate($0, into: $1) }
            builder.addFingerprint()
        }
        network.inject(bytes, from: .testA, to: network.b)
    }

    /// Section 7.3.1.3 and 7.3.1.4: the source is a candidate, and its pair is checked at once.
    @Test func aRequestIsAnsweredAndChecked() throws {
        let network = waiting()
        #expect(request(network) { $0.priority = 4321 }.contains(.authenticated))
        let messages = sent(network)
        #expect(
            messages.map(\.message.messageClass) == [.success, .request] && messages.allSatisfy { $0.to == .testA })
        #expect(messages[0].message.transactionID == STUNTransactionID(high: 1, low: 2))
        #expect(messages[0].message.mappedAddress == .testA)
        let remotes = network.b.agent.remoteCandidates
        let learnt = try #require(remotes.first)
        #expect(learnt.type == .peerReflexive && learnt.priority == 4321 && learnt.address == .testA)
        let check = messages[1].message
        #expect(check.priority == network.b.agent.localCandidates[0].peerReflexivePriority)
        #expect(check.iceControlled == network.b.agent.tieBreaker && check.iceControlling == nil)
        #expect(!check.useCandidate)
    }

    /// Until its own check is answered the pair is not valid.
    @Test func anAnswerMakesThePairValid() {
        let network = waiting()
        _ = request(network)
        let check = sent(network).last?.message
        #expect(network.b.agent.checklist[0].isOpen)
        if let check { answer(network, check.transactionID) }
        #expect(network.b.agent.checklist[0].isValid && network.b.statistics.checksAnswered == 1)
        #expect(network.b.agent.checklist[0].validity?.mapped == .testB)
        // The same answer again is no answer to anything.
        if let check { answer(network, check.transactionID) }
        #expect(network.b.statistics.unmatchedResponses == 1)
    }

    /// Section 7.2.5.2.1: from elsewhere it is none.
    @Test func anAnswerFromElsewhereIsNone() {
        let network = waiting()
        _ = request(network)
        let check = sent(network).last?.message
        if let check { answer(network, check.transactionID, from: stranger) }
        #expect(!network.b.agent.checklist[0].isValid && network.b.statistics.asymmetricResponses == 1)
        if let check { answer(network, check.transactionID) }
        #expect(network.b.agent.checklist[0].isValid)
    }

    @Test func aCheckUnderWayIsNotDoubled() {
        let network = waiting()
        _ = request(network)
        #expect(sent(network).count == 2)
        _ = request(network, transaction: 3)
        #expect(sent(network).map(\.message.messageClass) == [.success])
        // Its repetition comes sooner: the way is open.
        #expect(network.b.agent.nextDeadline?.reason == .retransmission)
        #expect(network.b.agent.nextDeadline?.instant == network.now + network.b.agent.timing.pacing)
    }

    @Test func aFailedPairIsTriedAgain() throws {
        let network = waiting()
        _ = request(network)
        let first = try #require(sent(network).last?.message)
        refuse(network, first.transactionID, code: 400)
        guard case .failed = network.b.agent.checklist[0].state else {
            Issue.record("the pair has not failed")
            return
        }
        _ = request(network, transaction: 4)
        let again = try #require(sent(network).last?.message)
        #expect(again.messageClass == .request && again.transactionID != first.transactionID)
    }

    /// Section 7.2.5.1: 487 changes the role, and the check is made again at once.
    @Test(arguments: [ICERole.controlling, .controlled]) func aRoleConflictIsResolved(_ role: ICERole) throws {
        let network = waiting(role)
        _ = request(network)
        let first = try #require(sent(network).last?.message)
        refuse(network, first.transactionID, code: 487)
        #expect(network.b.agent.role == role.opposite && network.b.statistics.roleConflicts == 1)
        let again = try #require(sent(network).last?.message)
        #expect((again.iceControlling != nil) == (role == .controlled))
        #expect((again.iceControlled != nil) == (role == .controlling))
        // A late refusal of what an earlier role claimed changes nothing more.
        refuse(network, first.transactionID, code: 487)
        #expect(network.b.agent.role == role.opposite)
    }

    /// Section 7.3.1.1: the larger tie-breaker controls.
    @Test(arguments: [
        (ICERole.controlling, UInt64.max, ICERole.controlled, false), (.controlling, 0, .controlling, true),
        (.controlled, 0, .controlling, false), (.controlled, .max, .controlled, true),
    ])
    func tieBreakers(_ role: ICERole, theirs: UInt64, expected: ICERole, isRefused: Bool) {
        let network = waiting(role)
        _ = request(network) { request in
            request.controlling = role == .controlling ? theirs : nil
            request.controlled = role == .controlled ? theirs : nil
        }
        #expect(network.b.agent.role == expected && network.b.statistics.roleConflicts == 1)
        let messages = sent(network)
        #expect(messages.first?.message.messageClass == (isRefused ? .error : .success))
        #expect(messages.first?.message.errorCode == (isRefused ? 487 : nil))
    }

    @Test func aRequestWithoutPriorityIsRefused() {
        let network = waiting()
        _ = request(network) { $0.priority = nil }
        #expect(sent(network).map(\.message.errorCode) == [400] && network.b.agent.remoteCandidates.isEmpty)
    }

    /// RFC 8489 section 6.3.1: what must be understood is named.
    @Test func anUnknownRequiredAttributeIsRefused() {
        let network = waiting()
        _ = request(network) { $0.unknownAttribute = STUNAttribute(rawValue: 0x7777) }
        #expect(sent(network).map(\.message.errorCode) == [420] && network.b.statistics.errorsSent == 1)
    }

    // MARK: Nomination

    /// Section 7.3.1.5: USE-CANDIDATE before the pair is valid counts when it becomes so.
    @Test func aNominationWaitsForThePair() throws {
        let network = waiting()
        _ = request(network) { $0.useCandidate = true }
        #expect(network.b.pair == nil && network.b.agent.checklist[0].awaitsNomination)
        let check = try #require(sent(network).last?.message)
        answer(network, check.transactionID)
        #expect(network.b.remote == .testA && network.b.state == .connected)
        #expect(network.b.pair?.local == .testB && network.b.pair?.base == .testB)
    }

    @Test func aValidPairIsChosenAtOnce() throws {
        let network = waiting()
        _ = request(network)
        let check = try #require(sent(network).last?.message)
        answer(network, check.transactionID)
        #expect(network.b.pair == nil)
        #expect(request(network, transaction: 5) { $0.useCandidate = true }.contains(.selection))
        #expect(network.b.remote == .testA)
    }

    /// Only the controlling side nominates.
    @Test func whoControlsIsNotNominated() throws {
        let network = waiting(.controlling)
        _ = request(network) { $0.useCandidate = true }
        #expect(!network.b.agent.checklist[0].awaitsNomination && network.b.agent.checklist[0].nominatedAt == nil)
    }

    /// Section 8.1.1: the controlling side repeats the check with USE-CANDIDATE.
    @Test func whoControlsNominates() throws {
        let network = waiting(.controlling)
        _ = request(network)
        let check = try #require(sent(network).last?.message)
        #expect(check.iceControlling == network.b.agent.tieBreaker && !check.useCandidate)
        answer(network, check.transactionID)
        let nomination = try #require(sent(network).last?.message)
        #expect(nomination.useCandidate && nomination.transactionID != check.transactionID)
        #expect(network.b.pair == nil)
        answer(network, nomination.transactionID)
        #expect(network.b.remote == .testA && network.b.state == .connected)
    }

    /// A better pair that is being checked is waited for, but not for long.
    @Test func aBetterPairIsWaitedFor() throws {
        let network = waiting(.controlling)
        network.b.agent.addRemoteCandidate(
            ICECandidate(foundation: "9", priority: 2_130_706_431, address: stranger, type: .host), now: network.now)
        _ = network.b.agent.advance(to: network.now, into: network.b.outbox)
        #expect(sent(network).map(\.to) == [stranger])
        _ = request(network)
        let check = try #require(sent(network).last?.message)
        answer(network, check.transactionID)
        #expect(sent(network).isEmpty)
        let next = network.b.agent.nextDeadline
        let deadline = try #require(next)
        #expect(deadline.reason == .nomination && deadline.instant == network.now + network.b.agent.timing.settle)
        _ = network.b.agent.advance(to: deadline.instant, into: network.b.outbox)
        #expect(sent(network).map(\.message.useCandidate) == [true])
    }
}
