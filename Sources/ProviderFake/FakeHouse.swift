import CallBridge
import MediaCore
import RTCCore
import RTCSim
import RTCWire

/// The simulated service: who is in which room, and what they are told. Touched by `FakeWorld` only.
final class FakeHouse {
    let simulation: Simulation
    let server: FakeServer
    let seed: UInt64
    /// One-way delay of signalling.
    let signallingDelay = Interval.milliseconds(20)
    /// Everybody's network: to the server, and to a member where that is another.
    private var conditions: (up: NetworkConditions, down: NetworkConditions?)
    /// Networks of people who have one of their own, by identity; they may be yet to come.
    private var ownConditions: [String: (up: NetworkConditions, down: NetworkConditions?)] = [:]
    private(set) var members: [FakeMember] = []
    private(set) var isStopped = false
    /// What members are yet to hear.
    let news = FakeNews()
    private let clientCertificate: DTLSCertificate
    private var numbers = 0
    private var speakers: [String: [String]] = [:]

    init(conditions: NetworkConditions, seed: UInt64, now: Instant) throws(MediaError) {
        self.conditions = (conditions, nil)
        self.seed = seed
        simulation = Simulation(network: SimulatedNetwork(conditions, seed: seed))
        simulation.run(until: now)
        do {
            clientCertificate = try .generate(isEven: true)
            server = FakeServer(simulation, seed: seed, certificate: try .generate(isEven: true))
        } catch {
            throw MediaError(.environment, "certificate", "\(error)", remedy: "is OpenSSL 3 installed?")
        }
        server.onFailure = { [unowned self] connection in
            if let member = members.first(where: { $0.connection === connection }) { remove(member, .systemAbort) }
        }
        simulation.schedule(every: .milliseconds(300), from: simulation.now) { [unowned self] in
            reportSpeakers()
            return !isStopped
        }
    }

    func takeNumber() -> Int {
        numbers += 1
        return numbers
    }

    func member(_ id: String) -> FakeMember? { members.first { $0.id == id } }

    func member(identity: String) -> FakeMember? { members.first { $0.identity == identity } }

    /// Those with somebody in them, by who came first.
    private var rooms: [String] {
        var seen: Set<String> = []
        return members.map(\.room).filter { seen.insert($0).inserted }
    }

    func others(of member: FakeMember) -> [FakeMember] {
        members.filter { $0.room == member.room && $0 !== member }
    }

    // MARK: Signalling

    /// Has something happen at the other end of somebody's signalling, a delay from now; while they are cut off it waits.
    func signal(_ member: FakeMember, _ body: @escaping () -> Void) {
        simulation.schedule(at: simulation.now + signallingDelay) {
            if member.isCut { member.held.append(body) } else { body() }
        }
    }

    /// Tells somebody something.
    func tell(_ member: FakeMember, _ event: ProviderEvent) { signal(member) { member.queue.push(event) } }

    // MARK: Coming

    func join(
        room: String, identity: String, media: MediaSessionConfiguration, subscribesAutomatically: Bool
    ) throws -> FakeMember {
        if let earlier = members.first(where: { $0.room == room && $0.identity == identity }) {
            tell(earlier, .excluded(.duplicateIdentity))
            tell(earlier, .ended(.unknown, detail: "somebody joined with the same identity"))
            remove(earlier, .unknown)
        }
        let number = takeNumber()
        let client = try FakeClient(
            simulation, number: number, seed: seed, media: media, certificate: clientCertificate)
        let member = FakeMember(
            id: "FP_\(number)", identity: identity, room: room, subscribesAutomatically: subscribesAutomatically,
            isEncrypted: media.frameEncryption != nil, client: client,
            connection: server.connect(client.address, room: room), news: news)
        setConditions(ownConditions[identity] ?? conditions, member)
        members.append(member)
        client.onEvent = { [unowned self, unowned member] in clientEvent($0, member) }
        for other in others(of: member) {
            member.queue.push(.participantJoined(other.participant()))
            tell(other, .participantJoined(member.participant()))
            guard subscribesAutomatically else { continue }
            for track in other.tracks { subscribe(member, to: track, of: other) }
        }
        // Who neither sends nor receives has a connection all the same.
        client.perform { machine, _, _ in machine.addDataSection() }
        negotiate(member)
        return member
    }

    private func clientEvent(_ event: SessionMachineEvent, _ member: FakeMember) {
        guard case .session(let event) = event, !member.isGone else { return }
        switch event {
        case .connected(let profile): member.queue.push(.mediaConnected(srtpProfile: profile))
        case .stateChanged(.disconnected):
            member.isReconnecting = true
            member.queue.push(.reconnecting(.quick))
        case .stateChanged(.connected) where member.isReconnecting:
            member.isReconnecting = false
            member.queue.push(.reconnected(.quick))
        case .stateChanged(.failed): lose(member, "no network path to the server answers any more")
        case .failed(let reason): lose(member, reason)
        case .trackAdded(let media):
            media.protection = protection(of: media.streamID)
            member.queue.push(
                .trackSubscribed(media, trackID: media.trackID, participantID: media.streamID))
        case .audioLevels(let reports): report(reports, to: member)
        case .localCandidate, .stateChanged, .trackRemoved, .dataChannelOpened, .dataChannelMessage,
            .dataChannelClosed, .noRelay, .relaySilent, .localAddressLost:
            break
        }
    }

