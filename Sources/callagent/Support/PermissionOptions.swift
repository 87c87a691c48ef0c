import ArgumentParser
import CallBridge
import MediaCore

/// What a device's user has allowed: as an application asks its system, so that its ways can be tried here.
struct PermissionOptions: ParsableArguments {
    private static let values = "granted, denied, permanently-denied or not-asked."

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Whether the microphone may be used: \(values)", valueName: "permission"),
        transform: { try permission($0, "--microphone-permission") })
    var microphonePermission = MediaPermission.granted

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Whether the camera may be used: \(values)", valueName: "permission"),
        transform: { try permission($0, "--camera-permission") })
    var cameraPermission = MediaPermission.granted

    @Flag(name: .long, help: "Don't take part at all where the microphone may not be used, instead of listening only.")
    var noListenOnly = false

    private static func permission(_ text: String, _ option: String) throws -> MediaPermission {
        switch text {
        case "granted": return .granted
        case "denied": return .denied
        case "permanently-denied": return .permanentlyDenied
        case "not-asked": return .notAsked
        default: throw ValidationError("\(option) \(text): use \(values)")
        }
    }

    /// What is published of what was given. Throws `CallError` where taking part is then not wanted.
    func plan(for wanted: PublishedMedia) async throws(CallError) -> MediaPlan {
        try await MediaPlan.decide(
            for: wanted,
            permissions: FixedMediaPermissions(microphone: microphonePermission, camera: cameraPermission),
            allowsListenOnly: !noListenOnly)
    }
}

/// What we published, and what we may not.
struct PublishedReport: Codable {
    /// AUDIO, VIDEO, AUDIO_VIDEO, or NONE for listening only.
    var published: String
    /// `audio` and `video`, where a permission was missing.
    var refused: [String]

    init(_ plan: MediaPlan) {
        published = plan.publishes.rawValue
        refused = plan.refused.map(\.rawValue)
    }

    /// What was to be sent and may not; nil where all of it may.
    var sentence: String? {
        guard !refused.isEmpty else { return nil }
        return "we had no permission to send \(refused.joined(separator: " and ")); grant it, or leave it out"
    }
}
