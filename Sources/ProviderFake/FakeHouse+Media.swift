import CallBridge
import MediaCore
import RTCCore
import RTCWire

/// Publishing, subscribing, forwarding.
extension FakeHouse {
    func publish(_ track: LocalTrack, source: Track.Source, by member: FakeMember) throws(CallError) -> Track {
        let sender: any FakeSender
        do throws(MediaError) {
            switch track.media {
            case .audio(let source, let encoding): sender = try FakeAudioSender(track, source, encoding)
            case .video(let source, let encoding): sender = try FakeVideoSender(track, source, encoding)
            case .encodedVideo(let source): sender = try FakeVideoSender(track, encoded: source)
            }
        } catch {
            throw CallError(.environment, .mediaUnavailable, error.description)
        }
        let info = Track(
            id: "FT_\(takeNumber())", kind: track.kind, name: track.name, source: source, isMuted: track.isMuted)
        let published = FakeTrack(
            info, sender, ssrc: 0x1000_0000 + takeNumber(), rtxSSRC: 0x2000_0000 + takeNumber(), line: member.takeLine()
        )
        member.tracks.append(published)
        member.link.drive(member.link.client) { peer, _, _ in
            peer.addSendStream(
                FakeTrack.stream(
                    published.kind, ssrc: published.ssrc, rtxSSRC: published.rtxSSRC, line: published.line,
                    isForwarded: false))
        }
        member.updateReceiveMaps()
        simulation.schedule(every: sender.interval, from: simulation.now) { [unowned self, unowned published] in
            guard !member.isGone, member.tracks.contains(where: { $0 === published }) else { return false }
            member.send(published, now: simulation.now)
            return true
        }
        for other in others(of: member) {
            tell(other, .trackPublished(info, participantID: member.id))
            if other.subscribesAutomatically { subscribe(other, to: published, of: member) }
        }
        return info
    }

    func unpublish(_ track: FakeTrack, by member: FakeMember) {
        member.tracks.removeAll { $0 === track }
        for other in others(of: member) {
            drop(track, from: other)
            tell(other, .trackUnpublished(trackID: track.info.id, participantID: member.id))
        }
        member.link.drive(member.link.client) { peer, now, outbox in
            peer.removeSendStream(ssrc: track.ssrc, now: now, into: outbox)
        }
        member.updateReceiveMaps()
    }

    func setMuted(_ isMuted: Bool, _ track: FakeTrack, of member: FakeMember) {
        track.info.isMuted = isMuted
        track.sender.track.isMuted = isMuted
        if !isMuted { track.sender.keyFrameRequested() }
        for other in others(of: member) {
            tell(other, .trackMuted(isMuted, trackID: track.info.id, participantID: member.id))
        }
    }

    // MARK: Subscribing

    func subscribe(_ member: FakeMember, to track: FakeTrack, of owner: FakeMember) {
        guard track.subscriptions[member.id] == nil else { return }
        let line = member.takeLine()
        let subscription = FakeTrack.Subscription(
            ssrc: 0x3000_0000 + takeNumber(), rtxSSRC: 0x4000_0000 + takeNumber(), line: line)
        let media = RemoteTrack(
            kind: track.info.kind, mid: "\(line)", streamID: owner.id, trackID: track.info.id)
        guard let receiver = receiver(of: media) else { return }
        track.subscriptions[member.id] = subscription
        member.incoming[line] = .init(
            receiver: receiver, owner: owner.id, ssrc: subscription.ssrc, rtxSSRC: subscription.rtxSSRC)
        member.link.drive(member.link.server) { peer, _, _ in
            peer.addSendStream(
                FakeTrack.stream(
                    track.kind, ssrc: subscription.ssrc, rtxSSRC: subscription.rtxSSRC, line: line, isForwarded: true))
        }
        member.updateReceiveMaps()
        askForKeyFrame(track, of: owner)
        tell(member, .trackSubscribed(media, trackID: track.info.id, participantID: owner.id))
    }

    func unsubscribe(_ member: FakeMember, from track: FakeTrack, of owner: FakeMember) {
        guard track.subscriptions[member.id] != nil else { return }
        drop(track, from: member)
        tell(member, .trackUnsubscribed(trackID: track.info.id, participantID: owner.id))
    }

    /// Ends a subscription without a word.
    func drop(_ track: FakeTrack, from member: FakeMember) {
        guard let subscription = track.subscriptions.removeValue(forKey: member.id) else { return }
        member.incoming[subscription.line] = nil
        member.link.drive(member.link.server) { peer, now, outbox in
            peer.removeSendStream(ssrc: subscription.ssrc, now: now, into: outbox)
        }
        member.updateReceiveMaps()
    }

