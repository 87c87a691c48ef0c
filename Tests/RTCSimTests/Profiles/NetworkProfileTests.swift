import RTCWire
import Testing

@testable import RTCSim

/// Networks as people write them.
@Suite struct NetworkProfileTests {
    @Test func allFieldsAreRead() throws {
        let profile = try NetworkProfile(
            parsing: "loss=5, delay=20,jitter=5.5,reorder=1,duplicate=0.5,rate=500,queue=100,seed=42,reorder-delay=30")
        let conditions = profile.up.conditions
        #expect(profile.seed == 42)
        #expect(profile.up == profile.down)
        #expect(conditions.loss == 0.05)
        #expect(conditions.delay == .milliseconds(20))
        #expect(conditions.jitter == .microseconds(5500))
        #expect(conditions.reordering == 0.01)
        #expect(conditions.reorderDelay == .milliseconds(30))
        #expect(conditions.duplication == 0.005)
        #expect(conditions.rate == 500_000)
        #expect(conditions.queue == .milliseconds(100))
        #expect(conditions.bursts == nil)
        #expect(profile.rebind == 0)
    }

    @Test func unitsMayBeWritten() throws {
        let profile = try NetworkProfile(parsing: "loss=5%,delay=0.02s,jitter=5ms,rate=2M,rebind=30s")
        #expect(profile == (try NetworkProfile(parsing: "loss=5,delay=20,jitter=5,rate=2000k,rebind=30000")))
    }

    @Test func eachDirectionHasItsOwn() throws {
        // Whatever the order: what holds for one direction comes on top.
        for text in ["up.rate=300,delay=10,down.delay=30", "down.delay=30,up.rate=300,delay=10"] {
            let profile = try NetworkProfile(parsing: text)
            #expect((profile.up.rate, profile.down.rate) == (300, 0))
            #expect((profile.up.delay, profile.down.delay) == (10, 30))
            #expect(profile.longestDelay == 210)
        }
    }

    @Test func burstsKeepTheAverageLoss() throws {
        let conditions = try NetworkProfile(parsing: "loss=5,burst=40").up.conditions
        let bursts = try #require(conditions.bursts)
        #expect(conditions.loss == 0)
        #expect(bursts.meanBad == .milliseconds(40))
        #expect(abs(bursts.meanBad.seconds / (bursts.meanBad + bursts.meanGood).seconds - 0.05) < 1e-9)
        let partial = try #require(try NetworkProfile(parsing: "loss=5,burst=40,burst-loss=50").up.conditions.bursts)
        #expect(partial.loss == 0.5)
        #expect(abs(partial.meanBad.seconds / (partial.meanBad + partial.meanGood).seconds - 0.1) < 1e-9)
    }

    @Test func blackoutsComeAgain() throws {
        let profile = try NetworkProfile(parsing: "down.blackout=8s@20s+500@60s/10s")
        #expect(profile.up.blackouts.isEmpty)
        let outages = profile.down.blackouts
        func isDark(_ seconds: Double) -> Bool { outages.contains { $0.contains(.seconds(seconds)) } }
        for time in [20, 27.9, 60, 60.4, 70.2, 3660.4] { #expect(isDark(time), "\(time)") }
        for time in [0, 19.9, 28, 59.9, 60.5, 65, 3660.6] { #expect(!isDark(time), "\(time)") }
    }

    @Test func aNameStandsForANetworkAndPairsGoOnFromIt() throws {
        #expect(try NetworkProfile(parsing: "3g") == NetworkProfile.preset("3g"))
        let changed = try NetworkProfile(parsing: "3g,up.rate=300,seed=9")
        var expected = try #require(NetworkProfile.preset("3g"))
        (expected.up.rate, expected.seed) = (300, 9)
        #expect(changed == expected)
    }

    @Test func allNamedNetworksAreThere() {
        let names = NetworkProfile.presets.map(\.name)
        #expect(names == ["wifi-good", "wifi-bad", "4g", "3g", "train", "satellite", "congested-uplink"])
        for preset in NetworkProfile.presets {
            #expect(!preset.summary.isEmpty)
            #expect(preset.profile.longestDelay > 0, "\(preset.name)")
            // The tables in them are well formed, or they would have vanished.
            #expect(preset.profile.up.trace.map { $0.points != nil } ?? true, "\(preset.name)")
            #expect(preset.profile.down.trace.map { $0.points != nil } ?? true, "\(preset.name)")
        }
        #expect(NetworkProfile.preset("train")?.up.trace?.points?.length == .seconds(120))
        #expect(NetworkProfile.preset("train")?.down.conditions.outages.count == 4)
    }

    @Test func traceFilesAreReadForOneDirectionOrBoth() throws {
        let files = ["both": "time up.rate down.rate\n0 100 900\n1 200 800\n", "one": "5\n10\n"]
        func read(_ name: String) throws(NetworkProfileError) -> [UInt8] {
            guard let text = files[name] else { throw .file(name, "there is none") }
            return Array(text.utf8)
        }
        let both = try NetworkProfile(parsing: "trace=both,delay=20", reading: read)
        #expect(both.up.conditions.trace?.points.map(\.rate) == [100_000, 200_000])
        #expect(both.down.conditions.trace?.points.map(\.rate) == [900_000, 800_000])
        #expect(both.up.conditions.delay == .milliseconds(20))
        let one = try NetworkProfile(parsing: "down.trace=one", reading: read)
        #expect(one.up.conditions.deliveries == nil)
        #expect(one.down.conditions.deliveries?.milliseconds == [5, 10])
        #expect(throws: NetworkProfileError.file("none", "there is none")) {
            try NetworkProfile(parsing: "trace=none", reading: read)
        }
        #expect(throws: NetworkProfileError.file("both", "no trace can be read here")) {
            try NetworkProfile(parsing: "trace=both")
        }
    }

