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
}
