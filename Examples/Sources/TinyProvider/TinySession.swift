import CallBridge
import MediaCore

/// One member of a call. Messages of the exchange are taken one by one, in order.
actor TinySession: ProviderSession {
    nonisolated let events: AsyncStream<ProviderEvent>
    let localParticipant: Participant
    private let continuation: AsyncStream<ProviderEvent>.Continuation
    private let exchange: TinyExchange
    private let context: ProviderContext
    private var neighbours: [String: TinyNeighbour] = [:]
    private var published: [String: SharedTrack] = [:]
    /// Those with whom the media connection is lost for the moment.
    private var lost: Set<String> = []
    private var isConnected = false
    private var isOver = false

    private var id: String { localParticipant.id }

    init(_ own: Participant, _ exchange: TinyExchange, _ context: ProviderContext) {
        var own = own
        own.isLocal = true
        localParticipant = own
        self.exchange = exchange
        self.context = context
        (events, continuation) = AsyncStream.makeStream(of: ProviderEvent.self)
    }

    func run(_ visit: TinyExchange.Visit) async {
        for other in visit.others { await meet(other) }
        // Alone in the room there is nobody to agree on a profile with.
        if visit.others.isEmpty { report(connected: "") }
        for await message in visit.messages where !isOver { await handle(message) }
        await close()
    }

    private func handle(_ message: TinyMessage) async {
        do {
            switch message {
            case .joined(let other): await meet(other)
            case .left(let id, let reason): await part(id, reason)
            case .published(let track, let owner): await announced(track, owner)
            case .unpublished(let trackID, let owner):
                continuation.yield(.trackUnpublished(trackID: trackID, participantID: owner))
            case .muted(let isMuted, let trackID, let owner):
                continuation.yield(.trackMuted(isMuted, trackID: trackID, participantID: owner))
            case .wanted(true, let trackID, let other): try await begin(trackID, to: other)
            case .wanted(false, let trackID, let other): try await cease(trackID, to: other)
            case .offer(let offer, let other): try await answer(offer, of: other)
            case .answer(let answer, let other): try await answered(answer, by: other)
            case .candidate(let candidate, let isOfferer, let other):
                let neighbour = neighbours[other]
                try await (isOfferer ? neighbour?.incoming : neighbour?.outgoing)?.addRemoteCandidate(candidate)
            case .ended(let reason, let detail): continuation.yield(.ended(reason, detail: detail))
            }
        } catch {
            // What another member sent can't be used, or this machine can't do it: the others are none the worse.
            context.logger.warning("a message was in vain: \(error)")
        }
    }

    // MARK: Neighbours

    private func meet(_ other: Participant) async {
        continuation.yield(.participantJoined(other))
        do {
            let neighbour = try await TinyNeighbour(other.id, context)
            guard !isOver else { return await neighbour.close() }
            neighbours[other.id] = neighbour
            follow(neighbour.outgoing, of: other.id, isOfferer: true)
            follow(neighbour.incoming, of: other.id, isOfferer: false)
            try await offer(to: neighbour)
        } catch {
            continuation.yield(.ended(.systemShutdown, detail: "no connection with \(other.identity): \(error)"))
            return
        }
        for track in other.tracks { await want(track.id, of: other.id) }
    }

    private func part(_ id: String, _ reason: ParticipantLeftReason) async {
        continuation.yield(.participantLeft(id: id, reason))
        lost.remove(id)
        await neighbours.removeValue(forKey: id)?.close()
    }

    private func follow(_ session: MediaSession, of id: String, isOfferer: Bool) {
        Task { [weak self] in
            for await event in session.events { await self?.handle(event, of: id, isOfferer: isOfferer) }
        }
    }

    private func handle(_ event: MediaSessionEvent, of other: String, isOfferer: Bool) async {
        switch event {
        case .localCandidate(let candidate):
            await exchange.send(.candidate(candidate, isOfferer: isOfferer, from: id), to: other)
        case .connected(let profile):
            neighbours[other]?.isConnected = true
            if neighbours.values.allSatisfy(\.isConnected) { report(connected: profile) }
        case .stateChanged(.connected): found(other)
        case .stateChanged(.disconnected): lose(other)
        case .stateChanged(.failed) where isOfferer: await restart(other)
        case .trackAdded(let track):
            continuation.yield(.trackSubscribed(track, trackID: track.trackID, participantID: other))
        case .trackRemoved(let track):
            continuation.yield(.trackUnsubscribed(trackID: track.trackID, participantID: other))
        case .audioLevels(let reports):
            continuation.yield(
                .audioLevels(
                    reports.map {
                        ParticipantLevel(
                            participantID: other, level: $0.level, atNanoseconds: $0.atNanoseconds)
                    }))
        default: break
        }
    }

    // MARK: Connections

    private func report(connected profile: String) {
        guard !isConnected else { return }
        // Who was alone is told once more when there is somebody to agree with.
        isConnected = !profile.isEmpty
        continuation.yield(.mediaConnected(srtpProfile: profile))
    }

    private func lose(_ other: String) {
        if lost.isEmpty { continuation.yield(.reconnecting(.quick)) }
        lost.insert(other)
    }

    private func found(_ other: String) {
        guard lost.remove(other) != nil, lost.isEmpty else { return }
        continuation.yield(.reconnected(.quick))
    }

    private func restart(_ other: String) async {
        guard let neighbour = neighbours[other], !neighbour.isOffering else { return }
        try? await offer(to: neighbour, restartingICE: true)
    }

    private func offer(to neighbour: TinyNeighbour, restartingICE: Bool = false) async throws {
        guard !neighbour.isOffering else { return neighbour.needsOffer = true }
        neighbour.isOffering = true
        let offer = try await neighbour.outgoing.createOffer(restartingICE: restartingICE)
        await exchange.send(.offer(offer, from: id), to: neighbour.id)
    }

    private func answer(_ offer: SessionDescription, of other: String) async throws {
        guard let incoming = neighbours[other]?.incoming else { return }
        await exchange.send(.answer(try await incoming.createAnswer(to: offer), from: id), to: other)
    }

    private func answered(_ answer: SessionDescription, by other: String) async throws {
        guard let neighbour = neighbours[other] else { return }
        try await neighbour.outgoing.setAnswer(answer)
        neighbour.isOffering = false
        guard neighbour.needsOffer else { return }
        neighbour.needsOffer = false
        try await offer(to: neighbour)
    }

    // MARK: Receiving

    private func announced(_ track: Track, _ owner: String) async {
        continuation.yield(.trackPublished(track, participantID: owner))
        await want(track.id, of: owner)
    }

    private func want(_ trackID: String, of owner: String) async {
        guard context.subscribesAutomatically else { return }
        await exchange.send(.wanted(true, trackID: trackID, by: id), to: owner)
    }

    func setSubscribed(_ subscribed: Bool, trackID: String) async throws {
        // Only its owner takes this up.
        for other in neighbours.keys {
            await exchange.send(.wanted(subscribed, trackID: trackID, by: id), to: other)
        }
    }

    // MARK: Sending

    private func begin(_ trackID: String, to other: String) async throws {
        guard let neighbour = neighbours[other], let shared = published[trackID], neighbour.sendings[trackID] == nil
        else { return }
        let copy = shared.copy()
        let sender = try await neighbour.outgoing.addTrack(copy, streamID: id)
        // It may have been taken back or muted meanwhile.
        guard published[trackID] != nil else { return try await neighbour.outgoing.removeTrack(sender) }
        copy.isMuted = shared.track.isMuted
        neighbour.sendings[trackID] = .init(sender: sender, copy: copy)
        try await offer(to: neighbour)
    }

    private func cease(_ trackID: String, to other: String) async throws {
        guard let neighbour = neighbours[other], let sending = neighbour.sendings.removeValue(forKey: trackID) else {
            return
        }
        try await neighbour.outgoing.removeTrack(sending.sender)
        try await offer(to: neighbour)
    }

    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        guard published[track.id] == nil else {
            throw CallError(.caller, .invalidArgument, "the track \(track.id) is published already; make another one")
        }
        published[track.id] = try SharedTrack(track)
        let info = Track(
            id: track.id, kind: track.kind, name: track.name, source: source, isMuted: track.isMuted)
        await exchange.announce(.published(info, by: id), by: id)
        return info
    }

    func unpublish(trackID: String) async throws {
        guard published.removeValue(forKey: trackID) != nil else { throw unknown(trackID) }
        await exchange.announce(.unpublished(trackID: trackID, by: id), by: id)
        for other in neighbours.keys { try await cease(trackID, to: other) }
    }

    func setMuted(_ muted: Bool, trackID: String) async throws {
        guard let shared = published[trackID] else { throw unknown(trackID) }
        shared.track.isMuted = muted
        for neighbour in neighbours.values { neighbour.sendings[trackID]?.copy.isMuted = muted }
        await exchange.announce(.muted(muted, trackID: trackID, by: id), by: id)
    }

    private func unknown(_ trackID: String) -> CallError {
        CallError(.caller, .invalidArgument, "no track \(trackID) is published by us")
    }

    // MARK: The end

    func statistics() async -> SessionStatistics {
        var sum = SessionStatistics()
        for neighbour in neighbours.values { sum.add(await neighbour.statistics()) }
        return sum
    }

    func leave() async {
        await exchange.leave(id)
        await close()
    }

    private func close() async {
        isOver = true
        continuation.finish()
        let closing = neighbours.values
        neighbours = [:]
        for neighbour in closing { await neighbour.close() }
    }
}
