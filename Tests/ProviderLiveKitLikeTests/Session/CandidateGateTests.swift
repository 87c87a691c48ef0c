import MediaCore
import Testing

@testable import ProviderLiveKitLike

@Suite struct CandidateGateTests {
    private func candidate(_ ufrag: String?, _ port: Int = 1) -> SessionCandidate {
        SessionCandidate(
            candidate: "candidate:1 1 udp 1 192.0.2.1 \(port) typ host", mid: "0", lineIndex: 0, usernameFragment: ufrag
        )
    }

    private func sdp(_ ufrag: String) -> String { "v=0\r\nm=audio 9 X 0\r\na=ice-ufrag:\(ufrag)\r\na=ice-pwd:x\r\n" }

    @Test func aCandidateWaitsForItsDescription() {
        var gate = CandidateGate()
        let early = [candidate("new", 1), candidate("new", 2)]
        for candidate in early {
            let passes = gate.admits(candidate, .subscriber)
            #expect(!passes)
        }
        let other = gate.described(.publisher, sdp: sdp("new"))
        #expect(other.isEmpty, "the sides have nothing to do with each other")
        let released = gate.described(.subscriber, sdp: sdp("new"))
        #expect(released == early)
        let passes = gate.admits(candidate("new", 3), .subscriber)
        #expect(passes)
    }

    @Test func afterARestartTheNextDescriptionCounts() {
        var gate = CandidateGate()
        _ = gate.described(.publisher, sdp: sdp("old"))
        let isEarly = !gate.admits(candidate("new"), .publisher)
        #expect(isEarly)
        let between = gate.described(.publisher, sdp: sdp("other"))
        #expect(between.isEmpty, "nobody knows those credentials any more")
        let unnamed = gate.admits(candidate(nil), .publisher)
        #expect(unnamed)
    }

    @Test func whatWaitsIsBounded() {
        var gate = CandidateGate()
        for port in 0..<1000 { _ = gate.admits(candidate("new", port), .publisher) }
        let released = gate.described(.publisher, sdp: sdp("new"))
        #expect(released.count == CandidateGate.capacity)
    }
}
