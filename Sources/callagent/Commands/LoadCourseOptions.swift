import ArgumentParser
import LoadCore

/// What happens in a load test, and when.
struct LoadCourseOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "How long it goes on when everybody has arrived: 60, 90s, 10m, 1h.")
    var duration = LoadDuration(seconds: 60)

    @Option(name: .long, parsing: .unconditional, help: "Participants that begin to join in each second.")
    var numPerSecond = 20.0

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "How participants arrive: ramp, burst, churn or soak.",
            discussion: """
                ramp: one after the other. burst: all at once. churn: as ramp, then subscribers come and go steadily, \
                --joins-per-minute. soak: the same in several cycles; between them everybody leaves, and the heap is measured.
                """))
    var arrival = LoadArrival.ramp

    @Option(
        name: .long, parsing: .unconditional, help: "With churn and soak: subscribers that come, and others that go.")
    var joinsPerMinute = 200.0

    @Option(
        name: .long, parsing: .unconditional,
        help: "Do it all so many times; everybody leaves in between. With soak 3 where nothing is said.")
    var cycles: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: "Seconds after everybody's arrival at which all connections are given up at once and made anew.")
    var reconnectStorm: LoadDuration?

    @Option(
        name: .long, parsing: .unconditional, help: "Publishers mute their microphones about once in so many seconds.")
    var muteEvery: LoadDuration?

    @Option(name: .long, parsing: .unconditional, help: "Data messages that each publisher sends in a second.")
    var dataRate = 0.0

    @Option(
        name: .long, parsing: .unconditional,
        help: "Remote procedure calls that each subscriber makes in a second; a publisher of its room answers.")
    var rpcRate = 0.0

    @Option(name: .long, parsing: .unconditional, help: "The same seed gives the same turns, mutes and times.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...604_800).contains(duration.seconds) else {
            throw ValidationError("--duration \(duration.seconds): use 1 to 604800 seconds.")
        }
        guard (0.01...10_000).contains(numPerSecond) else {
            throw ValidationError("--num-per-second \(numPerSecond): use 0.01 to 10000.")
        }
        guard (0.1...60_000).contains(joinsPerMinute) else {
            throw ValidationError("--joins-per-minute \(joinsPerMinute): use 0.1 to 60000.")
        }
        guard (1...1_000).contains(cycles ?? 1) else {
            throw ValidationError("--cycles \(cycles ?? 0): use 1 to 1000.")
        }
        if let storm = reconnectStorm, !(0...duration.seconds - 1).contains(storm.seconds) {
            throw ValidationError("--reconnect-storm \(storm.seconds): use a time before the end, --duration.")
        }
        if let mute = muteEvery, !(1...3600).contains(mute.seconds) {
            throw ValidationError("--mute-every \(mute.seconds): use 1 to 3600 seconds.")
        }
        guard (0...1000).contains(dataRate) else { throw ValidationError("--data-rate \(dataRate): use 0 to 1000.") }
        guard (0...100).contains(rpcRate) else { throw ValidationError("--rpc-rate \(rpcRate): use 0 to 100.") }
    }

    func apply(to settings: inout LoadSettings) {
        settings.duration = duration.seconds
        settings.arrival =
            switch arrival {
            case .ramp: .ramp(perSecond: numPerSecond)
            case .burst: .burst
            case .churn, .soak: .churn(perSecond: numPerSecond, joinsPerMinute: joinsPerMinute)
            }
        settings.cycles = cycles ?? (arrival == .soak ? 3 : 1)
        settings.reconnectStorm = reconnectStorm?.seconds
        settings.muteInterval = muteEvery?.seconds
        settings.messagesPerSecond = dataRate
        settings.callsPerSecond = rpcRate
        settings.seed = seed
    }
}
