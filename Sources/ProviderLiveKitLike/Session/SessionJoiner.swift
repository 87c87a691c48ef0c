import CallBridge
import CallModel
import LiveKitProtocol
import MediaCore

/// Joins a room: signalling in the mode that the server knows, and the media connections that belong to it.
struct SessionJoiner: Sendable {
    /// What a join gives.
    struct Joined: Sendable {
        /// Where it answered.
        var server: SignalTarget
        var signal: SignalConnection
        var session: JoinedSession
        /// The connection that we offer on.
        var publisher: MediaSession
        /// The connection that the server offers on; nil where one connection does both.
        var subscriber: MediaSession?
    }

    let context: ProviderContext
    /// Asks for one connection first; else for two.
    let triesSingle: Bool
    /// Asks for two connections where the server knows no single one.
    let fallsBack: Bool
    let timeouts: SessionTimeouts
    /// The time of day, for what messages say of it.
    var wallClock: @Sendable () -> CallTime = { .now }

    /// The session's wishes, as every request repeats them.
    var request: ClientIdentity.Request {
        ClientIdentity.Request(
            autoSubscribe: context.subscribesAutomatically, adaptiveStream: context.streaming.adaptiveStream)
    }

    /// What a session is to be like.
    func settings(_ policy: ReconnectPolicy) -> SignallingSettings {
        SignallingSettings(
            timeouts: timeouts, policy: policy, subscribesAutomatically: context.subscribesAutomatically,
            streaming: context.streaming, knowsListeners: context.knowsListeners,
            encryption: context.media.frameEncryption)
    }

    /// Joins; where nobody answers properly it is tried again `retries` times.
    func join(_ server: SignalTarget, token: String, retries: Int) async throws(JoinFailure) -> Joined {
        for _ in 0..<retries {
            do throws(JoinFailure) {
                return try await joinOnce(server, token: token)
            } catch {
                guard error.kind == .retryable else { throw error }
            }
            try? await context.clock.wait(seconds: 0.05)
        }
        do throws(JoinFailure) {
            return try await joinOnce(server, token: token)
        } catch {
            guard error.kind == .retryable, let joined = await joinElsewhere(server, token: token) else { throw error }
            return joined
        }
    }

    /// In the first region that lets us in, where the server belongs to LiveKit Cloud.
    private func joinElsewhere(_ server: SignalTarget, token: String) async -> Joined? {
        for region in await CloudRegions.targets(of: server, token: token, timeout: timeouts.regions) {
            context.logger.info("joining in another region", metadata: ["server": "\(region.authority)"])
            if let joined = try? await joinOnce(region, token: token) { return joined }
        }
        return nil
    }

    private func joinOnce(_ server: SignalTarget, token: String) async throws(JoinFailure) -> Joined {
        guard triesSingle else { return try await join(server, token: token, single: false) }
        do throws(JoinFailure) {
            return try await join(server, token: token, single: true)
        } catch {
            guard error.kind == .unknownPath, fallsBack else { throw error }
        }
        return try await join(server, token: token, single: false)
    }

    private func join(_ server: SignalTarget, token: String, single: Bool) async throws(JoinFailure) -> Joined {
        let first = try await openMedia(server, isAnswerer: false)
        do throws(JoinFailure) {
            return try await join(server, token: token, single: single, first: first)
        } catch {
            await first.close()
            throw error
        }
    }

    private func join(
        _ server: SignalTarget, token: String, single: Bool, first: MediaSession
    ) async throws(JoinFailure) -> Joined {
        let offer = single ? try await firstOffer(on: first) : nil
        let query = try single ? singleQuery(request, offer) : ClientIdentity.query(request)
        let opener = SignalOpener(timeouts: timeouts, clock: context.clock)
        let signal = try await opener.open(server, single: single, query: query, token: token)
        let response = try await opener.first(on: signal, of: server, what: "join response") { message in
            if case .join(let join) = message { join } else { nil }
        }
        do throws(JoinFailure) {
            let second = single ? nil : try await openMedia(server, isAnswerer: true)
            let servers = ICESettings(response)
            await servers.apply(to: first)
            if let second { await servers.apply(to: second) }
            return Joined(
                server: server, signal: signal, session: JoinedSession(response: response, offer: offer),
                publisher: first, subscriber: second)
        } catch {
            signal.abandon()
            throw error
        }
    }

    /// One connection offers at once: three lines to receive sound on and three for pictures, as LiveKit's clients do.
    private func firstOffer(on media: MediaSession) async throws(JoinFailure) -> Livekit_SessionDescription {
        do {
            // The data channels themselves are opened when the server has said how.
            let sdp = try await media.createOffer(receivingAudio: 3, video: 3).sdp
            return .with {
                $0.type = "offer"
                $0.id = 1
                $0.sdp = sdp
            }
        } catch {
            throw noOffer(error)
        }
    }

    private func singleQuery(
        _ request: ClientIdentity.Request, _ offer: Livekit_SessionDescription?
    ) throws(JoinFailure) -> [(String, String)] {
        do { return try ClientIdentity.joinRequest(request, offer: offer) } catch { throw noOffer(error) }
    }

    private func noOffer(_ error: any Error) -> JoinFailure {
        JoinFailure(.refused(status: 0), CallError(.environment, .mediaUnavailable, "no offer can be made: \(error)"))
    }

    /// Opens a socket on which the session goes on.
    func resume(
        _ attempt: SignallingOutput.Attempt, _ resumption: ClientIdentity.Request.Resumption, single: Bool
    ) async throws(JoinFailure) -> (SignalConnection, Livekit_ReconnectResponse) {
        var request = self.request
        request.resuming = resumption
        let query = try single ? singleQuery(request, nil) : ClientIdentity.query(request)
        let opener = SignalOpener(timeouts: timeouts, clock: context.clock)
        let signal = try await opener.open(attempt.server, single: single, query: query, token: attempt.token)
        let response = try await opener.first(on: signal, of: attempt.server, what: "reconnect response") { message in
            if case .reconnect(let response) = message { response } else { nil }
        }
        return (signal, response)
    }

    private func openMedia(_ server: SignalTarget, isAnswerer: Bool) async throws(JoinFailure) -> MediaSession {
        var configuration = context.media
        configuration.remoteHint = configuration.remoteHint ?? server.host
        configuration.isAnswerer = isAnswerer
        do {
            return try await MediaSession(engine: context.engine, configuration: configuration)
        } catch {
            // While the network is away no address leads to the server; it may come back.
            throw JoinFailure(.retryable, CallError(.environment, .mediaUnavailable, "\(error)"))
        }
    }
}
