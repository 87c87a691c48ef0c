import CallBridge
import CallServer
import MediaCore
import NIOCore
import NIOPosix
import Testing

@testable import ProviderLiveKitLike

/// Clients of either family reach a server by whatever address it is bound to.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AddressFamilyTests {
    struct Course: Sendable, CustomTestStringConvertible {
        var bind: String
        /// Of the one who speaks and the one who listens.
        var hosts: [String]

        var testDescription: String { "\(bind) from \(hosts.joined(separator: " and "))" }
    }

    private static let hasIPv6: Bool = {
        let interfaces = (try? System.enumerateDevices()) ?? []
        return interfaces.contains { $0.address?.ipAddress == "::1" }
    }()

    private static let courses: [Course] = {
        let old = [
            Course(bind: "127.0.0.1", hosts: ["127.0.0.1", "127.0.0.1"]),
            Course(bind: "0.0.0.0", hosts: ["127.0.0.1", "127.0.0.1"]),
        ]
        let new = [
            Course(bind: "::1", hosts: ["[::1]", "[::1]"]), Course(bind: "::", hosts: ["[::1]", "127.0.0.1"]),
            Course(bind: "::", hosts: ["127.0.0.1", "[::1]"]), Course(bind: "::", hosts: ["[::1]", "[::1]"]),
        ]
        return hasIPv6 ? old + new : old
    }()

    private static func join(_ host: String, port: Int, _ identity: String) async throws -> (CallBridge, Call) {
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "c", provider: .liveKit, serviceProviderCallId: "room",
            endpoint: "ws://\(host):\(port)", credentials: .init(token: CallHouse.token(identity)))
        let bridge = CallBridge(
            configuration: .init(
                descriptors: FixedDescriptorSource(descriptor), providers: [.liveKitLike(mode: .singleConnection)]))
        return (bridge, try await bridge.join(conversation: "c"))
    }

    @Test(arguments: courses) func soundGetsThrough(course: Course) async throws {
        var configuration = CallHouse.configuration()
        configuration.host = course.bind
        let server = CallServer(configuration: configuration)
        try await server.start()
        let (first, ada) = try await Self.join(course.hosts[0], port: server.port, "ada")
        try await ada.publish(.testTone(440))
        let (second, bob) = try await Self.join(course.hosts[1], port: server.port, "bob")
        var events = bob.events.makeAsyncIterator()
        let media = await events.first { event -> RemoteTrack? in
            if case .trackSubscribed(let media, _, _) = event { media } else { nil }
        }
        let sound = SoundWatch()
        try #require(media).attach(sound)
        await sound.seconds(0.5)
        #expect(abs(sound.hertz - 440) < 20)
        for bridge in [first, second] { await bridge.shutdown() }
        await server.stop()
    }

    @Test func addressesOfAnotherFamilyAreNamed() async throws {
        var configuration = CallHouse.configuration()
        configuration.host = "0.0.0.0"
        configuration.media.advertisedAddresses = ["2001:db8::1"]
        let server = CallServer(configuration: configuration)
        let error = await #expect(throws: CallServerError.self) { try await server.start() }
        #expect(error == .noMediaAddress("2001:db8::1"))
        await server.stop()
    }
}
