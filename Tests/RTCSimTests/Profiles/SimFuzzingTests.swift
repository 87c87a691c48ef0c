import RTCSim
import Testing

/// What the fuzz targets run, over inputs of every kind.
@Suite struct SimFuzzingTests {
    private static let seeds: [(target: String, text: String)] = [
        ("network", "train,up.loss=3,burst=20,seed=9"), ("network", "trace=x,delay=20,rebind=3s"),
        ("network", "loss=5,delay=20,jitter=5,reorder=1,duplicate=2,rate=500,queue=10,blackout=1s@1s/3s"),
        ("trace", "time rate delay loss\n0 100 20 1\n1 0 - -\n2 5 1 1\n"), ("trace", "1\n2\n2\n9\n"),
        ("trace", "time up.rate down.rate\n0 1 2\n"),
    ]

    @Test func damagedInputsAreRefusedInOrder() {
        var random = SeededGenerator(seed: 3)
        for (target, text) in Self.seeds {
            guard let body = SimFuzzing.bodies.first(where: { $0.name == target }) else { continue }
            for round in 0..<400 {
                var bytes = Array(text.utf8)
                for _ in 0..<(round % 4) {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                bytes.withUnsafeBytes { body.run($0) }
            }
        }
        #expect(Set(Self.seeds.map(\.target)) == Set(SimFuzzing.bodies.map(\.name)))
    }
}
