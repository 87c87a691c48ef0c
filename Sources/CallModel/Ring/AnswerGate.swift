/// Whether a client may be started on a device: only while its application is active and its user has authenticated.
///
/// A native call screen takes an answer on a locked device; the application is then not active, and may not be signed in.
public struct AnswerGate: Sendable, Hashable {
    /// Whether the device is locked. A locked device's application is not active.
    public var isLocked: Bool
    /// Whether the application is in the foreground.
    public var isActive: Bool
    /// Whether the application's own authentication is done, or none is needed.
    public var isAuthenticated: Bool

    /// Unlocked, in the foreground, authenticated: what a program without a screen is.
    public init(isLocked: Bool = false, isActive: Bool = true, isAuthenticated: Bool = true) {
        self.isLocked = isLocked
        self.isActive = isActive
        self.isAuthenticated = isAuthenticated
    }

    /// Whether the client may start.
    public var isOpen: Bool { !isLocked && isActive && isAuthenticated }

    /// What is being waited for, for people; empty where nothing is.
    public var missing: String {
        var reasons: [String] = []
        if isLocked { reasons.append("the device is locked") }
        if !isActive { reasons.append("the application is not active") }
        if !isAuthenticated { reasons.append("the user has not authenticated") }
        return reasons.joined(separator: ", ")
    }
}

/// What a device shows after a call was answered on its native call screen.
public enum AnsweredScreen: Sendable, Hashable {
    /// The native call screen stays.
    case callScreen
    /// The application comes to the foreground by itself.
    case application

    /// Within so many milliseconds an unlock counts as quick.
    public static let quickUnlock: Int64 = 3_000

    /// What happens with a call of `type`, unlocked so many milliseconds after the answer; 0 where it was not locked, nil
    /// where it stays so. Only a call with pictures and a quick unlock opens the application.
    public static func after(answering type: CallType, unlockedAfter milliseconds: Int64?) -> AnsweredScreen {
        guard type == .video, let milliseconds, milliseconds <= quickUnlock else { return .callScreen }
        return .application
    }
}

/// Where calls may appear on a system's native call screen.
public enum NativeCallScreen {
    /// False in China, where an incoming call is shown as an ordinary notification.
    ///
    /// - Parameter region: the device's region, `CH`, `CN`, `zh_CN` or `CHN` for example.
    public static func isSupported(region: String) -> Bool {
        !region.uppercased().split { !$0.isLetter }.contains { $0 == "CN" || $0 == "CHN" }
    }
}
