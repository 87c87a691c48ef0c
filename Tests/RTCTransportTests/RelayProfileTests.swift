import RTCWire
import Testing

@testable import RTCTransport

/// Conditions as people write them.
@Suite struct RelayProfileTests {
    @Test func allFieldsAreRead() throws {
        let profile = try NetworkProfile(
            parsing: "loss=5, delay=20,jitter=5.5,reorder=1,duplicate=0.5,rate=500,queue=100,seed=42")
        let conditions = profile.conditions
        #expect(profile.seed == 42)
        #expect(conditions.loss == 0.05)
        #expect(conditions.delay == .milliseconds(20))
        #expect(conditions.jitter == .microseconds(5500))
        #expect(conditions.reordering == 0.01)
        #expect(conditions.duplication == 0.005)
        #expect(conditions.rate == 500_000)
        #expect(conditions.queue == .milliseconds(100))
        #expect(conditions.bursts == nil)
    }

    @Test func burstsKeepTheAverageLoss() throws {
        let conditions = try NetworkProfile(parsing: "loss=5,burst=40").conditions
        let bursts = try #require(conditions.bursts)
        #expect(conditions.loss == 0)
        #expect(bursts.meanBad == .milliseconds(40))
        #expect(abs(bursts.meanBad.seconds / (bursts.meanBad + bursts.meanGood).seconds - 0.05) < 1e-9)
    }

    @Test(
        arguments: [
            ("", .noPair("")), ("loss", .noPair("loss")), ("loss=", .noPair("loss=")), ("loss=5,", .noPair("")),
            ("lost=5", .unknown("lost")), ("loss=5,loss=6", .repeated("loss")),
            ("loss=101", .invalid("loss", "101", range: "0 to 100")),
            ("delay=-1", .invalid("delay", "-1", range: "0 to 10000")),
            ("delay=nan", .invalid("delay", "nan", range: "0 to 10000")),
            ("jitter=many", .invalid("jitter", "many", range: "0 to 10000")),
            ("seed=-1", .invalid("seed", "-1", range: "a whole number from 0")), ("burst=40", .burstWithoutLoss),
            ("loss=100,burst=40", .invalid("loss", "100", range: "less than 100 with burst")),
        ] as [(String, NetworkProfileError)])
    func mistakesAreNamed(text: String, error: NetworkProfileError) {
        #expect(throws: error) { try NetworkProfile(parsing: text) }
        #expect(error.description.contains(";"))
    }
}
