import CallBridge
import Logging
import MediaCore

/// One set of media connections: does what the machine wants, one thing after another, and passes on what they report.
actor MediaConnections {
    /// What they report, and what came of what they were asked to do.
    nonisolated let inputs: AsyncStream<MediaInput>
    private nonisolated let input: AsyncStream<MediaInput>.Continuation
    private nonisolated let actions: AsyncStream<MediaAction>.Continuation
    /// In the single mode this sends and receives; otherwise it only sends.
    private let publisher: MediaSession
    /// The connection that the server offers on; nil where one does both.
    private let subscriber: MediaSession?
    /// By the tracks' ids in signalling.
    private var senders: [String: MediaSession.Sender] = [:]
    /// Our data channels, where they could be opened.
    private var channels: [SessionChannel: DataChannel] = [:]
    private let logger: Logger

    init(_ joined: SessionJoiner.Joined, logger: Logger) {
        let (queue, actions) = AsyncStream.makeStream(of: MediaAction.self)
        (inputs, input) = AsyncStream.makeStream(of: MediaInput.self)
        self.actions = actions
        publisher = joined.publisher
        subscriber = joined.subscriber
        self.logger = logger
        Task { for await action in queue { await self.execute(action) } }
    }

    /// Does this after everything that was asked for before.
    nonisolated func perform(_ action: MediaAction) { actions.yield(action) }

    func statistics() async -> SessionStatistics {
        var result = await publisher.statistics()
        if let subscriber { result.add(await subscriber.statistics()) }
        return result
    }

    func close() async {
        actions.finish()
        await publisher.close()
        await subscriber?.close()
        input.finish()
    }

    // MARK: Actions

    private func execute(_ action: MediaAction) async {
        switch action {
        case .setServers(let servers):
            await servers.apply(to: publisher)
            if let subscriber { await servers.apply(to: subscriber) }
        case .prepareChannels(let isNegotiated): await prepareChannels(isNegotiated)
        case .createOffer, .setAnswer, .answer, .addCandidate, .addReceivers: await negotiate(action)
        case .addTrack, .removeTrack, .setActiveLayers: await change(action)
        case .askRoom(let kind):
            let buffered = await channels[kind]?.bufferedAmount() ?? 0
            let longest = await channels[kind]?.maximumMessageSize() ?? 0
            input.yield(.room(kind, buffered: buffered, longest: longest))
        case .put(let bytes, let kind):
            // A channel that fails meanwhile loses nothing that is numbered: the resume repeats it.
            do { try await channels[kind]?.send(bytes) } catch { log("data not sent", kind, error, .info) }
        }
    }

    private func negotiate(_ action: MediaAction) async {
        switch action {
        case .createOffer(let number, let restartingICE):
            do {
                let offer = try await publisher.createOffer(restartingICE: restartingICE)
                input.yield(.offerMade(number: number, sdp: offer.sdp))
            } catch {
                input.yield(.offerFailed(number: number, "\(error)"))
            }
        case .setAnswer(let answer):
            do {
                try await publisher.setAnswer(SessionDescription(kind: .answer, sdp: answer.sdp))
                input.yield(.answerTaken(answer))
            } catch {
                input.yield(.answerRefused(answer, "\(error)"))
            }
        case .answer(let offer):
            guard let subscriber else { return }
            do {
                let answer = try await subscriber.createAnswer(to: SessionDescription(kind: .offer, sdp: offer.sdp))
                input.yield(.answerMade(to: offer, sdp: answer.sdp))
            } catch {
                input.yield(.offerRefused("\(error)"))
            }
        case .addCandidate(let candidate, let side):
            let media = side == .subscriber ? subscriber ?? publisher : publisher
            try? await media.addRemoteCandidate(candidate)
        case .addReceivers(let audio, let video):
            do { try await publisher.addReceivers(audio: audio, video: video) } catch {
                input.yield(.sectionsRefused("\(error)"))
            }
        default: break
        }
    }

    private func change(_ action: MediaAction) async {
        switch action {
        case .addTrack(let track):
            do {
                senders[track.id] = try await publisher.addTrack(track)
                input.yield(.trackAdded(track.id))
            } catch {
                input.yield(.trackRefused(track.id, "\(error)"))
            }
        case .removeTrack(let id):
            if let sender = senders.removeValue(forKey: id) { try? await publisher.removeTrack(sender) }
        case .setActiveLayers(let rids, let id):
            if let sender = senders[id] { await publisher.setActiveLayers(rids, of: sender) }
        default: break
        }
    }

    // MARK: Data channels, and listening

    /// Opens our channels on the connection that we offer on: announced in-band, or by agreement where one connection
    /// does everything and the server is new enough. Then listens: what has been reported before waits.
    private func prepareChannels(_ isNegotiated: Bool) async {
        for kind in SessionChannel.allCases {
            do {
                channels[kind] = try await publisher.openDataChannel(kind.options(isNegotiated: isNegotiated))
            } catch {
                log("no data channel", kind, error, .warning)
            }
        }
        input.yield(.channelsPrepared(Set(channels.keys)))
        listen(to: publisher, .publisher)
        if let subscriber { listen(to: subscriber, .subscriber) }
    }

    private func log(
        _ text: Logger.Message, _ kind: SessionChannel, _ error: any Error, _ level: Logger.Level
    ) {
        logger.log(level: level, text, metadata: ["label": "\(kind.rawValue)", "reason": "\(error)"])
    }

    private func listen(to media: MediaSession, _ side: MediaSide) {
        let (channels, input) = (channels, input)
        media.handEvents { event in
            if let event, let event = MediaInput(event, side, channels) { input.yield(event) }
        }
    }
}

extension MediaInput {
    /// - Parameter channels: ours; the server may open others, whose messages count as well.
    fileprivate init?(_ event: MediaSessionEvent, _ side: MediaSide, _ channels: [SessionChannel: DataChannel]) {
        let kind = { (channel: DataChannel) in channels.first { $0.value == channel }?.key }
        switch event {
        case .dataChannelOpened(let channel):
            guard let kind = kind(channel) else { return nil }
            self = .channelOpened(kind)
        case .dataChannelClosed(let channel):
            guard let kind = kind(channel) else { return nil }
            self = .channelClosed(kind)
        case .dataChannelMessage(let channel, let bytes, _):
            guard let kind = SessionChannel(rawValue: channel.label) else { return nil }
            self = .received(bytes, kind)
        default: self = .event(event, side)
        }
    }
}
