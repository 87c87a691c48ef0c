import CallBridge
import MediaCore
import RTCCore
import RTCWire
import SFUCore

/// Publishing, subscribing, and the descriptions that carry both.
extension FakeHouse {
    func publish(_ local: LocalTrack, source: Track.Source, by member: FakeMember) throws -> Track {
        let sender: MediaSession.Sender
        do {
            sender = try member.client.perform { machine, _, _ in try machine.addTrack(local, streamID: member.id) }
        } catch {
            throw CallError(.environment, .mediaUnavailable, "\(error)")
        }
        let info = Track(
            id: "FT_\(takeNumber())", kind: local.kind, name: local.name, source: source, isMuted: local.isMuted)
        let track = FakeTrack(info, local, sender)
        member.tracks.append(track)
        for other in others(of: member) {
            tell(other, .trackPublished(info, participantID: member.id))
            if other.subscribesAutomatically { subscribe(other, to: track, of: member) }
        }
        negotiate(member)
        return info
    }

    func unpublish(_ track: FakeTrack, by member: FakeMember) {
        member.tracks.removeAll { $0 === track }
        for other in others(of: member) {
            drop(track, from: other)
            tell(other, .trackUnpublished(trackID: track.info.id, participantID: member.id))
        }
        try? member.client.perform { machine, now, out in
            try machine.removeTrack(track.sender, now: now, into: out)
        }
        negotiate(member)
    }

    func setMuted(_ isMuted: Bool, _ track: FakeTrack, of member: FakeMember) {
        track.info.isMuted = isMuted
        track.local.isMuted = isMuted
        signal(member) { [unowned self] in mute(track, of: member) }
        for other in others(of: member) {
            tell(other, .trackMuted(isMuted, trackID: track.info.id, participantID: member.id))
        }
    }

    private func mute(_ track: FakeTrack, of member: FakeMember) {
        guard let producer = track.source?.producer else { return }
        let isMuted = track.info.isMuted
        server.drive { outbox, now in
            member.connection.media.perform(now: now, into: outbox) { room, out in
                room.setMuted(isMuted, producer, now: now, into: &out)
            }
        }
    }

    // MARK: Subscribing

    func subscribe(_ member: FakeMember, to track: FakeTrack, of owner: FakeMember) {
        guard track.subscribers.insert(member.id).inserted else { return }
        send(track, of: owner, to: member)
    }

    /// Has a track sent to somebody, once the server has it.
    private func send(_ track: FakeTrack, of owner: FakeMember, to member: FakeMember) {
        guard let source = track.source else { return }
        member.connection.add(
            track.info.id, of: owner.id, producer: source.producer,
            kind: track.info.kind == .audio ? .audio : .video, format: source.format)
        negotiate(member)
    }

    func unsubscribe(_ member: FakeMember, from track: FakeTrack, of owner: FakeMember) {
        guard track.subscribers.contains(member.id) else { return }
        drop(track, from: member)
        tell(member, .trackUnsubscribed(trackID: track.info.id, participantID: owner.id))
    }

    /// Ends a subscription without a word but in the descriptions.
    func drop(_ track: FakeTrack, from member: FakeMember) {
        guard track.subscribers.remove(member.id) != nil else { return }
        server.drop(track.info.id, from: member.connection)
        negotiate(member)
    }

    // MARK: Descriptions

    /// Has somebody offer what they want to send and have lines for; one offer at a time is on its way.
    func negotiate(_ member: FakeMember) {
        guard !member.isGone else { return }
        guard !member.negotiation.isOpen else { return member.negotiation.again = true }
        member.negotiation = (true, false)
        let missing = (member.connection.missingLines(.audio), member.connection.missingLines(.video))
        let offer = try? member.client.perform { machine, now, out in
            machine.addReceivers(audio: missing.0, video: missing.1)
            return try machine.createOffer(now: now, into: out).sdp
        }
        guard let offer else { return lose(member, "no offer could be made") }
        signal(member) { [unowned self] in answer(offer, of: member) }
    }

    private func answer(_ offer: String, of member: FakeMember) {
        guard !member.isGone else { return }
        let answer: String
        do {
            answer = try server.answer(member.connection, offer) { trackID, producer, format in
                published(trackID, producer, format, by: member)
            }
        } catch {
            return lose(member, "the server can't answer the offer: \(error)")
        }
        signal(member) { [unowned self] in take(answer, for: member) }
    }

    private func take(_ answer: String, for member: FakeMember) {
        guard !member.isGone else { return }
        do {
            try member.client.perform { machine, now, out in
                try machine.setAnswer(SessionDescription(kind: .answer, sdp: answer), now: now, into: out)
            }
        } catch {
            return lose(member, "the answer can't be used: \(error)")
        }
        member.negotiation.isOpen = false
        if member.negotiation.again { negotiate(member) }
    }

    /// The server has a track whose packets it can forward.
    private func published(
        _ trackID: String, _ producer: ProducerID, _ format: TrackFormat, by member: FakeMember
    ) {
        guard let track = member.tracks.first(where: { $0.local.id == trackID }) else { return }
        track.source = (producer, format)
        // Behind the answer: the room is being changed at this moment.
        simulation.schedule(at: simulation.now) { [unowned self] in
            if track.info.isMuted { mute(track, of: member) }
            for other in others(of: member) where track.subscribers.contains(other.id) {
                send(track, of: member, to: other)
            }
        }
    }
}
