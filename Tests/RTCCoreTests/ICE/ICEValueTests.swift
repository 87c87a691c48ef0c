import RTCWire
import Testing

@testable import RTCCore

@Suite struct ICEValueTests {
    @Test func candidatePriorities() {
        // RFC 8445 section 5.1.2.1: host, local preference 65535, component 1.
        #expect(CandidatePriority.candidate(.host, localPreference: 65535) == 2_130_706_431)
        #expect(CandidatePriority.candidate(.peerReflexive, localPreference: 65535) == 1_862_270_975)
        #expect(CandidatePriority.candidate(.relay, localPreference: 0) == 255)
    }

    @Test func pairPriorityIsTheSameOnBothSides() {
        let (a, b): (UInt32, UInt32) = (2_130_706_431, 1_694_498_815)
        let controlling = CandidatePriority.pair(local: a, remote: b, role: .controlling)
        #expect(controlling == CandidatePriority.pair(local: b, remote: a, role: .controlled))
        #expect(controlling == UInt64(b) << 32 + 2 * UInt64(a) + 1)
        // Priorities end at 2^31 - 1; a larger one claims no more than that.
        let largest = UInt64(Int32.max)
        let clamped = CandidatePriority.pair(local: .max, remote: .max, role: .controlled)
        #expect(clamped == largest << 32 + 2 * largest)
    }

    @Test func credentials() {
        var random = ICERandom(seed: 3)
        let credentials = ICECredentials(using: &random)
        #expect(credentials.isWellFormed && credentials != ICECredentials(using: &random))
        #expect(ICECredentials.random().isWellFormed && ICECredentials.random() != ICECredentials.random())
        #expect(!ICECredentials(ufrag: "abc", pwd: credentials.pwd).isWellFormed)
        #expect(!ICECredentials(ufrag: "abcd", pwd: "short").isWellFormed)
        #expect(!ICECredentials(ufrag: "ab d", pwd: credentials.pwd).isWellFormed)
    }

    @Test func hostCandidateLine() throws {
        let network = makeICENetwork()
        let added = network.a.agent.addLocalCandidate(.testA, now: .zero)
        let candidate = try #require(added)
        let line = candidate.sdp(ufrag: "abcd").encoded
        let parsed = try ICECandidate(parsing: line)
        #expect(parsed.address == .testA && parsed.type == .host && parsed.ufrag == "abcd" && parsed.component == 1)
        let again = network.a.agent.addLocalCandidate(.testA, now: .zero)
        #expect(again == nil)
        let unusable = network.a.agent.addLocalCandidate(TransportAddress(ipv4: 0, port: 1), now: .zero)
        #expect(unusable == nil)
    }

    @Test func candidatesOnOneSocketMakeOnePair() {
        let network = makeICENetwork()
        let wildcard = TransportAddress(ipv4: 0, port: 4000)
        for host in [0x7f00_0001, 0x0a00_0001, 0xc0a8_0001] as [UInt32] {
            network.a.agent.addLocalCandidate(TransportAddress(ipv4: host, port: 4000), base: wildcard, now: .zero)
        }
        network.addHostCandidates(network.b)
        network.signalCandidates(to: network.a)
        #expect(network.a.agent.localCandidates.count == 3)
        #expect(network.a.agent.checklist.indices.count == 1)
    }

    @Test func frozenPairsWaitForTheirFoundation() {
        let network = makeICENetwork(bases: ([.testA], []))
        network.addHostCandidates(network.a)
        for port in [1, 2, 3] as [UInt16] {
            let address = TransportAddress(ipv4: 0x0a00_0002, port: port)
            let candidate = ICECandidate(foundation: "same", priority: UInt32(port), address: address, type: .host)
            network.a.agent.addRemoteCandidate(candidate, now: .zero)
        }
        let frozen = network.a.agent.checklist.pairs.filter { if case .frozen = $0.state { true } else { false } }
        #expect(frozen.count == 2)
    }

    @Test func consentStandingFollowsTheFirstUnansweredCheck() {
        let timing = ICETiming()
        let id = { STUNTransactionID(high: 0, low: $0) }
        var consent = Consent(now: .zero, nextCheckAt: .zero + .seconds(5))
        let standing = { (consent: Consent, at: Int) in
            consent.standing(at: .zero + .milliseconds(at), timing: timing)
        }
        for index in 0..<40 as Range<UInt64> {
            consent.sent(
                id(index), as: .controlling, now: .zero + .milliseconds(5000 + 500 * Int(index)),
                retry: .milliseconds(500))
        }
        #expect(standing(consent, 6_999) == .fresh && standing(consent, 7_000) == .suspect)
        #expect(standing(consent, 10_000) == .disconnected && standing(consent, 34_999) == .disconnected)
        #expect(standing(consent, 35_000) == .expired)
        let now = Instant.zero + .milliseconds(24_600)
        #expect(consent.answered(id(0), now: now, interval: .seconds(5)) == nil)
        #expect(consent.answered(id(39), now: now, interval: .seconds(5)) == .milliseconds(100))
        #expect(standing(consent, 60_000) == .fresh && consent.nextCheckAt == .zero + .milliseconds(29_500))
    }
}
