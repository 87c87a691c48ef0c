import CallBridge
import LiveKitProtocol
import MediaCore

/// The loops that listen to the present socket and media connections.
extension LiveKitSession {
    /// Starts listening after the first join.
    func begin(_ response: Livekit_JoinResponse) async {
        _ = queue.open()
        adopt(response)
        for participant in response.otherParticipants { applyParticipant(participant) }
        if response.hasRoom { report.yield(.roomUpdated(RoomInfo(response.room))) }
        await openDataChannels(response.serverInfo)
        await beginMedia(response)
    }

    /// Listens to the media connections of a join, and offers what belongs at its beginning.
    func beginMedia(_ response: Livekit_JoinResponse) async {
        // With one connection the offer came with the request to join.
        if let offer = await publisher.lastOffer { described(.publisher, offer) }
        listen()
        listenToMedia()
        watchAnswer()
        await offerEarly(response)
    }

    /// With two connections a server that publishes fast wants our offer before there is anything to send.
    func offerEarly(_ response: Livekit_JoinResponse) async {
        guard !isSingle, response.fastPublish else { return }
        do { try await negotiate() } catch { logger.warning("no early offer", metadata: ["reason": "\(error)"]) }
    }

    /// What a join response says for later.
    func adopt(_ response: Livekit_JoinResponse) {
        local = response.participant
        ping = PingClock(response, now: clock.now)
        lifecycle.mayResume = response.clientConfiguration.resumeConnection != .disabled
        isRelayOnly = ICEWishes(response).relayOnly
        addresses.adopt(alternative: response.alternativeURL)
        if !response.sifTrailer.isEmpty {
            joiner.context.media.frameEncryption?.setInjectionTrailer(Array(response.sifTrailer))
        }
    }

    /// Reads the present socket, and pings at once and from then on.
    func listen() {
        stopListening()
        let number = signalNumber
        let messages = signal.messages
        let interval = ping.interval
        ping.heard(now: clock.now)
        // Ends with the socket, and not before it has handed on everything that had come.
        Task { [weak self] in
            for await message in messages { await self?.handle(message, from: number) }
            await self?.signalClosed(number)
        }
        pinger = Task { [weak self, clock] in
            while !Task.isCancelled {
                await self?.ping(on: number)
                try? await clock.wait(seconds: interval)
            }
        }
    }

    /// What the present socket still brings is late from now on.
    func stopListening() {
        signalNumber += 1
        pinger?.cancel()
        pinger = nil
    }

    /// Listens to the present media connections.
    func listenToMedia() {
        mediaNumber += 1
        mediaTasks = [listen(to: publisher.media, as: .publisher, number: mediaNumber)]
        if let subscriber { mediaTasks.append(listen(to: subscriber, as: .subscriber, number: mediaNumber)) }
    }

    private func listen(to media: MediaSession, as side: MediaPaths.Side, number: Int) -> Task<Void, Never> {
        Task { [weak self] in
            for await event in media.events { await self?.handle(event, side, number) }
        }
    }

    private func signalClosed(_ number: Int) async {
        guard number == signalNumber, !hasEnded else { return }
        await lost(.signal, "the server closed the signalling connection")
    }

    private func ping(on number: Int) async {
        guard number == signalNumber, !hasEnded else { return }
        let now = clock.now
        guard !ping.isLost(now: now) else {
            return await lost(.pingTimeout, "the server did not answer for \(Int(ping.timeout)) s")
        }
        send { $0.pingReq = ping.message(now: now) }
    }

    private func handle(_ message: Livekit_SignalResponse, from number: Int) async {
        guard !hasEnded else { return }
        guard number == signalNumber else { return await handleLate(message) }
        ping.heard(now: clock.now)
        await handle(message)
    }

    /// What came on a socket before we gave it up. That the server has ended our participation holds all the same; that it
    /// agrees to our own leaving, which makes room for the next session, is no such word.
    private func handleLate(_ message: Livekit_SignalResponse) async {
        guard case .leave(let leave) = message.message, leave.isFinal, leave.reason != .clientInitiated else { return }
        await handle(message)
    }
}
