import CallBridge
import LiveKitProtocol
import MediaCore

/// What we publish.
extension LiveKitSession {
    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        guard !publications.contains(where: { $0.media.id == track.id }) else {
            throw CallError(.caller, .invalidArgument, "the track \(track.id) is published already")
        }
        withdrawn.remove(media: track)
        while true {
            try await untilConnected()
            switch await requestPublication(track, source: source) {
            case .sessionReplaced: continue
            case .refused(let error): throw error
            case .accepted(let info):
                let publication = Publication(
                    track: Track(info), media: track, source: source, info: info, sender: nil,
                    layers: SimulcastLayer.layers(of: track))
                publications.append(publication)
                try await startSending(publication.track.id)
                return publication.track
            }
        }
    }

    func unpublish(trackID: String) async throws {
        guard let index = publications.firstIndex(where: { $0.track.id == trackID }) else {
            guard withdrawn.remove(trackID: trackID) else { throw unknown(trackID) }
            return
        }
        let publication = publications.remove(at: index)
        guard let sender = publication.sender else { return }
        try await publisher.media.removeTrack(sender)
        try await negotiate()
    }

    func setMuted(_ muted: Bool, trackID: String) throws {
        guard let publication = publications.first(where: { $0.track.id == trackID }) else {
            guard let media = withdrawn.media(of: trackID) else { throw unknown(trackID) }
            // It is told when the track is published again.
            media.isMuted = muted
            return
        }
        publication.media.isMuted = muted
        send {
            $0.mute = .with {
                $0.sid = publication.sid; $0.muted = muted
            }
        }
    }

    private func unknown(_ trackID: String) -> CallError {
        CallError(.caller, .invalidArgument, "no track \(trackID) is published by us")
    }

    /// Adds an accepted track to the media connection and offers it.
    private func startSending(_ id: String) async throws {
        guard let publication = publications.first(where: { $0.track.id == id }) else { return }
        do {
            let sender = try await publisher.media.addTrack(publication.media)
            guard let index = publications.firstIndex(where: { $0.track.id == id }) else {
                return try await publisher.media.removeTrack(sender)
            }
            publications[index].sender = sender
            try await negotiate()
        } catch let error as MediaError {
            publications.removeAll { $0.track.id == id }
            throw CallError(.environment, .mediaUnavailable, error.description)
        }
    }

    /// Asks the server to take a track and waits for its word.
    private func requestPublication(_ track: LocalTrack, source: Track.Source) async -> PublicationAnswer {
        let request = Livekit_AddTrackRequest(
            track, source: source, isEncrypted: joiner.context.media.frameEncryption != nil)
        let limit = timeouts.publication
        let watchdog = Task { [weak self, clock] in
            try await clock.wait(seconds: limit)
            await self?.refusePublication(track.id, "the server did not accept the track within \(Int(limit)) s")
        }
        defer { watchdog.cancel() }
        return await withCheckedContinuation { continuation in
            pendingPublications[track.id]?.resume(returning: .sessionReplaced)
            pendingPublications[track.id] = continuation
            send { $0.addTrack = request }
        }
    }

    func handlePublished(_ published: Livekit_TrackPublishedResponse) {
        pendingPublications.removeValue(forKey: published.cid)?.resume(returning: .accepted(published.track))
    }

    func refusePublication(_ id: String, _ why: String) {
        let error = CallError(.provider, .providerRefused, "\(why); does the token allow to publish it?")
        pendingPublications.removeValue(forKey: id)?.resume(returning: .refused(error))
    }

    // MARK: The server's wishes

    func serverMuted(_ mute: Livekit_MuteTrackRequest) {
        guard let publication = publications.first(where: { $0.sid == mute.sid }) else { return }
        publication.media.isMuted = mute.muted
        send { $0.mute = mute }
        report.yield(.localTrackMuted(mute.muted, trackID: publication.track.id))
    }

    func lostPublication(sid: String) async {
        guard let index = publications.firstIndex(where: { $0.sid == sid }) else { return }
        let publication = publications.remove(at: index)
        withdrawn.add(publication, allowed: local.hasPermission ? local.permission : nil)
        report.yield(.localTrackUnpublished(trackID: publication.track.id))
        guard let sender = publication.sender else { return }
        try? await publisher.media.removeTrack(sender)
        try? await negotiate()
    }

    func firstSubscriber(sid: String) {
        guard let publication = publications.first(where: { $0.sid == sid }) else { return }
        report.yield(.localTrackSubscribed(trackID: publication.track.id))
    }

    /// What we may publish has changed, or is known anew.
    func applyPublishPermission() {
        guard local.hasPermission else { return }
        let again = withdrawn.allow(local.permission)
        guard !again.isEmpty else { return }
        // The server's answers come by the way that has led here: they are awaited elsewhere.
        Task { [weak self] in await self?.publishAgain(again) }
    }

    private func publishAgain(_ withdrawn: [Publication]) async {
        for publication in withdrawn {
            do { try await publishAgain(publication) } catch {
                logger.warning("a track is not published again", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func publishAgain(_ publication: Publication) async throws {
        while true {
            try await untilConnected()
            guard !publications.contains(where: { $0.media === publication.media }) else { return }
            switch await requestPublication(publication.media, source: publication.source) {
            case .sessionReplaced: continue
            case .refused(let error): throw error
            case .accepted(let info):
                var again = publication
                again.info = info
                again.sender = nil
                again.track.isMuted = publication.media.isMuted
                publications.append(again)
                report.yield(.localTrackPublished(again.track))
                return try await startSending(again.track.id)
            }
        }
    }

    // MARK: After a full reconnect

    /// Publishes everything again in a new session, under the ids that the bridge knows. False where that session, too,
    /// is lost meanwhile.
    func republish() async -> Bool {
        for id in publications.map(\.track.id) {
            guard let index = publications.firstIndex(where: { $0.track.id == id }) else { continue }
            publications[index].sender = nil
            let publication = publications[index]
            switch await requestPublication(publication.media, source: publication.source) {
            case .sessionReplaced: return false
            case .refused(let error):
                logger.warning("a track is not published again", metadata: ["reason": "\(error.message)"])
                publications.removeAll { $0.track.id == id }
                withdrawn.add(publication, allowed: local.hasPermission ? local.permission : nil)
                report.yield(.localTrackUnpublished(trackID: id))
            case .accepted(let info):
                guard let index = publications.firstIndex(where: { $0.track.id == id }) else { continue }
                publications[index].info = info
                do { try await startSending(id) } catch { return false }
            }
            if attemptFailure != nil { return false }
        }
        applyPublishPermission()
        return true
    }

    /// The session that was asked to publish is gone.
    func replacePendingPublications() {
        for pending in pendingPublications.values { pending.resume(returning: .sessionReplaced) }
        pendingPublications.removeAll()
    }
}
