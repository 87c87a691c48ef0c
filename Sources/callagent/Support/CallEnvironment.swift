import Foundation

/// Settings from the environment, named as LiveKit's own tools name them; ours where those have no name.
enum CallEnvironment {
    enum Name: String, CaseIterable {
        case url = "LIVEKIT_URL"
        case apiKey = "LIVEKIT_API_KEY"
        case apiSecret = "LIVEKIT_API_SECRET"
        case token = "LIVEKIT_TOKEN"
        case encryptionKey = "CALLBRIDGE_E2EE_KEY"
        case turnCredential = "CALLBRIDGE_TURN_CREDENTIAL"
        case turnSecret = "CALLBRIDGE_TURN_SECRET"
        case securityKey = "CALLBRIDGE_SECURITY_KEY"
        case certificatePassword = "CALLBRIDGE_CLIENT_CERTIFICATE_PASSWORD"
        case webhookSecret = "CALLBRIDGE_WEBHOOK_SECRET"
    }

    /// Replaced in tests.
    @TaskLocal static var variables = ProcessInfo.processInfo.environment

    /// The value of a setting; nil where it is unset or empty.
    static subscript(name: Name) -> String? {
        guard let value = variables[name.rawValue], !value.isEmpty else { return nil }
        return value
    }

    /// The same for a secret, which is then cut out of every message.
    static func secret(_ name: Name) -> String? {
        let value = self[name]
        if let value { Secrets.note(value) }
        return value
    }
}
