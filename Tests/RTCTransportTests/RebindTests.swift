import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Whose datagrams those from an address are, when checks for another peer come from it.
@Suite(.timeLimit(.minutes(10))) struct RebindTests {
    /// A server's flow and its client.
    private struct Pair: Sendable {
        var server: PeerFlow
        var client: PeerFlow
        var mux: UDPMux
        var counter: FlowRecord
        var connected: EventLoopFuture<Void>
    }

    private static func pair(_ server: UDPMux, port: Int = 0, ssrc: UInt32) -> EventLoopFuture<Pair> {
        var settings = UDPMuxConfiguration()
        settings.isExclusive = true
        return UDPMux.bind(on: server.loop, host: "127.0.0.1", port: port, configuration: settings)
            .flatMapThrowing { mux in
                let counter = FlowRecord(server.eventLoop)
                let own = FlowRecord(server.eventLoop)
                let near = try makeFlow(mux, .controlling, own)
                let far = try makeFlow(server, .controlled, counter)
                introduce(near, to: far, role: .client)
                introduce(far, to: near, role: .server)
                let codec = ReceiveMap.Codec(payloadType: 100, clockRate: 48_000)
                let line = ReceiveMap.Line(
                    index: 0, kind: .audio, mid: nil, codecs: [codec], extensionMap: RTPExtensionMap(),
                    sources: [.init(ssrc: ssrc)])
                far.perform { peer, _, _ in peer.setReceiveMap(ReceiveMap(lines: [line])) }
                near.perform { peer, _, _ in
                    peer.addSendStream(
                        SendStreamConfiguration(ssrc: ssrc, payloadType: 100, clockRate: 48_000, kind: .audio))
                }
                return Pair(
                    server: far, client: near, mux: mux, counter: counter,
                    connected: counter.connected.futureResult.and(own.connected.futureResult).map { _ in })
            }
            .flatMap { pair in pair.connected.map { @Sendable _ in pair } }
    }

    private static func makeFlow(_ mux: UDPMux, _ role: ICERole, _ handler: FlowRecord?) throws -> PeerFlow {
        let configuration = PeerConfiguration(iceRole: role, certificate: try DTLSCertificate.generate())
        let flow = try #require(mux.makeFlow(configuration: configuration, handler: handler))
        flow.perform { peer, _, _ in peer.addLocalCandidate(mux.localAddress) }
        return flow
    }

    private static func introduce(_ flow: PeerFlow, to other: PeerFlow, role: DTLSRole) {
        let candidate = other.peer.localCandidates[0].sdp(ufrag: other.peer.localCredentials.ufrag)
        let (credentials, fingerprint) = (other.peer.localCredentials, other.peer.localFingerprint)
        flow.perform { peer, outbox, now in
            peer.setRemote(credentials: credentials, fingerprint: fingerprint, dtlsRole: role, now: now, into: outbox)
            peer.addRemoteCandidate(candidate, now: now, into: outbox)
        }
    }

    private static func send(_ count: Int, from flow: PeerFlow, ssrc: UInt32) {
        for number in 0..<count {
            flow.perform { peer, outbox, now in
                [UInt8(truncatingIfNeeded: number)].withUnsafeBytes {
                    _ = peer.send(
                        ssrc: ssrc, marker: false, timestamp: UInt32(number) * 960, extensions: RTPExtensions(),
                        payload: $0, now: now, into: outbox)
                }
            }
        }
    }

    /// An intact check for `flow`, as somebody who reads the network gets hold of it.
    private static func capturedCheck(for flow: PeerFlow) throws -> [UInt8] {
        // The other side's agent makes it: a second one with the same credentials.
        var configuration = PeerConfiguration(iceRole: .controlling, certificate: try DTLSCertificate.generate())
        configuration.iceCredentials = flow.peer.remoteCredentials
        var peer = Peer(configuration: configuration, now: MonotonicClock.now())
        let outbox = Outbox()
        peer.addLocalCandidate(TransportAddress(ipv4: 0x7f00_0001, port: 9))
        let candidate = flow.peer.localCandidates[0].sdp(ufrag: flow.peer.localCredentials.ufrag)
        let now = MonotonicClock.now()
        peer.setRemote(
            credentials: flow.peer.localCredentials, fingerprint: flow.peer.localFingerprint, dtlsRole: .client,
            now: now, into: outbox)
        peer.addRemoteCandidate(candidate, now: now, into: outbox)
        peer.advance(to: now, into: outbox)
        return Array(outbox.bytes(of: try #require(outbox.datagrams.first)))
    }

    @Test func aRepeatedCheckDoesNotTakeAnothersAddress() async throws {
        let loop = try DatagramLoop()
        let server = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        let victim = try await loop.flatSubmit { Self.pair(server, ssrc: 1) }.get()
        let other = try await loop.flatSubmit { Self.pair(server, ssrc: 2) }.get()
        try await loop.submit {
            let requests = other.server.peer.iceStatistics.requestsReceived
            let check = try Self.capturedCheck(for: other.server)
            for _ in 0..<3 {
                var bytes = check
                server.inBatch { now, _ in
                    let arrival = DatagramArrival(
                        source: victim.mux.localAddress, base: server.localAddress, now: now, time: now)
                    bytes.withUnsafeMutableBytes { server.receive($0, arrival) }
                }
            }
            // The check is a good one, and yet the address stays with the one who has it.
            let received = other.server.peer.iceStatistics.requestsReceived
            #expect(received == requests + 3)
            let trusts = other.server.peer.trusts(victim.mux.localAddress)
            #expect(trusts)
            Self.send(20, from: victim.client, ssrc: 1)
            Self.send(20, from: other.client, ssrc: 2)
        }.get()
        try await loop.flatSubmit { victim.counter.until(20).and(other.counter.until(20)).map { _ in } }.get()
        #expect(try await loop.submit { server.statistics.reboundAddresses }.get() == 0)
        for mux in [victim.mux, other.mux, server] { try await mux.close().get() }
        try await loop.shutdownGracefully()
    }

    /// Behind a NAT, or where a client begins anew on its port, the address has another owner: it proves itself by
    /// answering our checks.
    @Test func anAddressThatHasChangedHandsIsFollowed() async throws {
        let loop = try DatagramLoop()
        let server = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        let first = try await loop.flatSubmit { Self.pair(server, ssrc: 1) }.get()
        let address = first.mux.localAddress
        try await first.mux.close().get()
        #expect(try await loop.submit { server.flowCount }.get() == 1)
        let second = try await loop.flatSubmit { Self.pair(server, port: Int(address.port), ssrc: 2) }.get()
        try await loop.submit {
            #expect(second.mux.localAddress == address)
            Self.send(20, from: second.client, ssrc: 2)
        }.get()
        try await loop.flatSubmit { second.counter.until(20) }.get()
        #expect(try await loop.submit { server.statistics.reboundAddresses }.get() == 1)
        #expect(try await loop.submit { first.counter.arrivals.count }.get() == 0)
        for mux in [second.mux, server] { try await mux.close().get() }
        try await loop.shutdownGracefully()
    }

    /// A server checks as soon as it can, and the client answers before it knows whom to check itself: with a round trip on
    /// the way, or a slow signalling connection, that answer is the first thing that comes from its address.
    @Test func anAnswerThatIsAheadOfItsSendersFirstCheckIsHeard() async throws {
        let loop = try DatagramLoop()
        let server = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        var settings = UDPMuxConfiguration()
        settings.isExclusive = true
        let client = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0, configuration: settings).get()
        let (near, far, records) = try await loop.submit {
            let records = (FlowRecord(server.eventLoop), FlowRecord(server.eventLoop))
            let near = try Self.makeFlow(client, .controlling, records.0)
            let far = try Self.makeFlow(server, .controlled, records.1)
            Self.introduce(far, to: near, role: .server)
            return (near, far, records)
        }.get()
        while try await loop.submit({ server.statistics.datagramsReceived }).get() == 0 {}
        try await loop.submit {
            let statistics = far.peer.iceStatistics
            #expect(statistics.answered == 1 && statistics.checksRetransmitted == 0)
            #expect(server.statistics.unknownSource == 0)
            let trusts = far.peer.trusts(client.localAddress)
            #expect(trusts)
            Self.introduce(near, to: far, role: .client)
        }.get()
        let both = records.0.connected.futureResult.and(records.1.connected.futureResult)
        _ = try await both.map { _ in }.get()
        // Somebody else's answers are nobody's.
        try await loop.submit {
            let fresh = try Self.makeFlow(server, .controlled, nil)
            Self.introduce(fresh, to: near, role: .server)
            var response = [UInt8](repeating: 0, count: 20)
            (response[0], response[1], response[19]) = (1, 1, 7)
            server.inBatch { now, _ in
                let source = TransportAddress(ipv4: 0x7f00_0001, port: 9)
                let arrival = DatagramArrival(source: source, base: server.localAddress, now: now, time: now)
                response.withUnsafeMutableBytes { server.receive($0, arrival) }
            }
            #expect(server.statistics.unknownSource == 1)
        }.get()
        for mux in [client, server] { try await mux.close().get() }
        try await loop.shutdownGracefully()
    }
}
