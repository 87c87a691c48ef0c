import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// A TCP connection to a mux with nothing of ICE behind it.
// Touched on its loop only.
private final class RawClient: DatagramSource, @unchecked Sendable {
    private(set) var received: [UInt8] = []
    let ended: EventLoopPromise<Void>
    /// Something has come.
    let answered: EventLoopPromise<Void>
    /// It has been connected and said what it had to say.
    let hasWritten: EventLoopPromise<Void>
    private let loop: DatagramLoop
    private let socket: StreamSocket
    private var token: UInt64 = 0
    private var unsent: [UInt8]
    private var isReading = true

    init(to port: UInt16, saying bytes: [UInt8], on loop: DatagramLoop) throws {
        self.loop = loop
        ended = loop.makePromise()
        hasWritten = loop.makePromise()
        answered = loop.makePromise()
        unsent = bytes
        socket = try StreamSocket.connect(to: TransportAddress(ipv4: 0x7f00_0001, port: port))
        token = try loop.add(socket.descriptor, self)
        loop.watch(socket.descriptor, token: token, writing: true)
    }

    /// The address by which the mux knows it.
    var address: TransportAddress { socket.localName }

    func socketIsWritable() {
        guard !socket.isClosed else { return }
        if case .moved(let count) = unsent.withUnsafeBytes({ socket.write($0) }) { unsent.removeFirst(count) }
        guard unsent.isEmpty else { return }
        loop.watch(socket.descriptor, token: token, writing: false)
        hasWritten.succeed()
    }

    func socketIsReadable() {
        guard isReading, !socket.isClosed else { return }
        var memory = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            switch memory.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .moved(let count):
                received += memory[..<count]
                answered.succeed()
            case .blocked: return
            case .ended: return close()
            }
        }
    }

    /// No longer reads what comes.
    func stopReading() {
        isReading = false
        loop.remove(socket.descriptor, token: token)
    }

    /// Reads what has come meanwhile, and what comes.
    func resumeReading() throws {
        isReading = true
        token = try loop.add(socket.descriptor, self)
    }

    func close() {
        guard !socket.isClosed else { return }
        loop.remove(socket.descriptor, token: token)
        socket.close()
        hasWritten.succeed()
        answered.succeed()
        ended.succeed()
    }
}

