import RTCWire
import Testing

@testable import RTCCore

@Suite struct LateRunTests {
    /// A packet of 1,000 bytes each 10 ms, 150 ms late; gives what was found, and when in milliseconds.
    private func findings(seconds: Double, rate: Double?) -> [(at: Int, finding: LateRun.Finding)] {
        let start = Instant.zero + .seconds(50)
        var run = LateRun(.milliseconds(150), start)
        var found: [(Int, LateRun.Finding)] = []
        for index in 1...Int(seconds * 100) {
            let arrival = start + .milliseconds(10 * index)
            if let finding = run.note(.milliseconds(150), 1000, arrival, rate: rate) {
                found.append((10 * index, finding))
            }
        }
        return found
    }

    /// Twice as long after each time: what is sent less drains it meanwhile.
    @Test func aQueueStandsAfterThirdsOfASecondThatDouble() {
        let found = findings(seconds: 5, rate: 800_000)
        #expect(found.map(\.finding) == [.stands, .stands, .stands, .stands])
        #expect(found.map(\.at) == [300, 900, 2100, 4500])
    }

    /// Half of what came before is what passes; without the first packet, whose bytes waited before.
    @Test func whatPassesIsKnownAfterATenth() throws {
        let found = findings(seconds: 0.3, rate: 1_700_000)
        let start = Instant.zero + .seconds(50)
        #expect(found.map(\.at) == [100, 200, 300])
        #expect(try #require(found.first).finding == .filled(bytes: 10_000, start: start))
        #expect(try #require(found.last).finding == .filled(bytes: 10_000, start: start + .milliseconds(200)))
        #expect(findings(seconds: 0.25, rate: nil).isEmpty && findings(seconds: 0.25, rate: 1_500_000).isEmpty)
    }

    @Test func theLeastDelayIsOfTheWindow() {
        let start = Instant.zero + .seconds(50)
        var run = LateRun(.milliseconds(180), start)
        for (index, delay) in [190, 140, 170].enumerated() {
            _ = run.note(.milliseconds(delay), 100, start + .milliseconds(10 * (index + 1)), rate: nil)
        }
        #expect(run.leastDelay == .milliseconds(140))
        _ = run.note(.milliseconds(175), 100, start + .milliseconds(120), rate: nil)
        #expect(run.leastDelay == .milliseconds(175))
    }
}
