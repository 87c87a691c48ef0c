/// What a receiver does with the frames of a track.
enum FrameGate {
    case clear
    /// To be decrypted with this participant's key.
    case encrypted(String)

    /// Nil where nothing may be played: ciphertext without keys is loud noise, and what may be ciphertext has to wait
    /// until the signalling says what it is.
    init?(_ protection: RemoteTrack.Protection, hasKeys: Bool) {
        switch protection {
        case .clear: self = .clear
        case .unknown:
            if hasKeys { return nil }
            self = .clear
        case .encrypted(let participant):
            guard hasKeys else { return nil }
            self = .encrypted(participant)
        }
    }
}