    private func protection(of ownerID: String) -> RemoteTrack.Protection {
        guard let owner = self.member(ownerID), owner.isEncrypted else { return .clear }
        return .encrypted(participant: owner.identity)
    }

    private func report(_ reports: [AudioLevelReport], to member: FakeMember) {
        let levels = reports.compactMap { report in
            owner(of: report.trackID).map {
                ParticipantLevel(participantID: $0.id, level: report.level, atNanoseconds: report.atNanoseconds)
            }
        }
        if !levels.isEmpty { member.queue.push(.audioLevels(levels)) }
    }

    func owner(of trackID: String) -> FakeMember? {
        members.first { $0.tracks.contains { $0.info.id == trackID } }
    }

    /// Ends somebody's call for want of a connection.
    func lose(_ member: FakeMember, _ reason: String) {
        member.queue.push(.ended(.systemShutdown, detail: reason))
        simulation.schedule(at: simulation.now) { [unowned self] in remove(member, .systemAbort) }
    }

    // MARK: Going

    /// Takes somebody out; the others are told why. The events of the one who goes end.
    func remove(_ member: FakeMember, _ reason: ParticipantLeftReason) {
        guard !member.isGone else { return }
        member.isGone = true
        members.removeAll { $0 === member }
        for other in others(of: member) {
            for track in member.tracks { drop(track, from: other) }
            tell(other, .participantLeft(id: member.id, reason))
        }
        for owner in others(of: member) { for track in owner.tracks { track.subscribers.remove(member.id) } }
        member.client.close()
        server.remove(member.connection)
        // After everything that was said before.
        simulation.schedule(at: simulation.now + signallingDelay) {
            member.isCut = false
            for body in member.held { body() }
            member.queue.finish()
        }
    }

    /// Ends a room for everybody.
    func end(room: String, _ reason: CallEndReason, detail: String) {
        for member in members where member.room == room {
            tell(member, .ended(reason, detail: detail))
            remove(member, reason == .conversationEnded ? .callEnded : .systemAbort)
        }
    }

    /// The server goes down.
    func stop() {
        isStopped = true
        for room in rooms { end(room: room, .systemShutdown, detail: "the server is shutting down") }
    }

    // MARK: Network

    /// Cuts somebody's network off, or lets it come back.
    func setCut(_ isCut: Bool, _ member: FakeMember) {
        member.isCut = isCut
        var present = ownConditions[member.identity] ?? conditions
        if isCut { present = (NetworkConditions(delay: present.up.delay, loss: 1), nil) }
        setConditions(present, member)
        guard !isCut else { return }
        let held = member.held
        member.held = []
        for body in held { body() }
    }

    /// Changes everybody's network.
    func setConditions(_ conditions: NetworkConditions, down: NetworkConditions? = nil) {
        self.conditions = (conditions, down)
        for member in members where !member.isCut && ownConditions[member.identity] == nil {
            setConditions(self.conditions, member)
        }
    }

    /// Changes one person's network, now or when they come; nil makes it everybody's.
    func setConditions(_ conditions: NetworkConditions?, down: NetworkConditions? = nil, of identity: String) {
        ownConditions[identity] = conditions.map { ($0, down) }
        for member in members where member.identity == identity && !member.isCut {
            setConditions(ownConditions[identity] ?? self.conditions, member)
        }
    }

    /// Has somebody's datagrams come from another address, and theirs go there.
    func changeAddress(of member: FakeMember) {
        member.client.move(number: takeNumber())
        // Of the new way, as they were of the old one.
        setCut(member.isCut, member)
    }

    private func setConditions(
        _ conditions: (up: NetworkConditions, down: NetworkConditions?), _ member: FakeMember
    ) {
        let down = conditions.down ?? conditions.up
        let (client, server) = (member.client.address, server.address)
        simulation.network.set(
            conditions.up, from: client, to: server, origin: conditions.up.hasTimes ? simulation.now : nil)
        simulation.network.set(down, from: server, to: client, origin: down.hasTimes ? simulation.now : nil)
    }

    // MARK: Speakers

    /// Tells everybody who is loud, as the server hears it.
    private func reportSpeakers() {
        let now = simulation.now
        for room in rooms {
            let inside = members.filter { $0.room == room }
            let loud = inside.map { (participantID: $0.id, level: $0.loudness(now: now)) }
                .filter { $0.level > 0 }.sorted { $0.level > $1.level }
            guard speakers[room] ?? [] != loud.map(\.participantID) else { continue }
            speakers[room] = loud.map(\.participantID)
            for member in inside { tell(member, .speakersChanged(loud)) }
        }
    }
}
