import Glibc
import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Names looked up over sockets, with a responder on the loopback interface.
@Suite(.timeLimit(.minutes(10))) struct MulticastLookupTests {
    private static let name = "0a1b2c3d-4e5f-4678-9abc-def012345678.local"
    private static let address = TransportAddress(ipv4: 0x7f00_0009, port: 0)

    /// How a responder answers.
    enum Way: Sendable, CaseIterable {
        /// To the port that has asked, as RFC 6762 section 6.7 wants it.
        case unicast
        /// To the group, as browsers do.
        case multicast
    }

    /// Answers for one name. Touched on its loop only.
    private final class Responder: DatagramSource, @unchecked Sendable {
        private let loop: DatagramLoop
        private let way: Way
        private let listening: MulticastSocket
        private let speaking: MulticastSocket
        private var token: UInt64 = 0

        init(_ way: Way, on loop: DatagramLoop) throws {
            self.loop = loop
            self.way = way
            let interface = if_nametoindex("lo")
            listening = try MulticastSocket(group: MDNSResolver.groups[0], interface: interface, listening: true)
            speaking = try MulticastSocket(group: MDNSResolver.groups[0], interface: interface, listening: false)
            token = try loop.add(listening.descriptor, self)
        }

        func socketIsReadable() {
            let count = loop.receiver.read(listening.descriptor)
            loop.receiver.forEach(count) { bytes, source, _ in
                let raw = UnsafeRawBufferPointer(bytes)
                guard let query = try? DNSMessage(parsing: raw.bytes), let question = query.questions.first,
                    let name = DNSName(MulticastLookupTests.name), question.name == name
                else { return }
                var answer = DNSMessage()
                answer.flags = DNSMessage.response | DNSMessage.authoritative
                answer.answers = [DNSRecord(name, .address(MulticastLookupTests.address))]
                answer.encoded.withUnsafeBytes { send($0, source) }
            }
        }

        func socketIsWritable() {}

        private func send(_ bytes: UnsafeRawBufferPointer, _ source: TransportAddress) {
            guard way == .unicast else { return speaking.ask(bytes) }
            _ = source.socketAddress.withSockAddr {
                sendto(speaking.descriptor, bytes.baseAddress, bytes.count, 0, $0, socklen_t($1))
            }
        }

        func close() {
            loop.remove(listening.descriptor, token: token)
            listening.close()
            speaking.close()
        }
    }

    /// The lookup, on its loop only.
    private final class Asking: @unchecked Sendable {
        let lookup: MulticastLookup

        init(_ mux: UDPMux) { lookup = MulticastLookup(mux) }
    }

    private static func withLookup(_ body: (DatagramLoop, Asking) async throws -> Void) async throws {
        let loop = try DatagramLoop()
        let mux = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0, configuration: UDPMuxConfiguration())
            .get()
        try await body(loop, try await loop.submit { Asking(mux) }.get())
        try await mux.close().get()
        try await loop.shutdownGracefully()
    }

    private static func resolve(_ name: String, _ asking: Asking, on loop: DatagramLoop) async throws
        -> TransportAddress?
    {
        let name = try #require(HiddenHostName(name))
        return try await loop.flatSubmit {
            let promise = loop.makePromise(of: TransportAddress?.self)
            asking.lookup.resolve(name) { promise.succeed($0) }
            return promise.futureResult
        }.get()
    }

    @Test(arguments: Way.allCases) func aNameIsFound(way: Way) async throws {
        try await Self.withLookup { loop, asking in
            let responder = try await loop.submit { try Responder(way, on: loop) }.get()
            #expect(try await Self.resolve(Self.name, asking, on: loop) == Self.address)
            // The second time nobody has to be asked.
            let first = try await loop.submit { asking.lookup.statistics }.get()
            #expect(try await Self.resolve(Self.name.uppercased(), asking, on: loop) == Self.address)
            let counted = try await loop.submit { asking.lookup.statistics }.get()
            #expect(counted.queriesSent == first.queriesSent && counted.resolved == 1 && counted.queriesSent >= 1)
            try await loop.submit { responder.close() }.get()
        }
    }

    /// Its time is over after 5 s, whoever else answers for other names.
    @Test func aNameThatNobodyHasIsGivenUp() async throws {
        try await Self.withLookup { loop, asking in
            let responder = try await loop.submit { try Responder(.unicast, on: loop) }.get()
            let begun = MonotonicClock.now()
            let nobody = "0a1b2c3d-4e5f-4678-9abc-000000000000.local"
            #expect(try await Self.resolve(nobody, asking, on: loop) == nil)
            #expect(MonotonicClock.now() - begun >= .seconds(5))
            let counted = try await loop.submit { asking.lookup.statistics }.get()
            #expect(counted.queriesSent == 3 && counted.unresolved == 1)
            try await loop.submit { responder.close() }.get()
        }
    }

    /// A candidate that comes again and again is not kept as often.
    @Test func whoWaitsForANameIsBounded() async throws {
        try await Self.withLookup { loop, asking in
            let name = try #require(HiddenHostName(Self.name))
            let refused = try await loop.submit {
                var refused = 0
                for _ in 0..<1000 { asking.lookup.resolve(name) { _ in refused += 1 } }
                asking.lookup.close()
                return refused
            }.get()
            #expect(refused == 984)
        }
    }
}
