import MediaCore

extension Call {
    /// What we publish now, muted tracks left out.
    public var publishedMedia: PublishedMedia { localParticipant.publishedMedia }

    /// Adds pictures to a call of sound.
    ///
    /// - Parameters:
    ///   - media: the pictures.
    ///   - permissions: asked for the camera.
    /// - Throws: `CallError`: the camera may not be used, pictures are published already, the call has ended.
    @discardableResult
    public func upgradeToVideo(
        _ media: LocalMedia, permissions: any MediaPermissionSource = FixedMediaPermissions()
    ) async throws -> Track {
        guard media.source == .camera else {
            throw CallError(.caller, .invalidArgument, "can't upgrade to video with sound; give pictures of a camera")
        }
        guard !localParticipant.tracks.contains(where: { $0.source == .camera }) else {
            throw CallError(.caller, .invalidArgument, "can't upgrade to video: pictures are published already")
        }
        let permission = await MediaPlan.settle(.video, permissions)
        guard permission == .granted else { throw MediaPlan.refusal(of: .video, permission) }
        guard let track = try await publish(media).first else {
            throw CallError(.provider, .protocolViolation, "the provider has not published the pictures")
        }
        return track
    }
}

extension Participant {
    /// What they publish now, muted tracks left out.
    public var publishedMedia: PublishedMedia {
        let open = tracks.filter { !$0.isMuted }
        return PublishedMedia(
            audio: open.contains { $0.kind == .audio }, video: open.contains { $0.kind == .video })
    }
}
