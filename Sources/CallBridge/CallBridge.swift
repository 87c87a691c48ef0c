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
        /// Threads to share with other bridges; nil gives the bridge an engine of its own, which `shutdown` stops.
        public var engine: MediaEngine?
        /// How media sessions are set up.
        public var media = MediaSessionConfiguration()
        /// How media follows what is looked at.
        public var streaming = StreamingOptions()
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
        public init(server: String, credentials: ServiceCredentials, providers: [ProviderRegistration]) {
            self.init(
                descriptors: ServerDescriptorSource(server: server, credentials: credentials), providers: providers)
        }
    }

    private let configuration: Configuration
    private let engine: MediaEngine
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
        let begun = MediaTime.now
        let descriptor = try await configuration.descriptors.descriptor(conversation: conversation, identity: identity)
        return try await join(descriptor, subscribesAutomatically: subscribesAutomatically, begun: begun)
    }

    /// Joins the call that a descriptor names. Throws `CallError`.
    public func join(_ descriptor: CallDescriptor, subscribesAutomatically: Bool = true) async throws -> Call {
        try await join(descriptor, subscribesAutomatically: subscribesAutomatically, begun: .now)
    }

    private func join(
        _ descriptor: CallDescriptor, subscribesAutomatically: Bool, begun: MediaTime
    ) async throws -> Call {
        let provider = try configuration.providers.provider(for: descriptor.provider)
        var logger = configuration.logger
        logger[metadataKey: "call"] = "\(descriptor.callId)"
        let context = ProviderContext(
            engine: engine, media: configuration.media, subscribesAutomatically: subscribesAutomatically,
            streaming: configuration.streaming, logger: logger)
        let session = try await provider.connect(descriptor, context: context)
        let call = Call(
            descriptor: descriptor, session: session, local: await session.localParticipant, begun: begun,
            logger: logger)
        await call.start()
        return call
    }

    /// Stops the threads that the bridge made. Calls must have been left.
    public func shutdown() async {
        if ownsEngine { await engine.shutdown() }
    }
}
