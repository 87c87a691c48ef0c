import NIOCore
import NIOPosix
import RTCSim
import RTCWire
import Testing

@testable import RTCTransport

/// The relay on real sockets. Counts and order are checked, never how long something took.
@Suite(.timeLimit(.minutes(10))) struct RelayTests {
    /// Datagrams of every size, each with its number.
    private func datagrams(_ count: Int) -> [[UInt8]] {
        (0..<count).map { number in
            [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
                + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number * 37 % 1198)
        }
    }

    @Test func aPerfectNetworkChangesNothing() async throws {
        try await RelayScene.run { scene in
            let sent = datagrams(60)
            let alice = try await scene.participant()
            alice.send(sent, to: scene.relay.address)
            try await alice.reached(sent.count).get()
            #expect(try await scene.server.datagrams() == sent)
            #expect(try await alice.datagrams() == sent)
            #expect(try await alice.sources() == [scene.relay.address])
            let up = try await scene.statistics(.up)
            #expect((up.received, up.forwarded, up.dropped, up.duplicated) == (60, 60, 0, 0))
            try await alice.close()
        }
    }

    @Test func everyParticipantHasAnAddressOfItsOwn() async throws {
        try await RelayScene.run { scene in
            let participants = [
                try await scene.participant(), try await scene.participant(), try await scene.participant(),
            ]
            for (index, participant) in participants.enumerated() {
                participant.send([[UInt8(index)]], to: scene.relay.address)
                try await participant.reached(1).get()
                #expect(try await participant.datagrams() == [[UInt8(index)]])
                try await participant.close()
            }
            #expect(try await scene.server.sources().count == 3)
        }
    }

    @Test func lossFollowsItsShare() async throws {
        var configuration = RelayConfiguration()
        configuration.up.loss = 0.2
        configuration.seed = 7
        try await RelayScene.run(configuration, echo: false) { scene in
            let alice = try await scene.participant()
            for round in 1...20 {
                alice.send((0..<50).map { [UInt8(round), UInt8($0)] }, to: scene.relay.address)
                try await scene.tap.reached(round * 50, on: scene.loop).get()
            }
            let up = try await scene.statistics(.up)
            #expect(up.received == 1000)
            #expect(up.forwarded + up.dropped == 1000)
            #expect((130...270).contains(up.dropped))
            try await alice.close()
        }
    }

    @Test func delayHoldsBackAndKeepsTheOrder() async throws {
        var configuration = RelayConfiguration()
        configuration.up = NetworkConditions(delay: .milliseconds(30), jitter: .milliseconds(20))
        try await RelayScene.run(configuration, echo: false) { scene in
            let sent = datagrams(40)
            let alice = try await scene.participant()
            let begun = MonotonicClock.now()
            alice.send(sent, to: scene.relay.address)
            try await scene.server.reached(sent.count).get()
            #expect(try await scene.server.datagrams() == sent)
            let first = try await scene.loop.submit { scene.server.received[0].at }.get()
            #expect(first - begun >= .milliseconds(30))
            try await alice.close()
        }
    }

    @Test func copiesComeTwiceAndReorderedOnesLate() async throws {
        var configuration = RelayConfiguration()
        configuration.up.duplication = 1
        configuration.up.reordering = 0.3
        try await RelayScene.run(configuration, echo: false) { scene in
            let sent = datagrams(50)
            let alice = try await scene.participant()
            alice.send(sent, to: scene.relay.address)
            try await scene.server.reached(100).get()
            let arrived = try await scene.server.datagrams()
            #expect(arrived.count == 100)
            for datagram in sent { #expect(arrived.count { $0 == datagram } == 2) }
            let up = try await scene.statistics(.up)
            #expect(up.duplicated == 50)
            #expect(up.reordered > 0)
            try await alice.close()
        }
    }

    @Test func memoryIsBounded() async throws {
        var configuration = RelayConfiguration()
        configuration.up.delay = .seconds(3600)
        configuration.maximumHeld = 10
        configuration.maximumPeers = 1
        try await RelayScene.run(configuration, echo: false) { scene in
            let alice = try await scene.participant()
            alice.send(datagrams(50), to: scene.relay.address)
            try await scene.tap.reached(50, on: scene.loop).get()
            #expect(try await scene.statistics(.up).overflowed == 40)
            let bob = try await scene.participant()
            bob.send([[1]], to: scene.relay.address)
            // Which of two senders' datagrams is read first is not said.
            var count = 50
            repeat {
                alice.send([[1]], to: scene.relay.address)
                count += 1
                try await scene.tap.reached(count, on: scene.loop).get()
            } while try await scene.loop.submit { scene.relay.strangers }.get() == 0
            #expect(try await scene.loop.submit { scene.relay.strangers }.get() == 1)
            #expect(try await scene.loop.submit { scene.relay.legCount }.get() == 1)
            try await alice.close()
            try await bob.close()
        }
    }

    @Test func injectedDatagramsComeFromTheRightAddresses() async throws {
        try await RelayScene.run { scene in
            let alice = try await scene.participant()
            alice.send([[1]], to: scene.relay.address)
            try await alice.reached(1).get()
            try await scene.loop.submit {
                scene.relay.inject([2, 3], leg: 0, .down)
                scene.relay.inject([4, 5], leg: 0, .up)
                scene.relay.inject([6], leg: 9, .up)
            }.get()
            // One that was injected downwards, and the echo of the one that was injected upwards.
            try await alice.reached(3).get()
            #expect(try await alice.datagrams() == [[1], [2, 3], [4, 5]])
            #expect(try await alice.sources() == [scene.relay.address])
            #expect(try await scene.server.sources().count == 1)
            let injected = (try await scene.statistics(.up).injected, try await scene.statistics(.down).injected)
            #expect(injected == (1, 1))
            try await alice.close()
        }
    }

    @Test func aPoolLeadsEachServerAddressThroughOneRelay() async throws {
        let loop = try DatagramLoop()
        let pool = try await UDPRelayPool.start(on: loop, count: 2, configuration: .init()).get()
        let servers = (1...3).map { TransportAddress(ipv4: 0x7f00_0001, port: UInt16($0)) }
        let ways = servers.map { pool.address(leadingTo: $0) }
        #expect(ways[0] == pool.relays[0].address)
        #expect(ways[1] == pool.relays[1].address)
        #expect(!servers.contains(ways[2]) && !pool.relays.map(\.address).contains(ways[2]))
        #expect(pool.address(leadingTo: servers[1]) == ways[1])
        #expect(pool.relays.map(\.target) == [servers[0], servers[1]])
        #expect(try await pool.statistics().get() == UDPRelayPool.Statistics())
        try await pool.close().get()
        try await loop.shutdownGracefully()
    }

    @Test func waitingDatagramsComeInOrderOfTheirTime() {
        var line = DelayLine(capacity: 4)
        func parcel(_ due: Int64, _ leg: Int) -> DelayLine.Parcel {
            DelayLine.Parcel(due: Instant(nanoseconds: due), leg: leg, direction: .up, bytes: [])
        }
        let added = [parcel(5, 0), parcel(3, 1), parcel(5, 2), parcel(1, 3), parcel(0, 4)].map { line.add($0) }
        #expect(added == [true, true, true, true, false])
        #expect(line.next == Instant(nanoseconds: 1))
        var order: [Int] = []
        while let next = line.pop(by: Instant(nanoseconds: 4)) { order.append(next.leg) }
        #expect(order == [3, 1])
        while let next = line.pop(by: Instant(nanoseconds: 5)) { order.append(next.leg) }
        #expect(order == [3, 1, 0, 2])
    }
}
