import Glibc
import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Which addresses a socket serves, and that a client of either family gets through.
@Suite(.timeLimit(.minutes(10))) struct DualStackTests {
    private static let hasIPv6: Bool = {
        let descriptor = socket(AF_INET6, CInt(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }()

    private static func connect(_ server: String, _ client: String, _ addresses: [String]) async throws {
        let loop = try DatagramLoop()
        let pair = try await MuxPair.connect(
            on: loop, serverHost: server, clientHost: client, addresses: addresses)
        try await loop.submit {
            for number in 0..<20 {
                pair.client.perform { MuxPair.send(number, ssrc: MuxPair.audio, &$0, $1, $2) }
            }
        }.get()
        try await loop.flatSubmit { pair.record.until(20) }.get()
        try await loop.submit {
            // The server knows at which of its addresses it is reached.
            let selected = pair.server.peer.selectedPair
            let local = try #require(selected).local
            let expected = try #require(TransportAddress(host: client, port: pair.muxes[0].localAddress.port))
            #expect(local == expected)
            let (unknown, asymmetric) = (
                pair.server.peer.iceStatistics.unknownBases, pair.client.peer.iceStatistics.asymmetricResponses
            )
            #expect(unknown == 0 && asymmetric == 0)
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0"]) func anIPv4ClientGetsThrough(server: String) async throws {
        try await Self.connect(server, "127.0.0.1", ["127.0.0.1"])
    }

    @Test(.enabled(if: hasIPv6), arguments: [("::1", "::1"), ("::", "::1"), ("::", "127.0.0.1")])
    func eitherFamilyGetsThrough(server: String, client: String) async throws {
        try await Self.connect(server, client, ["127.0.0.1", "::1"])
    }

    /// The kernel would answer from 127.0.0.1, and ICE would refuse that.
    @Test(arguments: hasIPv6 ? ["0.0.0.0", "::"] : ["0.0.0.0"]) func anAnswerComesFromTheAddressThatWasAsked(
        host: String
    ) async throws {
        let loop = try DatagramLoop()
        let second = try #require(TransportAddress(host: "127.0.0.2", port: 0))
        let pair = try await MuxPair.connect(
            on: loop, serverHost: host, addresses: ["127.0.0.1", "127.0.0.2"],
            told: { $0.low == second.low })
        try await loop.submit {
            let selected = pair.client.peer.selectedPair
            let remote = try #require(selected).remote
            #expect(remote.low == second.low)
            let asymmetric = pair.client.peer.iceStatistics.asymmetricResponses
            #expect(asymmetric == 0)
        }.get()
        try await pair.close()
        try await loop.shutdownGracefully()
    }

    @Test func anUnspecifiedAddressStandsForItsFamily() throws {
        let addresses = try ["192.0.2.1", "2001:db8::1", "127.0.0.1"].map {
            try #require(TransportAddress(host: $0, port: 0))
        }
        func served(_ bound: String) throws -> [String] {
            let bound = try #require(TransportAddress(host: bound, port: 7000))
            let bases = LocalBases(bound: bound, wanted: addresses)
            #expect(bases.addresses.allSatisfy { $0.port == 7000 })
            return bases.addresses.map(\.host)
        }
        #expect(try served("0.0.0.0") == ["192.0.2.1", "127.0.0.1"])
        #expect(try served("::") == ["192.0.2.1", "2001:db8::1", "127.0.0.1"])
        #expect(try served("192.0.2.9") == ["192.0.2.9"])
        let all = LocalBases(bound: TransportAddress(ipv4: 0, port: 1), wanted: [])
        #expect(!all.addresses.isEmpty && all.addresses.allSatisfy(\.isIPv4))
    }

    @Test func basesAndPathsBelongTogether() throws {
        let addresses = try ["192.0.2.1", "2001:db8::1"].map { try #require(TransportAddress(host: $0, port: 0)) }
        let bases = LocalBases(bound: TransportAddress(high: 0, low: 0, port: 9), wanted: addresses)
        for (index, base) in bases.addresses.enumerated() {
            #expect(bases.base(of: addresses[index]) == base)
            #expect(bases.source(ofPath: bases.path(of: base)) == base)
        }
        #expect(bases.base(of: TransportAddress(ipv4: 7, port: 0)) == bases.bound && bases.path(of: bases.bound) == 0)
        #expect(bases.source(ofPath: 0) == nil && bases.source(ofPath: 64) == nil && bases.source(ofPath: 0x7f) == nil)
        let many = (0..<100).map { TransportAddress(ipv4: 0x0a00_0001 + $0, port: 0) }
        #expect(LocalBases(bound: bases.bound, wanted: many).addresses.count == LocalBases.limit)
    }
}
