import Foundation
import Logging
public import MediaCore

/// Places calls: asks the server which provider carries a call, and joins through that provider.
///
///     let bridge = CallBridge(configuration: .init(server: url, credentials: credentials, providers: [.liveKitLike]))
///     let call = try await bridge.join(conversation: "support-42", as: "ada")
public final class CallBridge: Sendable {
    /// What a bridge is made from. The bridge keeps a copy.
    public struct Configuration: Sendable {
        /// Where descriptors come from.
        public var descriptors: any CallDescriptorSource
        /// The installed providers.
        public var providers: ProviderRegistry
        /// What happens when the provider that the server names can't carry the call.
        public var failover = FailoverPolicy.none
        /// The named area that this application belongs to; the server's configuration may differ by it.
        public var namedArea: String?
        /// The clock that calls read their times from: the machine's, unless everything is simulated.
        public var clock = MediaClock.system
        /// Threads to share with other bridges; nil gives the bridge an engine of its own, which `shutdown` stops.
        public var engine: MediaEngine?
        /// How media sessions are set up.
        public var media = MediaSessionConfiguration()
        /// How media follows what is looked at.
        public var streaming = StreamingOptions()
        /// Whose certificates are believed, where signalling and TURN go over TLS, and which URLs are asked.
        public var trust = ServerTrust.system
        /// Where to log.
        public var logger = Logger(label: "callbridge")

        /// Descriptors from any source: a file, a fixed one, an application's own.
        public init(descriptors: any CallDescriptorSource, providers: [ProviderRegistration]) {
            self.descriptors = descriptors
            self.providers = ProviderRegistry(providers)
        }

        /// Descriptors from a server's configuration service.
        ///
        /// - Parameters:
        ///   - server: `http://` or `https://` URL of the service.
        ///   - credentials: how we identify ourselves to it.
        ///   - providers: the installed providers.
        ///   - trust: whose certificates are believed, by the service's client and by the providers.
        public init(
            server: String, credentials: ServiceCredentials, providers: [ProviderRegistration],
            trust: ServerTrust = .system
        ) {
            self.init(
                descriptors: ServerDescriptorSource(server: server, credentials: credentials, trust: trust),
                providers: providers)
            self.trust = trust
        }
    }

    private let configuration: Configuration
    let engine: MediaEngine
    private let ownsEngine: Bool

    /// A bridge with the given configuration.
    public init(configuration: Configuration) {
        self.configuration = configuration
        engine = configuration.engine ?? MediaEngine()
        ownsEngine = configuration.engine == nil
    }

    /// Joins a conversation's call and returns when the server has let us in.
    ///
    /// - Parameters:
    ///   - conversation: the conversation's id; the server knows or makes its call.
    ///   - identity: who we are; nil leaves it to the server's configuration.
    ///   - subscribesAutomatically: whether remote tracks are received as they appear.
    /// - Throws: `CallError`, which says whose fault it was.
    public func join(
        conversation: String, as identity: String? = nil, subscribesAutomatically: Bool = true
    ) async throws -> Call {
        try await join(conversation: conversation, as: identity, subscribesAutomatically, trust: nil)
    }

    /// The same for one of several clients that share the bridge.
    ///
    /// - Parameter trust: the client's; its policy holds beside the bridge's, and it fills what the bridge leaves open.
    package func join(
        conversation: String, as identity: String?, _ subscribesAutomatically: Bool = true, trust: ServerTrust?
    ) async throws -> Call {
        let request = DescriptorRequest(
            conversation: conversation, identity: identity, area: configuration.namedArea)
        return try await join(nil, request, subscribesAutomatically, configuration.trust.filled(from: trust))
    }

    var logger: Logger { configuration.logger }

    func descriptor(conversation: String, identity: String?) async throws -> CallDescriptor {
        try await configuration.descriptors.descriptor(
            DescriptorRequest(conversation: conversation, identity: identity, area: configuration.namedArea))
    }

    /// Joins the call that a descriptor names. Throws `CallError`.
    ///
    /// Where the failover policy allows for another provider, its descriptor comes from the configured source.
    ///
    /// - Parameter identity: who we are, where the source is to be asked.
    public func join(
        _ descriptor: CallDescriptor, as identity: String? = nil, subscribesAutomatically: Bool = true
    ) async throws -> Call {
        let request = DescriptorRequest(
            conversation: descriptor.conversationId, identity: identity, area: configuration.namedArea)
        return try await join(descriptor, request, subscribesAutomatically, configuration.trust)
    }

    private func join(
        _ descriptor: CallDescriptor?, _ request: DescriptorRequest, _ subscribesAutomatically: Bool,
        _ trust: ServerTrust
    ) async throws -> Call {
        let begun = configuration.clock.now
        let source = (configuration.descriptors as? any TrustingDescriptorSource)?.filled(from: trust)
        var placement = CallPlacement(
            source: source ?? configuration.descriptors, policy: configuration.failover,
            installed: configuration.providers.installed)
        let (descriptor, session) = try await placement.connect(descriptor, request) { descriptor in
            (descriptor, try await connect(descriptor, subscribesAutomatically, trust))
        }
        let call = Call(
            descriptor: descriptor, session: session, local: await session.localParticipant, begun: begun,
            clock: configuration.clock, providerChanges: placement.changes, logger: logger(descriptor))
        await call.start()
        return call
    }

    private func connect(
        _ descriptor: CallDescriptor, _ subscribesAutomatically: Bool, _ trust: ServerTrust
    ) async throws -> any ProviderSession {
        let provider = try configuration.providers.provider(for: descriptor.provider)
        do throws(URLRefusal) { try trust.roots.check(descriptor.endpoint) } catch { throw CallError(error) }
        var context = ProviderContext(
            engine: engine, media: configuration.media, subscribesAutomatically: subscribesAutomatically,
            streaming: configuration.streaming, logger: logger(descriptor))
        context.media.iceServers += descriptor.iceServers.map {
            SessionICEServer(urls: $0.urls, username: $0.username ?? "", credential: $0.credential ?? "")
        }
        var mediaTrust = trust.roots
        mediaTrust.rootsFile = context.media.trustedRoots ?? mediaTrust.rootsFile
        context.media.trustedRoots = mediaTrust.rootsFile
        context.media.trust = mediaTrust
        context.clock = configuration.clock
        context.trust = trust
        return try await provider.connect(descriptor, context: context)
    }

    private func logger(_ descriptor: CallDescriptor) -> Logger {
        var logger = configuration.logger
        logger[metadataKey: "call"] = "\(descriptor.callId)"
        return logger
    }

    /// Stops the threads that the bridge made. Calls must have been left.
    public func shutdown() async {
        if ownsEngine { await engine.shutdown() }
    }
}
