/// LiveKit's session ids ("sids"): a prefix that names the kind, and twelve random letters and digits. `CA_` is ours.
package enum SessionID {
    package static func room() -> String { "RM_" + random() }
    package static func participant() -> String { "PA_" + random() }
    package static func node() -> String { "ND_" + random() }
    package static func call() -> String { "CA_" + random() }
    package static func event() -> String { "EV_" + random() }

    /// `TR_`, then one letter for the type and one for the source: `TR_AM…` is a microphone.
    package static func track(type: Livekit_TrackType, source: Livekit_TrackSource) -> String {
        "TR_" + (type == .video ? "V" : "A") + letter(of: source) + random()
    }

    /// What marks the frames that a server puts into encrypted tracks: 43 letters and digits, known to a room alone.
    package static func trailer() -> String { random(43, of: alphabet) }

    private static func letter(of source: Livekit_TrackSource) -> String {
        switch source {
        case .camera: "C"
        case .microphone: "M"
        case .screenShare: "S"
        case .screenShareAudio: "s"
        default: ""
        }
    }

    // Without the characters that are easily taken for one another.
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")

    private static func random() -> String { random(12, of: alphabet) }

    private static func random(_ count: Int, of characters: [Character]) -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in characters[Int.random(in: 0..<characters.count, using: &generator)] })
    }
}
