import CallBridge
import MediaCore
import RTCCore
import RTCSim
import RTCTransport
import RTCWire

/// A media server and everybody's network, simulated in this process.
///
/// Whatever goes over that network is real: ICE, DTLS, SRTP, RTP packets of Opus and VP8, lost and late as the conditions
/// say and asked for again. Only time and sockets are not: with `Pace.virtual` time stands still until `pass` lets it go on,
/// and an hour takes as long as the codecs need. The same seed gives the same weather.
///
///     let world = try FakeWorld()
///     var configuration = CallBridge.Configuration(descriptors: ..., providers: [.fake(world)])
///     configuration.clock = world.clock
public actor FakeWorld {
    /// How time goes by.
    public enum Pace: Sendable, Hashable {
        /// Only while somebody awaits `pass`.
        case virtual
        /// With the machine's clock, until `close`.
        case realTime
    }

    /// The simulation's clock; it belongs into `CallBridge.Configuration.clock`.
    public nonisolated let clock: MediaClock
    private let house: FakeHouse
    private let time: ManualClock
    private let requiredToken: String?
    private let pace: Pace
    private var queues: [FakeEventQueue] = []
    private var driver: Task<Void, Never>?

    /// A server without rooms.
    ///
    /// - Parameters:
    ///   - seed: of the network's weather.
    ///   - pace: how time goes by.
    ///   - token: what descriptors must have as their token; nil lets everybody in.
    /// - Throws: `MediaError` where no certificate can be made.
    public init(seed: UInt64 = 1, pace: Pace = .virtual, token: String? = nil) throws {
        let start = pace == .virtual ? Instant(nanoseconds: 1_000_000_000) : MonotonicClock.now()
        house = try FakeHouse(
            conditions: NetworkConditions(delay: .milliseconds(10), jitter: .milliseconds(2)), seed: seed, now: start)
        requiredToken = token
        self.pace = pace
        time = ManualClock(now: MediaTime(nanoseconds: start.nanoseconds))
        clock = pace == .virtual ? time.clock : .system
        if pace == .realTime { Task { await self.drive() } }
    }

    // MARK: Time

    /// Lets time go by, and returns when all calls have dealt with what happened meanwhile.
    public func pass(milliseconds: Int) async {
        let end = house.simulation.now + .milliseconds(max(0, milliseconds))
        repeat {
            await settle()
            await advance(to: min(end, house.simulation.now + .milliseconds(10)))
        } while house.simulation.now < end
        await settle()
    }

    /// Lets time go on; it stands still whenever somebody hears of something, until the call has dealt with it.
    private func advance(to instant: Instant) async {
        while house.simulation.now < instant {
            let news = house.news
            house.simulation.run(until: instant, or: { !news.isEmpty })
            time.advance(to: MediaTime(nanoseconds: house.simulation.now.nanoseconds))
            // Real time waits for nobody.
            if pace == .virtual { await settle() } else { _ = news.deliver() }
        }
    }

    /// Has everybody hear what happened, and waits until all calls have dealt with it.
    private func settle() async {
        while true {
            let queues = house.news.deliver()
            for queue in queues where !queue.isSettled { await queue.settle() }
            if house.news.isEmpty { break }
        }
        for queue in queues where !queue.isSettled { await queue.settle() }
    }

    private func drive() {
        driver = Task { [weak self] in
            while !Task.isCancelled {
                guard let self else { return }
                await self.advance(to: MonotonicClock.now())
                try? await self.clock.wait(seconds: 0.005)
            }
        }
    }

    /// Stops the clock of a world in real time.
    public func close() {
        driver?.cancel()
        driver = nil
    }

    // MARK: Faults

    /// Removes somebody, as a moderator does.
    public func removeParticipant(_ identity: String) {
        guard let member = house.member(identity: identity) else { return }
        house.tell(member, .excluded(.removed))
        house.tell(member, .ended(.unknown, detail: "we were removed from the call"))
        house.remove(member, .removed)
    }

    /// Ends a room for everybody in it.
    public func endRoom(_ room: String) {
        house.end(room: room, .conversationEnded, detail: "the room was deleted")
    }

    /// The server says goodbye to everybody and lets nobody in any more.
    public func stop() { house.stop() }

    /// Cuts somebody's network off, or lets it come back.
    public func setCut(_ isCut: Bool, _ identity: String) {
        if let member = house.member(identity: identity) { house.setCut(isCut, member) }
    }

    /// Gives somebody another address, as a NAT does whose mapping has expired. What is on its way to the old one is lost.
    public func changeAddress(_ identity: String) {
        if let member = house.member(identity: identity) { house.changeAddress(of: member) }
    }

    /// Changes everybody's network, each way.
    public func setNetwork(delayMilliseconds: Int, jitterMilliseconds: Int = 2, lossPercent: Double = 0) {
        house.setConditions(
            NetworkConditions(
                delay: .milliseconds(max(0, delayMilliseconds)), jitter: .milliseconds(max(0, jitterMilliseconds)),
                loss: min(max(0, lossPercent), 100) / 100))
    }

    /// Changes everybody's network, each direction by itself.
    package func setNetwork(up: NetworkConditions, down: NetworkConditions) { house.setConditions(up, down: down) }

    /// Changes one person's network, each direction by itself, now or when they come.
    package func setNetwork(up: NetworkConditions, down: NetworkConditions, of identity: String) {
        house.setConditions(up, down: down, of: identity)
    }

    /// Changes one person's network, now or when they come; nil makes it everybody's again.
    package func setNetwork(_ conditions: NetworkConditions?, of identity: String) {
        house.setConditions(conditions, of: identity)
    }

    /// A room's server is gone: everybody in it has lost the provider.
    package func lose(room: String) {
        house.end(room: room, .systemShutdown, detail: "the simulated server is gone")
    }

    // MARK: Sessions

    func join(_ descriptor: CallDescriptor, identity: String, context: ProviderContext) throws -> FakeSession {
        guard !house.isStopped else {
            throw CallError(
                .network, .unreachable, "the simulated server \(descriptor.endpoint) does not answer; it was stopped")
        }
        guard requiredToken == nil || descriptor.credentials.token == requiredToken else {
            throw CallError(
                .provider, .providerRefused,
                "the simulated server \(descriptor.endpoint) refused the token; use the one it was made with")
        }
        let member = try house.join(
            room: descriptor.serviceProviderCallId, identity: identity, media: context.media,
            subscribesAutomatically: context.subscribesAutomatically)
        queues.removeAll(where: \.isOver)
        queues.append(member.queue)
        _ = house.news.deliver()
        return FakeSession(world: self, id: member.id, identity: identity, queue: member.queue)
    }

    func publish(_ track: LocalTrack, source: Track.Source, by id: String) throws -> Track {
        try house.publish(track, source: source, by: try reachable(id))
    }

    func unpublish(_ trackID: String, by id: String) throws {
        let member = try reachable(id)
        house.unpublish(try own(trackID, member), by: member)
    }

    func setMuted(_ isMuted: Bool, _ trackID: String, by id: String) throws {
        let member = try reachable(id)
        house.setMuted(isMuted, try own(trackID, member), of: member)
    }

    func setSubscribed(_ isSubscribed: Bool, _ trackID: String, by id: String) throws {
        let member = try reachable(id)
        for owner in house.others(of: member) {
            guard let track = owner.tracks.first(where: { $0.info.id == trackID }) else { continue }
            return isSubscribed
                ? house.subscribe(member, to: track, of: owner) : house.unsubscribe(member, from: track, of: owner)
        }
        throw CallError(.caller, .invalidArgument, "no track \(trackID) is published by anybody")
    }

    func statistics(_ id: String) -> SessionStatistics {
        house.member(id)?.client.statistics() ?? SessionStatistics()
    }

    func leave(_ id: String) {
        guard let member = house.member(id) else { return }
        member.queue.finish()
        house.remove(member, .hangUp)
    }

    private func reachable(_ id: String) throws(CallError) -> FakeMember {
        guard let member = house.member(id) else {
            throw CallError(.caller, .invalidArgument, "this session has ended; join again")
        }
        guard !member.isCut else {
            throw CallError(.network, .unreachable, "the simulated server does not answer; is the network back?")
        }
        return member
    }

    private func own(_ trackID: String, _ member: FakeMember) throws(CallError) -> FakeTrack {
        guard let track = member.tracks.first(where: { $0.info.id == trackID }) else {
            throw CallError(.caller, .invalidArgument, "no track \(trackID) is published by us")
        }
        return track
    }
}
