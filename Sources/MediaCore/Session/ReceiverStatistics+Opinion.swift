/// What people would say of a received track.
extension ReceiverStatistics {
    /// What encoding and packetizing take before the network, and a device after it, ms.
    private static let devices = 40.0
    /// Samples of a usual packet.
    private static let packet = 960.0

    /// Of its sound, by the E-model; nil for pictures, and before a second has been played.
    ///
    /// - Parameter roundTripMilliseconds: nil where it isn't known, and counts as none.
    public func audioOpinion(roundTripMilliseconds: Double?) -> AudioOpinion? {
        guard kind == .audio, sound.totalSamplesReceived >= 48_000 else { return nil }
        let share = Double(sound.concealedSamples) / Double(sound.totalSamplesReceived)
        let length = Double(sound.concealedSamples) / Double(max(sound.concealmentEvents, 1)) / Self.packet
        let buffered = sound.jitterBufferDelay / Double(max(sound.jitterBufferEmittedCount, 1)) * 1000
        return AudioOpinion(
            concealedShare: share, burstRatio: length * (1 - share),
            delayMilliseconds: (roundTripMilliseconds ?? 0) / 2 + buffered + Self.devices)
    }

    /// Of its pictures; nil for sound, and before a second of them has been shown.
    public var videoOpinion: VideoOpinion? {
        let seconds = rendering.totalInterFrameDelay
        guard kind == .video, seconds >= 1 else { return nil }
        let frozen = min(frozenMilliseconds / 1000, seconds)
        return VideoOpinion(
            height: height, framesPerSecond: Double(rendering.framesRendered) / max(seconds - frozen, 0.5),
            frozenShare: frozen / seconds, freezesPerMinute: Double(freezes) * 60 / seconds)
    }

    /// The score of the time since `earlier` was counted of the same track, 1...5; nil where it gave nothing to judge, as
    /// while it is muted.
    ///
    /// - Parameters:
    ///   - earlier: counted before.
    ///   - seconds: the time between the two.
    ///   - roundTripMilliseconds: nil where it isn't known, and counts as none.
    public func score(
        since earlier: ReceiverStatistics, seconds: Double, roundTripMilliseconds: Double?
    ) -> Double? {
        guard seconds > 0, earlier.kind == kind else { return nil }
        return kind == .audio
            ? soundOpinion(since: earlier, roundTripMilliseconds)?.score
            : pictureOpinion(since: earlier, seconds)?.score
    }

    private func soundOpinion(since earlier: ReceiverStatistics, _ roundTrip: Double?) -> AudioOpinion? {
        let played = sound.totalSamplesReceived - earlier.sound.totalSamplesReceived
        // 100 ms; less says nothing.
        guard played >= 4_800 else { return nil }
        let concealed = min(max(sound.concealedSamples - earlier.sound.concealedSamples, 0), played)
        let events = max(sound.concealmentEvents - earlier.sound.concealmentEvents, 1)
        let emitted = sound.jitterBufferEmittedCount - earlier.sound.jitterBufferEmittedCount
        let waited = sound.jitterBufferDelay - earlier.sound.jitterBufferDelay
        let share = Double(concealed) / Double(played)
        return AudioOpinion(
            concealedShare: share, burstRatio: Double(concealed) / Double(events) / Self.packet * (1 - share),
            delayMilliseconds: (roundTrip ?? 0) / 2 + max(waited, 0) / Double(max(emitted, 1)) * 1000 + Self.devices)
    }

    private func pictureOpinion(since earlier: ReceiverStatistics, _ seconds: Double) -> VideoOpinion? {
        let shown = rendering.framesRendered - earlier.rendering.framesRendered
        let frozen = min(max(frozenMilliseconds - earlier.frozenMilliseconds, 0) / 1000, seconds)
        guard shown > 0 || frozen > 0 else { return nil }
        return VideoOpinion(
            height: height, framesPerSecond: Double(max(shown, 0)) / max(seconds - frozen, 0.1),
            frozenShare: frozen / seconds, freezesPerMinute: Double(max(freezes - earlier.freezes, 0)) * 60 / seconds)
    }
}
