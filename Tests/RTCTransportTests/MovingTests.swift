import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// An agent's socket gives way to another one under its peer.
@Suite(.timeLimit(.minutes(10))) struct MovingTests {
    /// Moves the client of a pair, as its driver would.
    private static func move(_ pair: MuxPair, to host: String) throws {
        let void = try pair.client.mux.move(to: host, addresses: [])
        pair.client.perform { peer, outbox, now in
            pair.client.mux.addHostCandidates(to: &peer)
            for base in void { peer.removeLocalCandidates(base: base, now: now, into: outbox) }
        }
    }

    /// The server has selected where the client is now; a connection's source is the kernel's choice.
    private static func isFollowed(_ pair: MuxPair, _ overTCP: Bool) -> Bool {
        overTCP || pair.server.peer.selectedPair?.remote == pair.client.mux.localAddress
    }

    private static func send(_ numbers: Range<Int>, _ pair: MuxPair) {
        for number in numbers { pair.client.perform { MuxPair.send(number, ssrc: MuxPair.audio, &$0, $1, $2) } }
    }

    @Test(arguments: [false, true]) func packetsGoOnFromTheNewSocket(overTCP: Bool) async throws {
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(on: loop, overTCP: overTCP)
        try await loop.submit { Self.send(0..<20, pair) }.get()
        try await loop.flatSubmit { pair.record.until(20) }.get()
        try await loop.submit { try Self.move(pair, to: "127.0.0.3") }.get()
        // The server answers where the peer is now, and takes what comes from there.
        var count = 0
        while try await loop.submit({ pair.record.arrivals.count < 40 || !Self.isFollowed(pair, overTCP) }).get() {
            let numbers = count..<(count + 1)
            try await loop.submit { Self.send(numbers, pair) }.get()
            count += 1
            await Task.yield()
        }
        try await loop.submit {
            #expect(pair.client.mux.localAddress.host == "127.0.0.3")
            let left = pair.client.peer.localCandidates.filter { $0.base.host == "127.0.0.1" }
            #expect(left.isEmpty)
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }

    /// A server's socket has many peers, and an address that is none of ours leaves everything as it was.
    @Test func whatCannotMoveStays() async throws {
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(on: loop)
        try await loop.submit {
            let (server, client) = (pair.server.mux, pair.client.mux)
            let before = (server.localAddress, client.localAddress)
            #expect(throws: UDPBindError.self) { try server.move(to: "127.0.0.3", addresses: []) }
            #expect(throws: UDPBindError.self) { try client.move(to: "192.0.2.1", addresses: []) }
            #expect(server.localAddress == before.0 && client.localAddress == before.1)
            Self.send(0..<20, pair)
        }.get()
        try await loop.flatSubmit { pair.record.until(20) }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }

    @Test func thisMachinesAddressesAreKnown() throws {
        let present = try #require(InterfaceAddresses.current())
        let loopback = TransportAddress(ipv4: 0x7f00_0001, port: 5000)
        #expect(present.contains(loopback) && present.contains(TransportAddress(ipv4: 0x7f00_0003, port: 0)))
        #expect(!present.contains(TransportAddress(ipv4: 0xc000_0201, port: 0)))
        #expect(InterfaceAddresses.source(towards: loopback)?.host == "127.0.0.1")
        let given = InterfaceAddresses([loopback])
        #expect(given.contains(loopback) && !given.contains(TransportAddress(ipv4: 0x7f00_0003, port: 0)))
    }

    @Test func changesAreWatchedUntilTheLoopEnds() async throws {
        let loop = try DatagramLoop()
        try await loop.submit { _ = try AddressWatch(on: loop) {} }.get()
        try await loop.shutdownGracefully()
    }
}
