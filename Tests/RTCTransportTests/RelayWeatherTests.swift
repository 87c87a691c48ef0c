import RTCSim
import RTCWire
import Testing

@testable import RTCTransport

/// Who meets which weather, and addresses that change.
@Suite(.timeLimit(.minutes(10))) struct RelayWeatherTests {
    /// What a link does to a datagram every 5 ms, counted from its beginning.
    private func course(_ weather: RelayWeather, from begin: Instant, _ direction: RelayDirection = .up) -> [Interval?]
    {
        var counted = RelayStatistics()
        let course = (0..<400).map { index -> Interval? in
            let now = begin + .milliseconds(index * 5)
            let delivery = weather.offer(length: 100, direction, at: now, counting: &counted)
            return delivery.first.map { $0 - now }
        }
        #expect(counted.received == 400)
        #expect(counted.dropped == course.count { $0 == nil })
        #expect(counted.receivedBytes == 40_000)
        return course
    }

    @Test func theSameSeedIsTheSameWeatherWheneverSomebodyComes() throws {
        var configuration = RelayConfiguration(try NetworkProfile(parsing: "loss=10,burst=40,jitter=20,seed=3"))
        let early = course(RelayWeather(configuration, origin: .zero), from: .zero)
        let late = Instant.zero + .seconds(77)
        #expect(course(RelayWeather(configuration, origin: late), from: late) == early)
        #expect(course(RelayWeather(configuration, origin: .zero, relay: 1), from: .zero) != early)
        #expect(course(RelayWeather(configuration, origin: .zero, place: 1), from: .zero) != early)
        #expect(course(RelayWeather(configuration, origin: .zero), from: .zero, .down) != early)
        configuration.seed = 4
        #expect(course(RelayWeather(configuration, origin: .zero), from: .zero) != early)
    }

    @Test func aProfileIsBothDirections() throws {
        let configuration = RelayConfiguration(try NetworkProfile(parsing: "up.delay=30,down.delay=50,rebind=2s"))
        #expect(configuration.conditions(.up).delay == .milliseconds(30))
        #expect(configuration.conditions(.down).delay == .milliseconds(50))
        #expect(configuration.rebinding == .seconds(2))
        #expect(RelayConfiguration(NetworkProfile()).rebinding == nil)
    }

    @Test func theRelaysOfOneClientShareItsLink() async throws {
        let loop = try DatagramLoop()
        let server = try await PlainSocket.bind()
        let client = try await PlainSocket.bind()
        // Ten seconds of a link for each datagram: two on one link are twenty.
        for (weather, least, most) in [(RelayWeatherScope.shared, 12.0, 20.0), (.same, 0, 10)] {
            var configuration = RelayConfiguration()
            (configuration.up.rate, configuration.up.queue, configuration.weather) = (1000, .seconds(100), weather)
            let pool = try await UDPRelayPool.start(on: loop, count: 2, configuration: configuration).get()
            for relay in pool.relays { relay.target = try await server.address }
            for relay in pool.relays { client.send([[UInt8](repeating: 0, count: 1200)], to: relay.address) }
            var counted = UDPRelayPool.Statistics()
            while counted.up.received < 2 { counted = try await pool.statistics().get() }
            #expect(counted.upQueue > .seconds(least) && counted.upQueue <= .seconds(most), "\(weather)")
            try await pool.close().get()
        }
        try await client.close()
        try await server.close()
        try await loop.shutdownGracefully()
    }

    @Test func anAddressChangesAndTheOldOneIsForgotten() async throws {
        var configuration = RelayConfiguration()
        configuration.rebinding = Interval(nanoseconds: 1)
        try await RelayScene.run(configuration) { scene in
            let alice = try await scene.participant()
            for round in 1...3 {
                alice.send([[UInt8(round)]], to: scene.relay.address)
                try await alice.reached(round).get()
            }
            let sources = try await scene.server.sources()
            #expect(sources.count == 3)
            #expect(try await alice.datagrams() == [[1], [2], [3]])
            #expect(try await scene.statistics(.up).rebindings >= 2)
            #expect(try await scene.loop.submit { scene.relay.strangers }.get() == 0)
            // As behind a NAT, nobody hears what is sent to an address that it has forgotten.
            scene.server.send([[9]], to: sources[0])
            while try await scene.loop.submit({ scene.relay.strangers }).get() == 0 {}
            #expect(try await alice.datagrams().count == 3)
            try await alice.close()
        }
    }

    @Test func whoIsSilentMakesRoom() async throws {
        var configuration = RelayConfiguration()
        (configuration.maximumPeers, configuration.patience) = (1, .zero)
        try await RelayScene.run(configuration) { scene in
            for name in UInt8(1)...3 {
                let participant = try await scene.participant()
                participant.send([[name]], to: scene.relay.address)
                try await participant.reached(1).get()
                #expect(try await participant.datagrams() == [[name]])
                try await participant.close()
            }
            #expect(try await scene.loop.submit { scene.relay.legCount }.get() == 1)
            let up = try await scene.statistics(.up)
            #expect((up.received, up.forwarded, up.forwardedBytes) == (3, 3, 3))
            #expect(try await scene.server.sources().count == 3)
        }
    }
}
