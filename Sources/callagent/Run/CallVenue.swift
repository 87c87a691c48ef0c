import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import OpenTokSignalling
import ProviderFake
import ProviderLiveKitLike
import ProviderOpenTokLike
import RTCSim

/// Where the call of `callagent call` takes place: through which provider, and in which time.
protocol CallVenue: Sendable {
    /// The provider, as descriptors name it.
    var provider: ProviderKind { get }
    /// Where times are read from.
    var clock: MediaClock { get }
    /// How participant `identity` finds and enters the room.
    func configuration(for identity: String, room: String) -> CallBridge.Configuration
    /// Lets time go by.
    func pass(seconds: Double) async
    /// The call is over.
    func close() async
}

/// The providers that `callagent call` knows, by the names of its command line.
enum CallProviderName: String, CaseIterable {
    case liveKitLike = "livekit"
    case openTokLike = "opentok"
    case mixed
    case fake

    /// Reads a name, in any case; nil for an unknown one.
    init?(argument: String) { self.init(rawValue: argument.lowercased()) }

    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// A room of a server that speaks LiveKit's protocol, in the machine's time.
struct LiveKitLikeVenue: CallVenue {
    let server: String
    let key: String
    let secret: String
    let mode: LiveKitLikeProvider.Mode
    let provider = ProviderKind.liveKit
    let clock = MediaClock.system

    func configuration(for identity: String, room: String) -> CallBridge.Configuration {
        let token = AccessToken.join(
            room: room, identity: identity, key: key, secret: secret, now: Int64(Date().timeIntervalSince1970))
        let descriptor = CallDescriptor(
            callId: room, conversationId: room, provider: provider, serviceProviderCallId: room, endpoint: server,
            credentials: .init(token: token))
        return CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.liveKitLike(mode: mode)])
    }

    func pass(seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }

    func close() async {}
}

/// A session of a server that speaks the OpenTok-style dialect, in the machine's time.
struct OpenTokLikeVenue: CallVenue {
    let server: String
    let key: String
    let secret: String
    let provider = ProviderKind.openTok
    let clock = MediaClock.system
    let session: OpenTokSessionID

    /// - Parameter server: the API's URL; that of signalling is the same with another scheme.
    init(server: String, key: String, secret: String, mode: MediaMode) {
        self.server = server.hasPrefix("ws") ? "http" + server.dropFirst(2) : server
        self.key = key
        self.secret = secret
        session = OpenTokSessionID(
            project: key, mediaMode: mode, createdAt: Int64(Date().timeIntervalSince1970 * 1000))
    }

    func configuration(for identity: String, room: String) -> CallBridge.Configuration {
        let descriptor = CallDescriptor(
            callId: room, conversationId: room, provider: provider, serviceProviderCallId: session.text,
            endpoint: server,
            credentials: .init(
                token: OpenTokAccess.token(key: key, secret: secret, session: session.text, identity: identity)))
        return CallBridge.Configuration(descriptors: FixedDescriptorSource(descriptor), providers: [.openTokLike])
    }

    func pass(seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }

    func close() async {}
}

/// One room of a server in two dialects: every other participant comes by LiveKit's protocol, the rest into the same room as
/// a session.
struct MixedVenue: CallVenue {
    let liveKit: LiveKitLikeVenue
    let openTok: OpenTokLikeVenue
    let provider = ProviderKind(rawValue: "LIVEKIT+OPENTOK")
    let clock = MediaClock.system

    func configuration(for identity: String, room: String) -> CallBridge.Configuration {
        let index = CallRun.names.firstIndex(of: identity) ?? 0
        return index % 2 == 0
            ? liveKit.configuration(for: identity, room: openTok.session.text)
            : openTok.configuration(for: identity, room: room)
    }

    func pass(seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }

    func close() async {}
}

/// Tokens of the OpenTok-style dialect.
enum OpenTokAccess {
    /// Lets somebody publish and subscribe for a day; nil where it can't be made: key or session are none.
    static func token(
        key: String, secret: String, session: String, identity: String, role: OpenTokRole = .publisher
    ) -> String? {
        try? OpenTokToken(
            project: key, sessionID: session, role: role, created: Int64(Date().timeIntervalSince1970),
            connectionData: identity
        ).signed(secret: secret)
    }
}

/// A simulated server and network, with real codecs and packets, in virtual time.
struct FakeVenue: CallVenue {
    let world: FakeWorld
    let provider = ProviderKind.fake
    var clock: MediaClock { world.clock }

    /// - Parameters:
    ///   - network: everybody's; nil for the simulation's own of 10 ms.
    ///   - own: of those who have another one.
    init(network: NetworkProfile?, own: [String: NetworkProfile] = [:]) async throws {
        world = try FakeWorld(seed: network?.seed ?? own.values.first?.seed ?? 1)
        if let network { await world.setNetwork(up: network.up.conditions, down: network.down.conditions) }
        for (name, network) in own {
            await world.setNetwork(up: network.up.conditions, down: network.down.conditions, of: name)
        }
    }

    func configuration(for identity: String, room: String) -> CallBridge.Configuration {
        let descriptor = CallDescriptor(
            callId: room, conversationId: room, provider: provider, serviceProviderCallId: room,
            endpoint: "fake:world?identity=\(identity)", credentials: .init(token: nil))
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.fake(world)])
        configuration.clock = world.clock
        return configuration
    }

    func pass(seconds: Double) async { await world.pass(milliseconds: Int((seconds * 1000).rounded(.up))) }

    func close() async { await world.close() }
}