    @Test(arguments: [
        "loss=5,delay=20,jitter=5.5", "up.rate=300,down.delay=40,seed=7", "loss=5,burst=40,burst-loss=80,rebind=30s",
        "blackout=8s@20s+500@60s/10s", "wifi-bad", "3g,queue=10", "satellite",
    ])
    func whatIsWrittenReadsTheSameAgain(text: String) throws {
        let profile = try NetworkProfile(parsing: text)
        #expect(try NetworkProfile(parsing: profile.description) == profile)
    }

    @Test(
        arguments: [
            ("", .noPair("")), ("loss", .noProfile("loss")), ("5g", .noProfile("5g")), ("loss=", .noPair("loss=")),
            ("loss=5,", .noPair("")), ("loss=5,3g", .noPair("3g")), ("lost=5", .unknown("lost")),
            ("up.lost=5", .unknown("up.lost")), ("up.seed=5", .unknown("up.seed")),
            ("down.rebind=5", .unknown("down.rebind")), ("loss=5,loss=6", .repeated("loss")),
            ("up.loss=5,up.loss=6", .repeated("up.loss")), ("loss=101", .invalid("loss", "101", range: "0 to 100")),
            ("up.delay=-1", .invalid("up.delay", "-1", range: "0 to 10000")),
            ("delay=nan", .invalid("delay", "nan", range: "0 to 10000")),
            ("delay=11s", .invalid("delay", "11s", range: "0 to 10000")),
            ("jitter=many", .invalid("jitter", "many", range: "0 to 10000")),
            ("loss=5ms", .invalid("loss", "5ms", range: "0 to 100")),
            ("rate=5", .invalid("rate", "5", range: "10 to 10000000")),
            ("seed=-1", .invalid("seed", "-1", range: "a whole number from 0")), ("burst=40", .burstWithoutLoss),
            ("loss=100,burst=40", .invalid("loss", "100", range: "less than 100 with burst")),
            ("loss=50,burst=40,burst-loss=50", .invalid("loss", "50", range: "less than 50 with burst")),
            ("rebind=5", .invalid("rebind", "5", range: "100ms to 86400s, or 0")),
            (
                "blackout=8s",
                .invalid("blackout", "8s", range: "LENGTH@START or LENGTH@START/PERIOD, as 8s@20s/60s")
            ),
            (
                "blackout=8s@20s/8s",
                .invalid("blackout", "8s@20s/8s", range: "LENGTH@START or LENGTH@START/PERIOD, as 8s@20s/60s")
            ),
        ] as [(String, NetworkProfileError)])
    func mistakesAreNamed(text: String, error: NetworkProfileError) {
        #expect(throws: error) { try NetworkProfile(parsing: text) }
        #expect(error.description.contains(";"))
    }

    @Test func aTextHasABound() {
        #expect(throws: NetworkProfileError.tooLong) {
            try NetworkProfile(parsing: "loss=" + String(repeating: "1", count: 5000))
        }
    }
}