/// ICE over TCP on real sockets.
@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    private static func listener(
        on loop: DatagramLoop, _ change: (inout ConnectionLimits) -> Void = { _ in }
    ) async throws -> UDPMux {
        var settings = UDPMuxConfiguration()
        settings.streamPort = 0
        change(&settings.streams)
        return try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0, configuration: settings).get()
    }

    /// A check for a flow of the mux, framed.
    private static func check(for flow: PeerFlow) throws -> [UInt8] {
        var configuration = PeerConfiguration(iceRole: .controlling, certificate: try DTLSCertificate.generate())
        let credentials = ICECredentials.random()
        configuration.iceCredentials = credentials
        var peer = Peer(configuration: configuration, now: MonotonicClock.now())
        let (outbox, now) = (Outbox(), MonotonicClock.now())
        let fingerprint = flow.peer.localFingerprint
        flow.perform { peer, outbox, now in
            peer.setRemote(
                credentials: credentials, fingerprint: fingerprint, dtlsRole: .server, now: now, into: outbox)
        }
        peer.addLocalCandidate(TransportAddress(ipv4: 0x7f00_0001, port: 9))
        peer.setRemote(
            credentials: flow.peer.localCredentials, fingerprint: fingerprint, dtlsRole: .client, now: now,
            into: outbox)
        let candidate = flow.peer.localCandidates[0].sdp(ufrag: flow.peer.localCredentials.ufrag)
        peer.addRemoteCandidate(candidate, now: now, into: outbox)
        peer.advance(to: now, into: outbox)
        let bytes = Array(outbox.bytes(of: try #require(outbox.datagrams.first)))
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }

    private static func makeFlow(_ mux: UDPMux) throws -> PeerFlow {
        let configuration = PeerConfiguration(iceRole: .controlled, certificate: try DTLSCertificate.generate())
        let flow = try #require(mux.makeFlow(configuration: configuration, handler: nil))
        flow.perform { peer, _, _ in mux.addHostCandidates(to: &peer) }
        return flow
    }

    // MARK: Calls

    /// Checks, DTLS and media over one connection, where nobody knows of a UDP port.
    @Test func aCallGoesOverTCP() async throws {
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(on: loop, overTCP: true)
        try await loop.submit {
            let (near, far) = (pair.client.peer.selectedPair?.remote, pair.server.peer.selectedPair?.remote)
            #expect(far?.isTCP == true && near?.isTCP == true && near?.port == pair.muxes[0].streamPort)
            #expect(pair.muxes[0].statistics.acceptedConnections == 1 && pair.muxes[0].connectionCount == 1)
            #expect(pair.muxes.map(\.statistics.sendFailures) == [0, 0])
        }.get()
        // More than one reading holds, so that packets are cut at any place.
        for batch in 0..<8 {
            try await loop.submit {
                pair.client.perform { peer, outbox, now in
                    for number in 0..<40 {
                        MuxPair.send(
                            batch * 40 + number, size: 1 + (number * 37) % 1100, ssrc: MuxPair.video, &peer, outbox, now
                        )
                    }
                }
            }.get()
        }
        try await loop.flatSubmit { pair.record.until(320) }.get()
        try await loop.submit {
            #expect(pair.record.payloads == (0..<320).map { UInt8(truncatingIfNeeded: $0) })
            #expect(pair.muxes.map(\.statistics.sendQueueDrops) == [0, 0])
            #expect(pair.muxes[0].statistics.oversized == 0)
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }

    /// The connection breaks: the client opens another one, and media goes on.
    @Test func aBrokenConnectionIsReplaced() async throws {
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(on: loop, overTCP: true)
        try await loop.submit {
            let selected = pair.server.peer.selectedPair?.remote
            let remote = try #require(selected)
            let streams = try #require(pair.muxes[0].streams)
            streams.end(try #require(streams.connections[remote]), now: MonotonicClock.now())
            #expect(pair.muxes[0].connectionCount == 0)
        }.get()
        // Sent every few milliseconds until some arrive: what is sent meanwhile is lost.
        let sending = loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
            pair.client.perform { peer, outbox, now in
                MuxPair.send(1, size: 50, ssrc: MuxPair.audio, &peer, outbox, now)
            }
        }
        try await loop.flatSubmit { pair.record.until(20) }.get()
        sending.cancel()
        try await loop.submit {
            #expect(pair.muxes[0].statistics.acceptedConnections == 2)
            let areConnected = pair.server.peer.isConnected && pair.client.peer.isConnected
            #expect(areConnected)
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }

    /// A reader that stands still costs no memory, and what it then gets is whole.
    @Test func aSlowReaderIsBounded() async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop)
        let port = try #require(mux.streamPort)
        let (client, flow) = try await loop.submit {
            let flow = try Self.makeFlow(mux)
            return (try RawClient(to: port, saying: try Self.check(for: flow), on: loop), flow)
        }.get()
        try await client.answered.futureResult.get()
        try await loop.submit {
            client.stopReading()
            // As many pictures as no buffer of the kernel's takes, and a word of sound after each dozen.
            for number in 0..<24_000 {
                flow.act { outbox, _ in
                    let isSound = number % 12 == 0
                    let packet = [UInt8](repeating: isSound ? 1 : 2, count: isSound ? 20 : 1200)
                    let first = outbox.datagrams.count
                    packet.withUnsafeBytes { outbox.append($0, to: client.address) }
                    outbox.setUrgency(isSound ? .control : .media, from: first)
                }
            }
            #expect(mux.statistics.sendQueueDrops > 1000)
            // Room for sound is left when pictures find none.
            let drops = mux.statistics.sendQueueDrops
            flow.act { outbox, _ in
                [UInt8](repeating: 1, count: 20).withUnsafeBytes { outbox.append($0, to: client.address) }
            }
            #expect(mux.statistics.sendQueueDrops == drops)
            try client.resumeReading()
        }.get()
        try await loop.submit { flow.close() }.get()
        try await client.ended.futureResult.get()
        try await loop.submit { try Self.checkWhole(client.received) }.get()
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    /// What has come consists of whole packets of ours, whose bytes are all alike, behind answers to checks.
    private static func checkWhole(_ bytes: [UInt8]) throws {
        var (offset, packets) = (0, 0)
        while offset + 2 <= bytes.count {
            let length = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            let end = offset + 2 + length
            guard end <= bytes.count else { break }
            let packet = bytes[(offset + 2)..<end]
            if length == 1200 || length == 20, packet.first != 0 {
                #expect(packet.allSatisfy { $0 == packet.first })
                packets += 1
            }
            offset = end
        }
        #expect(packets > 100)
    }

    // MARK: Strangers

    /// Whoever says nothing, or something else than a check, is sent away.
    @Test(
        arguments: [[], Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), [0, 3, 0x80, 1, 2], [0x10, 0, 1]] as [[UInt8]])
    func strangersAreClosed(saying bytes: [UInt8]) async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop) { $0.proof = .milliseconds(50) }
        let port = try #require(mux.streamPort)
        let client = try await loop.submit { try RawClient(to: port, saying: bytes, on: loop) }.get()
        try await client.ended.futureResult.get()
        try await loop.submit {
            #expect(mux.connectionCount == 0 && mux.statistics.refusedConnections == 1)
            #expect(client.received.isEmpty)
        }.get()
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    /// Checks for peers that there are none of get no answer, and the connection no more time than silence.
    @Test func checksForNobodyProveNothing() async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop) { $0.proof = .milliseconds(50) }
        let port = try #require(mux.streamPort)
        let client = try await loop.submit {
            let other = try Self.makeFlow(mux)
            let check = try Self.check(for: other)
            other.close()
            return try RawClient(to: port, saying: check, on: loop)
        }.get()
        try await client.ended.futureResult.get()
        #expect(try await loop.submit { mux.statistics.refusedConnections }.get() == 1)
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    /// A crowd of strangers pushes out its own oldest, and never a peer.
    @Test func theOldestStrangerGivesWay() async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop) { $0.unproven = 2 }
        let port = try #require(mux.streamPort)
        let peer = try await loop.submit {
            try RawClient(to: port, saying: try Self.check(for: try Self.makeFlow(mux)), on: loop)
        }.get()
        try await peer.answered.futureResult.get()
        var strangers: [RawClient] = []
        for _ in 0..<4 {
            let stranger = try await loop.submit { try RawClient(to: port, saying: [0], on: loop) }.get()
            try await stranger.hasWritten.futureResult.get()
            strangers.append(stranger)
        }
        for stranger in strangers[..<2] { try await stranger.ended.futureResult.get() }
        #expect(try await loop.submit { mux.connectionCount }.get() == 3)
        let rest = strangers[2...] + [peer]
        try await loop.submit { for client in rest { client.close() } }.get()
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    /// One host's crowd pushes out its own, long before the port is full.
    @Test func aHostGivesWayToItself() async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop) { $0.unprovenPerHost = 2 }
        let port = try #require(mux.streamPort)
        var strangers: [RawClient] = []
        for _ in 0..<3 {
            let stranger = try await loop.submit { try RawClient(to: port, saying: [0], on: loop) }.get()
            try await stranger.hasWritten.futureResult.get()
            strangers.append(stranger)
        }
        try await strangers[0].ended.futureResult.get()
        #expect(try await loop.submit { mux.connectionCount }.get() == 2)
        let rest = strangers[1...]
        try await loop.submit { for client in rest { client.close() } }.get()
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    @Test func hostsAreCounted() {
        var counts = HostCounts()
        let (a, b) = (TransportAddress(ipv4: 0x7f00_0001, port: 1), TransportAddress(ipv4: 0x7f00_0002, port: 1))
        let net = TransportAddress(high: 0x2001_0db8_0000_0001, low: 1, port: 1)
        for address in [a, a.with(.tcp, port: 2), net, TransportAddress(high: net.high, low: 2, port: 1)] {
            counts.add(address)
        }
        #expect(counts.count(a) == 2 && counts.count(b) == 0 && counts.count(net) == 2)
        counts.remove(a)
        counts.remove(a)
        counts.remove(a)
        #expect(counts.count(a) == 0 && counts.count(net) == 2)
    }

    @Test(arguments: [true, false]) func connectionsAreBounded(byHost: Bool) async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop) {
            if byHost { $0.connectionsPerHost = 2 } else { $0.connections = 2 }
        }
        let port = try #require(mux.streamPort)
        var clients: [RawClient] = []
        for _ in 0..<3 {
            let client = try await loop.submit { try RawClient(to: port, saying: [0], on: loop) }.get()
            try await client.hasWritten.futureResult.get()
            clients.append(client)
        }
        try await clients[2].ended.futureResult.get()
        #expect(try await loop.submit { mux.connectionCount }.get() == 2)
        let rest = clients[..<2]
        try await loop.submit { for client in rest { client.close() } }.get()
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    /// A peer that is gone takes its connection with it.
    @Test func aClosedPeerEndsItsConnection() async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop)
        let port = try #require(mux.streamPort)
        let (client, flow) = try await loop.submit {
            let flow = try Self.makeFlow(mux)
            return (try RawClient(to: port, saying: try Self.check(for: flow), on: loop), flow)
        }.get()
        try await client.answered.futureResult.get()
        try await loop.submit { flow.close() }.get()
        try await client.ended.futureResult.get()
        #expect(try await loop.submit { mux.connectionCount }.get() == 0)
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    @Test func aPortThatIsTakenIsNamed() async throws {
        let loop = try DatagramLoop()
        let mux = try await Self.listener(on: loop)
        var settings = UDPMuxConfiguration()
        settings.streamPort = try Int(#require(mux.streamPort))
        let error = await #expect(throws: UDPBindError.self) {
            try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0, configuration: settings).get()
        }
        #expect(error?.description.contains("cannot bind TCP 127.0.0.1:\(settings.streamPort ?? 0)") == true)
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }
}
