import RTCWire
import Testing

@testable import RTCSim

/// Recorded networks: files, and the links that they describe.
@Suite struct NetworkTraceTests {
    private func read(_ text: String) throws -> NetworkTraceFile { try NetworkTraceFile(parsing: Array(text.utf8)) }

    @Test func aTableIsRead() throws {
        let file = try read(
            """
            # a walk
            time, rate  delay\tloss   # kbit/s, ms, percent

            0     1200  45    0.5
            2.5   -     60    -\r
            5     0     -     100
            """)
        #expect(file.up == file.down)
        let trace = try #require(file.up.points)
        #expect(
            trace.points == [
                .init(start: .zero, rate: 1_200_000, delay: .milliseconds(45), loss: 0.005),
                .init(start: .milliseconds(2500), rate: 1_200_000, delay: .milliseconds(60), loss: 0.005),
                .init(start: .seconds(5), rate: 0, delay: .milliseconds(60), loss: 1),
            ])
        #expect(trace.length == .milliseconds(7500))
        #expect(file.up.deliveries == nil)
    }

    @Test func directionsHaveColumnsOfTheirOwn() throws {
        let file = try read("time up.rate down.rate down.jitter\n0 100 900 5\n1 200 800 6\n")
        #expect(file.up.points?.points.map(\.rate) == [100_000, 200_000])
        #expect(file.up.points?.points.map(\.jitter) == [nil, nil])
        #expect(file.down.points?.points.map(\.jitter) == [.milliseconds(5), .milliseconds(6)])
        let one = try read("time down.loss\n0 1\n")
        #expect(one.up.points == nil)
        #expect(one.down.points?.length == .seconds(3600))
    }

    @Test(
        arguments: [
            ("", 1, 1, .empty), ("# only a remark\n", 1, 1, .empty), ("time rate\n", 1, 1, .empty),
            ("seconds rate\n0 5\n", 1, 1, .noHeader("seconds")), ("time\n0\n", 1, 1, .noColumns),
            ("time rate speed\n", 1, 11, .unknownColumn("speed")),
            ("time side.rate\n", 1, 6, .unknownColumn("side.rate")),
            ("time rate delay up.rate\n", 1, 17, .repeatedColumn("up.rate")),
            ("time rate\n0 100\n1 2 3\n", 3, 5, .wrongCount(3, 2)), ("time rate\n0\n", 2, 1, .wrongCount(1, 2)),
            ("time rate\n0 fast\n", 2, 3, .invalid("rate", "fast", to: 10_000_000)),
            ("time rate\n0 100\n\n1 -5\n", 4, 3, .invalid("rate", "-5", to: 10_000_000)),
            ("time loss\n0 nan\n", 2, 3, .invalid("loss", "nan", to: 100)),
            ("time rate\n1 100\n", 2, 1, .lateStart), ("time rate\n0 100\n0 100\n", 3, 1, .backwards),
            ("time rate\nnow 100\n", 2, 1, .invalid("time", "now", to: 86_400)),
            ("5\n4\n", 2, 1, .backwards), ("5\n6 7\n", 2, 3, .noDelivery("7")), ("5\nsix\n", 2, 1, .noDelivery("six")),
            ("0\n0\n", 2, 1, .noLength),
        ] as [(String, Int, Int, NetworkTraceError.Problem)])
    func mistakesAreNamedWithTheirPlace(
        text: String, line: Int, column: Int, problem: NetworkTraceError.Problem
    ) {
        let error = NetworkTraceError(line, column, problem)
        #expect(throws: error) { try read(text) }
        #expect(error.description.hasPrefix("\(line):\(column): "))
        #expect(error.description.contains(";"))
    }

    @Test func longLinesAreRefused() {
        #expect(throws: NetworkTraceError(1, 6, .crowded)) { try read("time " + String(repeating: "x", count: 65)) }
        #expect(throws: NetworkTraceError(1, 33, .crowded)) { try read(String(repeating: "x ", count: 17)) }
    }

    @Test func aTraceBeginsAgain() throws {
        let trace = try #require(try read("time rate\n0 100\n1 200\n").up.points)
        for (time, rate) in [(0.0, 100), (0.999, 100), (1, 200), (1.999, 200), (2, 100), (7, 200), (3600, 100)] {
            #expect(trace.point(at: .seconds(time)).rate == rate * 1000, "\(time)")
        }
    }

    @Test func aDatagramIsSentAtTheRatesThatItMeets() throws {
        let trace = try #require(try read("time rate\n0 100\n1 0\n2 50\n").up.points)
        // 50 kbit at 100 kbit/s and, once the pause is over, 25 kbit at 50.
        let sent = trace.finish(bits: 75_000, from: .milliseconds(500), rate: nil, patience: .seconds(20))
        #expect(sent == .milliseconds(2500))
        #expect(trace.finish(bits: 75_000, from: .milliseconds(500), rate: nil, patience: .seconds(1)) == nil)
        let silent = try #require(try read("time rate\n0 0\n1 0\n").up.points)
        #expect(silent.finish(bits: 1, from: .zero, rate: nil, patience: .seconds(20)) == nil)
        let free = try #require(try read("time delay\n0 5\n").up.points)
        #expect(free.finish(bits: 1000, from: .seconds(1), rate: nil, patience: .seconds(20)) == .seconds(1))
        #expect(free.finish(bits: 1000, from: .seconds(1), rate: 1000, patience: .seconds(20)) == .seconds(2))
    }

    @Test func deliveriesCarryOnePacketEach() throws {
        let trace = try #require(try read("5\n5\n10\n20\n").down.deliveries)
        #expect([0, 1, 2, 3, 4, 5].map { trace.time(of: $0).milliseconds } == [5, 5, 10, 20, 25, 25])
        #expect([0, 5, 6, 20, 21, 25, 26].map { trace.number(notBefore: .milliseconds($0)) } == [0, 0, 2, 3, 4, 4, 6])
        var link = DeliveryLink()
        func send(_ bytes: Int, at milliseconds: Int) -> Double? {
            link.send(bytes, at: .milliseconds(milliseconds), trace, queue: .milliseconds(30))?.milliseconds
        }
        #expect(send(1000, at: 0) == 5)
        // What is left of an opportunity serves the next one, which waits already.
        #expect(send(500, at: 0) == 5)
        #expect(send(2000, at: 0) == 10)
        // The rest of an opportunity that has passed is lost.
        #expect(send(100, at: 11) == 20)
        #expect(send(1500 * 8, at: 30) != nil)
        #expect(send(100, at: 30) == nil)
    }

    @Test func aModelFollowsItsTrace() throws {
        let text = "time rate delay loss\n0 800 10 0\n2 80 40 0\n4 800 10 100\n6 800 10 0\n"
        var profile = NetworkProfile()
        profile.down.trace = try read(text).down
        profile.down.queue = 5_000
        var model = NetworkModel(profile.down.conditions, seed: 1, origin: Instant.zero + .seconds(100))
        // 972 bytes and their headers are 8,000 bits.
        func delay(_ seconds: Double) -> Double? {
            let now = Instant.zero + .seconds(100 + seconds)
            return model.transmit(length: 972, at: now).first.map { ($0 - now).milliseconds.rounded() }
        }
        #expect(delay(0) == 20)
        #expect(delay(1) == 20)
        #expect(delay(2.5) == 140)
        #expect(delay(2.5) == 240)
        #expect(model.queueDelay(at: Instant.zero + .seconds(102.5)) == .milliseconds(200))
        #expect(delay(4.5) == nil)
        #expect(delay(6.5) == 20)
    }

    @Test func weatherIsCountedFromItsBeginning() throws {
        let conditions = try NetworkProfile(parsing: "loss=20,burst=50,jitter=20,blackout=1s@3s").up.conditions
        func course(from begin: Instant) -> [Interval?] {
            var model = NetworkModel(conditions, seed: 5, origin: begin)
            return (0..<500).map { index in
                let now = begin + .milliseconds(index * 10)
                return model.transmit(length: 100, at: now).first.map { $0 - now }
            }
        }
        let early = course(from: .zero)
        #expect(early == course(from: .zero + .seconds(12.345)))
        #expect(early[300..<400].allSatisfy { $0 == nil })
        #expect(early.contains { $0 != nil })
    }
}
