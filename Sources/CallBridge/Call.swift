import Logging
public import MediaCore

/// A call that we are in: its participants, their tracks, what we publish, and what happens.
public actor Call {
    /// What the server said about the call.
    public nonisolated let descriptor: CallDescriptor
    /// Where the call stands for us.
    public var state: CallState { present.state }
    /// The one who speaks, by our own detection; nobody speaking keeps the last.
    public var activeSpeaker: Participant? { present.activeSpeaker }
    /// Why we are out of a call that goes on for the others; nil where we left, and where it is over. It is known before
    /// `ended` is told.
    public var exclusion: CallExclusion? { departure.exclusion }
    /// Why the call was lost: `providerLost`, where its end was neither ours nor the others'.
    public var failure: CallError? { departure.failure }
    /// The providers that were tried before this one, and why they were not taken.
    public nonisolated let providerChanges: [ProviderChange]
    /// Milliseconds from `join` to connected media; nil before.
    public var connectMilliseconds: Double? { connection.milliseconds }

    let session: any ProviderSession
    let logger: Logger
    let clock: MediaClock
    private nonisolated let hub: EventHub
    private var present: CallPresent
    var speaker: SpeakerFollower
    var connection: ConnectionTimes
    var departure = CallDeparture()
    /// By method.
    var rpcHandlers: [String: RPCHandler] = [:]
    private var pump: Task<Void, Never>?

    init(
        descriptor: CallDescriptor, session: any ProviderSession, local: Participant, begun: MediaTime,
        clock: MediaClock, providerChanges: [ProviderChange], logger: Logger
    ) {
        self.descriptor = descriptor
        self.clock = clock
        self.providerChanges = providerChanges
        self.session = session
        connection = ConnectionTimes(begun: begun)
        self.logger = logger
        present = CallPresent(providerChanges: providerChanges, roster: Roster(local: local))
        hub = EventHub(present)
        speaker = SpeakerFollower()
    }

    func start() {
        let events = session.events
        pump = Task { [weak self] in
            for await event in events { await self?.handle(event) }
            await self?.providerFinished()
        }
    }

    // MARK: Reading

    /// A stream of what happens from now on, led by the present state: the providers that were given up, the call's state,
    /// who is there, their tracks, the active speaker; of a call that is over, its end.
    /// Any number of streams may be open; each ends when the call does.
    public nonisolated var events: AsyncStream<CallEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(EventHub.capacity)) { hub.attach($0) }
    }

    /// Everybody in the call, ourselves first.
    public var participants: [Participant] { roster.all }

    /// Ourselves.
    public var localParticipant: Participant { roster.local }

    /// What the media connections have counted so far.
    public func statistics() async -> SessionStatistics { await session.statistics() }

    /// Calls `body` with every event from now on, at once and in order; what `events` is led by comes first.
    package func observe(_ body: @escaping @Sendable (CallEvent) -> Void) { hub.observe(body) }

    // MARK: Acting

    /// Publishes media that belongs together, and returns when the server has accepted all. Throws `CallError`.
    @discardableResult
    public func publish(_ media: LocalMedia...) async throws -> [Track] { try await publish(media) }

    /// The same for a list.
    @discardableResult
    public func publish(_ media: [LocalMedia]) async throws -> [Track] {
        try await publish(tracks: try media.map { (try $0.makeTrack(), $0.source) })
    }

    /// Publishes tracks that the caller made. What belongs together is together for the others, too, where the provider's
    /// protocol has such a thing; otherwise one comes after another, and those before a failure stay. Throws `CallError`.
    @discardableResult
    public func publish(tracks: [(track: LocalTrack, source: Track.Source)]) async throws -> [Track] {
        try requireOpen("publish")
        for item in tracks where item.source == .screenShare { item.track.isScreen = true }
        do {
            let published = try await session.publish(tracks)
            for track in published { roster.addLocalTrack(track) }
            return published
        } catch is FeatureUnavailable {
            var published: [Track] = []
            for item in tracks { published.append(try await publish(track: item.track, source: item.source)) }
            return published
        }
    }

    /// Publishes a track that the caller made. Throws `CallError`.
    @discardableResult
    public func publish(track: LocalTrack, source: Track.Source) async throws -> Track {
        try requireOpen("publish")
        if source == .screenShare { track.isScreen = true }
        let published = try await session.publish(track, source: source)
        roster.addLocalTrack(published)
        return published
    }

    /// Takes a published track back. Throws `CallError`.
    public func unpublish(_ track: Track) async throws {
        try requireOpen("unpublish")
        try await session.unpublish(trackID: track.id)
        roster.removeLocalTrack(track.id)
    }

    /// Mutes or unmutes one of our tracks for everybody. Throws `CallError`.
    public func setMuted(_ muted: Bool, _ track: Track) async throws {
        try requireOpen("mute")
        try await session.setMuted(muted, trackID: track.id)
        roster.setLocalTrackMuted(track.id, muted)
    }

    /// Receives a remote track, or no longer. Throws `CallError`.
    public func setSubscribed(_ subscribed: Bool, _ track: Track) async throws {
        try requireOpen("subscribe")
        try await session.setSubscribed(subscribed, trackID: track.id)
    }

    /// Leaves in order. The event streams end with `ended`.
    public func leave() async {
        guard state != .ended else { return }
        departure.isOurs = true
        await session.leave()
        end(.lastMandatoryParticipantLeft, detail: "we left")
        pump?.cancel()
    }

    func requireOpen(_ action: String) throws(CallError) {
        guard state == .ended else { return }
        if let why = departure.reason {
            throw CallError(.network, .providerLost, "can't \(action): the call has ended: \(why)")
        }
        throw CallError(.caller, .invalidArgument, "can't \(action): the call has ended; join again")
    }

    // MARK: State

    /// Who is here. Readers learn of a change by the event that follows it.
    var roster: Roster {
        get { present.roster }
        _modify { yield &present.roster }
    }

    func send(_ event: CallEvent) { hub.send(event, present: present) }

    func move(to next: CallState) {
        guard state != next, state != .ended else { return }
        present.state = next
        send(.stateChanged(next))
    }

    func end(_ reason: CallEndReason, detail: String) {
        guard state != .ended else { return }
        if !departure.isOurs { departure.reason = detail }
        let reason = departure.isOurs ? .lastMandatoryParticipantLeft : reason
        if reason == .systemShutdown {
            departure.failure = CallError(
                .network, .providerLost, "the provider \(descriptor.provider) was lost during the call: \(detail)")
        }
        move(to: .ended)
        present.ending = (reason, detail)
        send(.ended(reason, detail: detail))
    }

    func setActiveSpeaker(_ participant: Participant?) {
        present.activeSpeaker = participant
        send(.activeSpeakerChanged(participant))
    }

    func mediaConnected(srtpProfile: String) {
        let elapsed = connection.connected(at: clock.now)
        send(.mediaConnected(srtpProfile: srtpProfile, afterMilliseconds: elapsed))
        move(to: .active)
    }

    private func providerFinished() { end(.systemShutdown, detail: "the provider's connection is gone") }
}
