import CCallBridge
import ClientCore
import ProviderLiveKitLike
import ProviderOpenTokLike
import Synchronization

/// A client of a conversation service behind a handle.
final class ABIClient: Sendable {
    /// What a client is made from.
    struct Options: Sendable {
        var role: Int32
        var url: String
        var apiKey: String
        var token: String
        var name: String
        var secret: String?
        /// Who is rung, and on which device.
        var device: RingDevice?
    }

    let client: CallClient
    private let callbacks: ClientCallbacks
    private let canCall: Bool
    private let rings: ABIRings?
    private let reading: Task<Void, Never>

    /// Throws what can't be used of the options.
    init(_ options: Options, _ callbacks: ClientCallbacks) throws {
        var configuration = ClientConfiguration(serverURL: options.url, apiKey: options.apiKey)
        configuration.displayName = options.name
        var environment = ClientEnvironment(
            tokens: StaticTokenSource(ClientToken(options.token)), links: FixedLinkHandler(.block))
        let credentials = options.secret.map { ServiceCredentials.apiKey(options.apiKey, secret: $0) }
        if let credentials {
            var calls = CallBridge.Configuration(
                descriptors: ServerDescriptorSource(server: options.url, credentials: credentials),
                providers: [.liveKitLike, .openTokLike])
            calls.engine = ABICall.engine
            calls.logger.logLevel = .warning
            try environment.modules.register(CallModule(calls))
        }
        let client =
            try options.role == CALLBRIDGE_AGENT
            ? CallClient.agent(configuration, environment) : CallClient.visitor(configuration, environment)
        self.client = client
        self.callbacks = callbacks
        canCall = credentials != nil
        if let credentials, let device = options.device {
            rings = ABIRings(client, server: options.url, credentials, device, name: options.name, callbacks)
        } else {
            rings = nil
        }
        let events = client.events
        reading = Task { for await event in events { callbacks.tell(event) } }
    }

    // MARK: Life

    func start() throws {
        try blocking { [client, rings] in
            try await client.start()
            do { try await rings?.start() } catch {
                await client.stop()
                throw error
            }
        }
    }

    func stop() { try? blocking { [client, rings] in await Self.stop(client, rings) } }

    private static func stop(_ client: CallClient, _ rings: ABIRings?) async {
        await rings?.stop()
        await client.stop()
    }

    /// Stops without waiting for it; tells nothing more.
    func destroy() {
        Task { [client, rings, reading] in
            await Self.stop(client, rings)
            reading.cancel()
        }
        callbacks.close()
    }

    func ask<Value: Sendable>(_ body: @escaping @Sendable (CallClient) async throws -> Value) throws -> Value {
        try blocking { [client] in try await body(client) }
    }

    // MARK: Calls

    /// Throws where calls can't be made.
    func requireCalls() throws {
        guard canCall else { throw ABIError.state("the client has no secret, and makes no calls; create it with one") }
    }

    /// Whoever rings and is rung here. Throws where nobody is.
    func requireRings() throws -> ABIRings {
        try requireCalls()
        guard let rings else {
            throw ABIError.state("the client has no identity, and nobody is rung here; create it with one and a device")
        }
        return rings
    }

    func join(_ conversation: String, isVideo: Bool, _ callbacks: Callbacks) -> ABICall {
        ABICall(callbacks) { [client] in try await client.join(conversation, isVideo: isVideo) }
    }
}

extension CallClient {
    /// Starts or joins the call of a conversation.
    func join(_ conversation: String, isVideo: Bool) async throws -> Call {
        try await isVideo ? startVideoCall(in: conversation) : startAudioCall(in: conversation)
    }
}
