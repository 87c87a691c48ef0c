import CallBridge
import MediaCore
import RTCCore
import RTCSim
import RTCWire

/// The simulated server with its rooms, and everybody's end of the network. Touched by `FakeWorld` only.
final class FakeHouse {
    let simulation: Simulation
    let certificates: FakeCertificates
    let seed: UInt64
    /// One-way delay of signalling.
    let signallingDelay = Interval.milliseconds(20)
    var conditions: NetworkConditions
    private(set) var members: [FakeMember] = []
    private(set) var isStopped = false
    private var numbers = 0
    private var speakers: [String: [String]] = [:]

    init(conditions: NetworkConditions, seed: UInt64, now: Instant) throws(MediaError) {
        self.conditions = conditions
        self.seed = seed
        simulation = Simulation(network: SimulatedNetwork(conditions, seed: seed))
        simulation.run(until: now)
        do {
            certificates = FakeCertificates(client: try .generate(), server: try .generate())
        } catch {
            throw MediaError(.environment, "certificate", "\(error)", remedy: "is OpenSSL 3 installed?")
        }
        simulation.schedule(every: .milliseconds(300), from: simulation.now) { [unowned self] in
            reportSpeakers()
            return !isStopped
        }
    }

    func takeNumber() -> UInt32 {
        numbers += 1
        return UInt32(truncatingIfNeeded: numbers)
    }

    func member(_ id: String) -> FakeMember? { members.first { $0.id == id } }

    func member(identity: String) -> FakeMember? { members.first { $0.identity == identity } }

    func others(of member: FakeMember) -> [FakeMember] {
        members.filter { $0.room == member.room && $0 !== member }
    }

    /// Tells somebody something, a signalling delay from now; while they are cut off it waits.
    func tell(_ member: FakeMember, _ event: ProviderEvent) {
        simulation.schedule(at: simulation.now + signallingDelay) {
            if member.isCut { member.held.append(event) } else { member.queue.push(event) }
        }
    }

    // MARK: Coming

    func join(room: String, identity: String, subscribesAutomatically: Bool) -> FakeMember {
        if let earlier = members.first(where: { $0.room == room && $0.identity == identity }) {
            tell(earlier, .excluded(.duplicateIdentity))
            tell(earlier, .ended(.unknown, detail: "somebody joined with the same identity"))
            remove(earlier, .unknown)
        }
        let number = Int(takeNumber())
        let link = FakeLink(simulation, number: number, seed: seed, certificates: certificates)
        link.setConditions(conditions)
        let member = FakeMember(
            id: "FP_\(number)", identity: identity, room: room, subscribesAutomatically: subscribesAutomatically,
            link: link)
        members.append(member)
        watch(member)
        link.connect()
        for other in others(of: member) {
            member.queue.push(.participantJoined(other.participant()))
            tell(other, .participantJoined(member.participant()))
            guard subscribesAutomatically else { continue }
            for track in other.tracks { subscribe(member, to: track, of: other) }
        }
        simulation.schedule(every: .milliseconds(20), from: simulation.now) { [unowned self] in
            member.play(now: simulation.now)
            return !member.isGone
        }
        return member
    }

    private func watch(_ member: FakeMember) {
        member.link.client.onPacket = { packet, buffer in
            guard let incoming = member.incoming[packet.line] else { return }
            if let level = packet.extensions.audioLevel {
                member.levels.append(
                    ParticipantLevel(
                        participantID: incoming.owner, level: Int(level.level),
                        atNanoseconds: packet.arrival.nanoseconds))
            }
            incoming.receiver.receive(packet, payload: UnsafeRawBufferPointer(rebasing: buffer[packet.payload]))
        }
        member.link.client.onEvent = { [unowned self] in clientEvent($0, member) }
        member.link.server.onPacket = { [unowned self] in forward($0, $1, from: member) }
        member.link.server.onEvent = { [unowned self] in serverEvent($0, member) }
    }

    private func clientEvent(_ event: PeerEvent, _ member: FakeMember) {
        switch event {
        case .connected(let profile):
            member.srtpProfile = profile.description
            member.queue.push(.mediaConnected(srtpProfile: profile.description))
        case .stateChanged(.disconnected):
            member.isReconnecting = true
            member.queue.push(.reconnecting(.quick))
        case .stateChanged(.connected) where member.isReconnecting:
            member.isReconnecting = false
            member.queue.push(.reconnected(.quick))
        case .failed(let failure):
            guard !member.isGone else { return }
            member.queue.push(.ended(.systemShutdown, detail: failure.description))
            simulation.schedule(at: simulation.now) { [unowned self] in remove(member, .systemAbort) }
        case .keyFrameRequest(let ssrc):
            member.tracks.first { $0.ssrc == ssrc }?.sender.keyFrameRequested()
        default: break
        }
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
        for (line, _) in member.incoming { unbind(member, line: line) }
        member.link.close()
        // After everything that was said before.
        simulation.schedule(at: simulation.now + signallingDelay) {
            for event in member.held { member.queue.push(event) }
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
        for room in Set(members.map(\.room)) { end(room: room, .systemShutdown, detail: "the server is shutting down") }
    }

    private func unbind(_ member: FakeMember, line: Int) {
        guard let incoming = member.incoming.removeValue(forKey: line) else { return }
        for owner in members {
            for track in owner.tracks where track.subscriptions[member.id]?.ssrc == incoming.ssrc {
                track.subscriptions[member.id] = nil
            }
        }
    }

    // MARK: Network

    /// Cuts somebody's network off, or lets it come back.
    func setCut(_ isCut: Bool, _ member: FakeMember) {
        member.isCut = isCut
        var present = conditions
        if isCut { present.loss = 1 }
        member.link.setConditions(present)
        guard !isCut else { return }
        for event in member.held { member.queue.push(event) }
        member.held = []
    }

    /// Changes everybody's network.
    func setConditions(_ conditions: NetworkConditions) {
        self.conditions = conditions
        for member in members where !member.isCut { member.link.setConditions(conditions) }
    }

    // MARK: Speakers

    /// Tells everybody who is loud, as a server sees it: from the levels in the packets' headers.
    private func reportSpeakers() {
        for room in Set(members.map(\.room)) {
            let inside = members.filter { $0.room == room }
            let loud = inside.filter { $0.loudest < 50 }.sorted { $0.loudest < $1.loudest }
            if speakers[room] ?? [] != loud.map(\.id) {
                speakers[room] = loud.map(\.id)
                let report = loud.map { (participantID: $0.id, level: 1 - Double($0.loudest) / 127) }
                for member in inside { tell(member, .speakersChanged(report)) }
            }
            for member in inside { member.loudest = 127 }
        }
    }
}
