import RTCWire
import Testing

@testable import RTCCore

/// Forming and ordering pairs, RFC 8445 sections 6.1.2 and 6.1.4.
@Suite struct ICEChecklistTests {
    private var checklist = Checklist()

    private func local(_ host: UInt32, preference: UInt16 = 1000) -> LocalCandidate {
        let address = TransportAddress(ipv4: 0x0a00_0000 + host, port: 4000)
        return LocalCandidate(host: address, base: address, localPreference: preference)
    }

    private func remote(_ host: UInt32, priority: UInt32 = 1000, foundation: String? = nil) -> RemoteCandidate {
        RemoteCandidate(
            type: .host, address: TransportAddress(ipv4: 0x0b00_0000 + host, port: 5000), priority: priority,
            foundation: foundation ?? "\(host)")
    }

    @discardableResult
    private mutating func insert(_ local: LocalCandidate, _ remote: RemoteCandidate) -> Int {
        checklist.insert(local, remote, role: .controlling)
    }

    private func check(_ number: UInt64) -> ConnectivityCheck {
        ConnectivityCheck(
            STUNTransactionID(high: 0, low: number), role: .controlling, useCandidate: false,
            timeout: .milliseconds(500), now: .zero)
    }

    private func valid() -> ValidPair {
        ValidPair(mapped: .testA, roundTripTime: .milliseconds(20), validatedAt: .zero)
    }

    private func states() -> [String] {
        checklist.pairs.map { pair in
            switch pair.state {
            case .frozen: "frozen"
            case .waiting: "waiting"
            case .inProgress: "inProgress"
            case .succeeded: "succeeded"
            case .failed: "failed"
            }
        }
    }

    @Test mutating func pairsAreFoundByWhatNamesThem() {
        let (a, b) = (local(1), remote(1))
        let index = insert(a, b)
        #expect(checklist.index(base: a.base, remote: b.address) == index)
        #expect(checklist.index(base: b.address, remote: a.base) == nil)
        #expect(checklist.index(id: checklist[index].id) == index && checklist.index(id: 99) == nil)
        checklist[index].state = .inProgress(check(7))
        #expect(checklist.index(transaction: STUNTransactionID(high: 0, low: 7)) == index)
        #expect(checklist.index(transaction: STUNTransactionID(high: 0, low: 8)) == nil)
    }

    /// A pair keeps its id though others go.
    @Test mutating func idsAreNeverUsedAgain() {
        for host: UInt32 in 1...3 { insert(local(1), remote(host)) }
        let ids = checklist.pairs.map(\.id)
        checklist.remove(at: 0)
        let third = remote(3).address
        checklist.removeAll { $0.remote.address == third }
        #expect(checklist.pairs.map(\.id) == [ids[1]])
        insert(local(1), remote(4))
        #expect(!ids.contains(checklist[1].id))
        checklist.removeAll()
        #expect(checklist.indices.isEmpty)
    }

    /// Section 6.1.2.6: one pair of a foundation waits, the others are frozen.
    @Test mutating func oneOfAFoundationWaits() {
        insert(local(1), remote(1, foundation: "x"))
        insert(local(1), remote(2, foundation: "x"))
        insert(local(1), remote(3, foundation: "y"))
        #expect(states() == ["waiting", "frozen", "waiting"])
        // Both halves make the foundation.
        insert(local(2), remote(4, foundation: "x"))
        #expect(states().last == "waiting")
    }

    /// RFC 8838 section 12: a late pair of a foundation that works waits for its turn.
    @Test mutating func aLatePairOfAWorkingFoundationWaits() {
        let first = insert(local(1), remote(1, foundation: "x"))
        checklist[first].state = .succeeded(valid())
        insert(local(1), remote(2, foundation: "x"))
        #expect(states() == ["succeeded", "waiting"])
    }

    @Test mutating func successThawsItsFoundation() {
        for host: UInt32 in 1...3 { insert(local(1), remote(host, foundation: "x")) }
        insert(local(1), remote(4, foundation: "y"))
        insert(local(1), remote(5, foundation: "y"))
        checklist[0].state = .succeeded(valid())
        checklist.unfreeze(like: 0)
        #expect(states() == ["succeeded", "waiting", "waiting", "waiting", "frozen"])
    }

    /// Section 6.1.4.2: the best waiting pair.
    @Test mutating func theBestWaitingPairIsChecked() {
        insert(local(1), remote(1, priority: 100))
        insert(local(1), remote(2, priority: 300))
        insert(local(1), remote(3, priority: 200))
        #expect(checklist.nextOrdinary() == 1)
        checklist[1].state = .inProgress(check(1))
        #expect(checklist.nextOrdinary() == 2)
        checklist[2].state = .failed
        #expect(checklist.nextOrdinary() == 0)
        checklist[0].state = .succeeded(valid())
        #expect(checklist.nextOrdinary() == nil)
    }

    /// A frozen pair is checked where nobody checks its foundation.
    @Test mutating func aFrozenPairWaitsForItsFoundation() {
        insert(local(1), remote(1, priority: 100, foundation: "x"))
        insert(local(1), remote(2, priority: 300, foundation: "x"))
        checklist[0].state = .inProgress(check(1))
        #expect(checklist.nextOrdinary() == nil)
        checklist[0].state = .failed
        #expect(checklist.nextOrdinary() == 1)
    }

