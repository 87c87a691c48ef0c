public import MediaCore

/// Whether an application may use a microphone or a camera.
public enum MediaPermission: String, Sendable, Hashable, Codable, CaseIterable {
    /// It may.
    case granted
    /// Not now; it may ask again.
    case denied
    /// Not, and asking again is in vain: only the system's settings change it.
    case permanentlyDenied
    /// Nobody has asked yet.
    case notAsked
}

/// Knows, and asks for, the permissions of microphone (`audio`) and camera (`video`).
public protocol MediaPermissionSource: Sendable {
    /// How it stands.
    func status(of kind: MediaKind) async -> MediaPermission
    /// Asks the user where that was not done, and says how it stands then.
    func request(_ kind: MediaKind) async -> MediaPermission
}

/// Permissions that are what they are: for programs that publish files and generated media.
public struct FixedMediaPermissions: MediaPermissionSource {
    private let microphone: MediaPermission
    private let camera: MediaPermission

    /// Fixed permissions; both granted unless said otherwise.
    public init(microphone: MediaPermission = .granted, camera: MediaPermission = .granted) {
        self.microphone = microphone
        self.camera = camera
    }

    /// The fixed permission.
    public func status(of kind: MediaKind) async -> MediaPermission { kind == .audio ? microphone : camera }
    /// The fixed permission: there is nobody to ask.
    public func request(_ kind: MediaKind) async -> MediaPermission { await status(of: kind) }
}

/// What a participant publishes in a call, decided by what the call is for and what may be used.
public struct MediaPlan: Sendable, Hashable {
    /// What is published.
    public var publishes: PublishedMedia
    /// What the call is for, and may not be used.
    public var refused: [MediaKind]

    /// Whether we only watch and listen.
    public var isListenOnly: Bool { publishes == .none }

    /// Decides. Without the camera a call is one of sound; without the microphone we listen only, unless that is not
    /// allowed.
    ///
    /// - Parameters:
    ///   - wanted: what the call is for.
    ///   - permissions: asked only for what is wanted.
    ///   - allowsListenOnly: whether taking part without a microphone will do.
    /// - Throws: `CallError` with the code `permissionDenied`, which says what to change.
    public static func decide(
        for wanted: PublishedMedia, permissions: any MediaPermissionSource, allowsListenOnly: Bool = true
    ) async throws(CallError) -> MediaPlan {
        let microphone = wanted.hasAudio ? await settle(.audio, permissions) : .granted
        guard !wanted.hasAudio || microphone == .granted || allowsListenOnly else {
            throw refusal(of: .audio, microphone)
        }
        // Nobody is seen who can't be heard.
        let mayShow = wanted.hasVideo && microphone == .granted
        let camera = mayShow ? await settle(.video, permissions) : .denied
        if !wanted.hasAudio, wanted.hasVideo, camera != .granted, !allowsListenOnly {
            throw refusal(of: .video, camera)
        }
        let publishes = PublishedMedia(
            audio: wanted.hasAudio && microphone == .granted, video: mayShow && camera == .granted)
        var refused: [MediaKind] = []
        if wanted.hasAudio, !publishes.hasAudio { refused.append(.audio) }
        if wanted.hasVideo, !publishes.hasVideo { refused.append(.video) }
        return MediaPlan(publishes: publishes, refused: refused)
    }

    /// Asks where asking may help.
    static func settle(_ kind: MediaKind, _ permissions: any MediaPermissionSource) async -> MediaPermission {
        let status = await permissions.status(of: kind)
        switch status {
        case .granted, .permanentlyDenied: return status
        case .denied, .notAsked: return await permissions.request(kind)
        }
    }

    static func refusal(of kind: MediaKind, _ permission: MediaPermission) -> CallError {
        let device = kind == .audio ? "microphone" : "camera"
        let remedy =
            permission == .permanentlyDenied
            ? "allow it in the system's settings" : "allow it when asked, or take part listening only"
        return CallError(.environment, .permissionDenied, "the \(device) may not be used; \(remedy)")
    }
}
