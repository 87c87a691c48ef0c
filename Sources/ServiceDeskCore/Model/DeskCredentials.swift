/// Whose chat it is: two that differ never see each other's.
public enum DeskOwner: Sendable, Hashable {
    /// Anonymous: the chat is tied to a device.
    case device(String)
    /// A user of the application, on all their devices.
    case user(String)

    /// One text for each owner.
    package var key: String {
        switch self {
        case .device(let name): "device:\(name)"
        case .user(let name): "user:\(name)"
        }
    }
}

/// Who asks: the application, the device, and, where the application vouches for them, the user.
public struct DeskCredentials: Sendable, Hashable {
    /// The two modes; they exclude each other.
    public enum Authentication: Sendable, Hashable {
        /// Nobody vouches for the user; the history is the device's.
        case anonymous
        /// The application's own service vouches for the user, who has one history on all devices. The id never changes and
        /// is never given to anybody else; the key may change.
        case external(userID: String, securityKey: String)
    }

    /// From the settings of the form that tickets are made from.
    public let appID: String
    /// Names the device; random, so that nobody guesses it: in anonymous mode it is all that protects the chat.
    public let deviceID: String
    /// How the user is authenticated.
    public private(set) var authentication: Authentication

    /// Credentials; without `userID` they are anonymous. Throws `DeskError`: `missingAppID`, `invalidCredentials`.
    ///
    /// - Parameters:
    ///   - userID: 1 to 100 characters; nil for anonymous.
    ///   - securityKey: 1 to 100 characters; belongs to `userID`.
    public init(
        appID: String?, deviceID: String, userID: String? = nil, securityKey: String? = nil
    ) throws(DeskError) {
        guard let appID, !appID.isEmpty else {
            throw DeskError(.missingAppID, "there is no application id; take it from the settings of the form's chat")
        }
        guard DeskBounds.isIdentifier(appID, limit: DeskBounds.appCharacters) else {
            throw DeskError(
                .missingAppID, "the application id has 1 to \(DeskBounds.appCharacters) printable characters")
        }
        guard DeskBounds.isIdentifier(deviceID) else {
            throw DeskError(.invalidCredentials, Self.bounds("the device id"))
        }
        self.appID = appID
        self.deviceID = deviceID
        guard let userID else {
            guard securityKey == nil else {
                throw DeskError(.invalidCredentials, "a security key belongs to a user id; give both, or neither")
            }
            authentication = .anonymous
            return
        }
        guard DeskBounds.isIdentifier(userID) else { throw DeskError(.invalidCredentials, Self.bounds("the user id")) }
        authentication = .external(userID: userID, securityKey: try Self.checked(securityKey))
    }

    /// Replaces the key of an external user; the user stays the same. Throws `invalidCredentials`.
    public mutating func rotate(securityKey: String) throws(DeskError) {
        guard case .external(let userID, _) = authentication else {
            throw DeskError(.invalidCredentials, "an anonymous chat has no security key")
        }
        authentication = .external(userID: userID, securityKey: try Self.checked(securityKey))
    }

    /// Whose chat these credentials open.
    public var owner: DeskOwner {
        switch authentication {
        case .anonymous: .device(deviceID)
        case .external(let userID, _): .user(userID)
        }
    }

    /// What must not be repeated in messages.
    package var secrets: [String] {
        switch authentication {
        case .anonymous: [deviceID]
        case .external(_, let securityKey): [securityKey, deviceID]
        }
    }

    private static func checked(_ key: String?) throws(DeskError) -> String {
        guard let key, DeskBounds.isIdentifier(key) else {
            throw DeskError(.invalidCredentials, bounds("the security key of an external user"))
        }
        return key
    }

    private static func bounds(_ field: String) -> String {
        "\(field) has 1 to \(DeskBounds.identifierCharacters) characters, none of them a control"
    }
}