    @Test mutating func equalPairsKeepTheirOrder() {
        for host: UInt32 in 1...3 { insert(local(1), remote(host)) }
        #expect(checklist.best { _ in true } == 0)
        let id = checklist[2].id
        #expect(checklist.best { $0.id == id } == 2 && checklist.best { _ in false } == nil)
    }

    /// A change of role changes the pair's priority by the last bit (section 6.1.2.3).
    @Test mutating func prioritiesFollowTheRole() {
        let index = insert(local(1, preference: 65_535), remote(1, priority: 100))
        let before = checklist[index].priority
        checklist.reprioritize(role: .controlled)
        #expect(before == checklist[index].priority + 1)
        checklist[index].remote.priority = 500
        checklist.reprioritize(index, role: .controlling)
        #expect(checklist[index].priority >> 32 == 500)
    }

    /// The retransmission timeout scales with what is still to come (section 14.3).
    @Test mutating func openPairsAreCounted() {
        for host: UInt32 in 1...5 { insert(local(1), remote(host, foundation: host < 3 ? "x" : "\(host)")) }
        #expect(checklist.openCount == 5)
        checklist[0].state = .inProgress(check(1))
        checklist[2].state = .failed
        checklist[3].state = .succeeded(valid())
        #expect(checklist.openCount == 3)
    }
}

@Suite struct CandidatePairTests {
    private var pair: CandidatePair
    private let check = ConnectivityCheck(
        STUNTransactionID(high: 1, low: 2), role: .controlled, useCandidate: true, timeout: .milliseconds(500),
        now: .zero)

    init() {
        var checklist = Checklist()
        let local = LocalCandidate(host: .testA, base: .testA, localPreference: 1)
        let remote = RemoteCandidate(type: .host, address: .testB, priority: 1, foundation: "1")
        pair = checklist[checklist.insert(local, remote, role: .controlled)]
    }

    private var valid: ValidPair {
        ValidPair(mapped: .testA, roundTripTime: .milliseconds(7), validatedAt: .at(3), nomination: check)
    }

    @Test mutating func aCheckBelongsToPairsUnderWayAndToNominations() {
        #expect(pair.check == nil && pair.isOpen && !pair.isValid && pair.validity == nil)
        pair.state = .inProgress(check)
        #expect(pair.check?.transactionID == check.transactionID && pair.isOpen)
        pair.state = .succeeded(valid)
        #expect(pair.check?.useCandidate == true && pair.isValid && !pair.isOpen)
        pair.state = .failed
        #expect(pair.check == nil && !pair.isOpen && !pair.isValid)
    }

    @Test mutating func aChangeReachesTheCheckUnderWay() {
        pair.updateCheck { $0.retransmitted(now: .at(500), maximum: .seconds(2)) }
        #expect(pair.check == nil)
        for state in [CandidatePair.State.inProgress(check), .succeeded(valid)] {
            pair.state = state
            pair.updateCheck { $0.retransmitted(now: .at(500), maximum: .seconds(2)) }
            #expect(pair.check?.attempts == 2)
        }
        var settled = valid
        settled.nomination = nil
        pair.state = .succeeded(settled)
        pair.updateCheck { $0.retransmitted(now: .at(500), maximum: .seconds(2)) }
        #expect(pair.check == nil && pair.validity?.roundTripTime == .milliseconds(7))
    }

    /// Without a verdict a valid pair stays valid, another one waits again.
    @Test mutating func aCancelledCheckSaysNothing() {
        pair.state = .inProgress(check)
        pair.cancelCheck()
        guard case .waiting = pair.state else {
            Issue.record("does not wait")
            return
        }
        pair.state = .succeeded(valid)
        pair.cancelCheck()
        #expect(pair.isValid && pair.check == nil)
        pair.state = .failed
        pair.cancelCheck()
        #expect(!pair.isOpen && !pair.isValid)
    }
}

/// One STUN transaction and its timer, RFC 8445 section 14.3, RFC 8489 section 6.2.1.
@Suite struct ConnectivityCheckTests {
    private var check = ConnectivityCheck(
        STUNTransactionID(high: 0, low: 1), role: .controlling, useCandidate: false, timeout: .milliseconds(500),
        now: .at(1000))

    @Test mutating func intervalsDoubleUpToTheirBound() {
        var times = [check.retransmitAt]
        for _ in 0..<4 {
            check.retransmitted(now: check.retransmitAt, maximum: .seconds(2))
            times.append(check.retransmitAt)
        }
        #expect(times == [1500, 2500, 4500, 6500, 8500].map { .at($0) })
        #expect(check.attempts == 5 && check.firstSent == .at(1000) && check.lastSent == .at(6500))
    }

    /// Many open pairs make the first wait longer than the bound: it isn't shortened.
    @Test func aLongWaitIsKept() {
        var slow = ConnectivityCheck(
            STUNTransactionID(high: 0, low: 1), role: .controlling, useCandidate: false, timeout: .seconds(3),
            now: .at(0))
        slow.retransmitted(now: .at(3000), maximum: .seconds(2))
        #expect(slow.retransmitAt == .at(6000))
    }

    @Test mutating func hasteLeavesTheLeastDistance() {
        check.hasten(least: .milliseconds(20))
        #expect(check.retransmitAt == .at(1020))
        check.retransmitted(now: .at(1020), maximum: .seconds(2))
        #expect(check.retransmitAt == .at(2020))
        // It never postpones.
        check.hasten(least: .seconds(5))
        #expect(check.retransmitAt == .at(2020))
    }
}