    private func receiver(of media: RemoteTrack) -> (any FakeReceiver)? {
        do throws(MediaError) {
            return media.kind == .audio
                ? try FakeAudioReceiver(media, now: simulation.now) : try FakeVideoReceiver(media, now: simulation.now)
        } catch {
            return nil
        }
    }

    // MARK: Forwarding

    /// Hands a publisher's packet on. It leaves at the same moment, when its own turn is over.
    func forward(_ packet: ReceivedRTP, _ buffer: UnsafeRawBufferPointer, from owner: FakeMember) {
        guard let track = owner.tracks.first(where: { $0.line == packet.line }) else { return }
        let kept = FakeTrack.Packet(
            sequence: packet.header.sequenceNumber, timestamp: packet.header.timestamp, marker: packet.header.marker,
            level: packet.extensions.audioLevel, payload: Array(buffer[packet.payload]))
        if let level = kept.level?.level { owner.loudest = min(owner.loudest, level) }
        track.keep(kept)
        simulation.schedule(at: simulation.now) { [unowned self] in
            for (id, subscription) in track.subscriptions.sorted(by: { $0.key < $1.key }) {
                guard let member = member(id) else { continue }
                send(kept, track.kind, subscription, to: member)
            }
        }
    }

    private func send(
        _ packet: FakeTrack.Packet, _ kind: StreamKind, _ subscription: FakeTrack.Subscription, to member: FakeMember
    ) {
        var outgoing = OutgoingRTP(
            ssrc: subscription.ssrc,
            payloadType: kind == .video ? FakeTrack.videoPayloadType : FakeTrack.audioPayloadType,
            marker: packet.marker, sequenceNumber: packet.sequence, timestamp: packet.timestamp)
        outgoing.extensions.audioLevel = packet.level
        forward(outgoing, prefix: [], packet, to: member)
    }

    private func forward(_ outgoing: OutgoingRTP, prefix: [UInt8], _ packet: FakeTrack.Packet, to member: FakeMember) {
        member.link.drive(member.link.server) { peer, now, outbox in
            prefix.withUnsafeBytes { prefix in
                packet.payload.withUnsafeBytes { payload in
                    _ = peer.forward(outgoing, prefix: prefix, payload: payload, now: now, into: outbox)
                }
            }
        }
    }

    /// What the server hears from somebody about what it sends them.
    func serverEvent(_ event: PeerEvent, _ member: FakeMember) {
        switch event {
        case .nack(let ssrc, let missing):
            simulation.schedule(at: simulation.now) { [unowned self] in sendAgain(missing, ssrc: ssrc, to: member) }
        case .keyFrameRequest(let ssrc):
            guard let (track, owner) = subscribed(ssrc, by: member) else { return }
            simulation.schedule(at: simulation.now) { [unowned self] in askForKeyFrame(track, of: owner) }
        case .failed:
            simulation.schedule(at: simulation.now) { [unowned self] in remove(member, .systemAbort) }
        default: break
        }
    }

    /// Sends packets again (RFC 4588).
    private func sendAgain(_ missing: [UInt16], ssrc: UInt32, to member: FakeMember) {
        guard let (track, _) = subscribed(ssrc, by: member) else { return }
        for sequence in missing {
            guard let packet = track.kept(sequence), var subscription = track.subscriptions[member.id] else { continue }
            subscription.rtxSequence &+= 1
            track.subscriptions[member.id] = subscription
            let outgoing = OutgoingRTP(
                ssrc: subscription.rtxSSRC, payloadType: FakeTrack.rtxPayloadType, marker: packet.marker,
                sequenceNumber: subscription.rtxSequence, timestamp: packet.timestamp)
            let number = [UInt8(truncatingIfNeeded: sequence >> 8), UInt8(truncatingIfNeeded: sequence)]
            forward(outgoing, prefix: number, packet, to: member)
        }
    }

    private func subscribed(_ ssrc: UInt32, by member: FakeMember) -> (FakeTrack, FakeMember)? {
        for owner in members {
            for track in owner.tracks where track.subscriptions[member.id]?.ssrc == ssrc { return (track, owner) }
        }
        return nil
    }

    private func askForKeyFrame(_ track: FakeTrack, of owner: FakeMember) {
        guard track.info.kind == .video else { return }
        owner.link.drive(owner.link.server) { peer, now, outbox in
            peer.requestKeyFrame(ssrc: track.ssrc, now: now, into: outbox)
        }
    }
}
