/// The users of an application and the hashes of their security keys: the reference authorization service. A user id is
/// given once: neither to somebody else, nor again after its user has gone.
public struct AuthorizationRegistry: Sendable {
    private enum Entry: Sendable {
        /// The hashes of the keys that are good now: after a rotation the former one until it is dropped.
        case active([String])
        case retired
    }

    private struct Key: Hashable {
        var appID: String
        var userID: String
    }

    /// Users that have been and are.
    public static let largest = 100_000
    private let salt: String
    private var entries: [Key: Entry] = [:]

    /// An application service without users.
    ///
    /// - Parameter salt: goes into every hash; random, and kept to oneself. Security keys are to be random themselves: the
    ///   hash is quick.
    public init(salt: String) { self.salt = salt }

    /// Adds a user. Throws `DeskError`: `invalidCredentials` for an id that was ever given, or beyond its bounds.
    public mutating func enroll(appID: String, userID: String, securityKey: String) throws(DeskError) {
        _ = try DeskCredentials(appID: appID, deviceID: "registry", userID: userID, securityKey: securityKey)
        let key = Key(appID: appID, userID: userID)
        guard entries[key] == nil else {
            throw DeskError(.invalidCredentials, "this user id has been given before; ids are never used again")
        }
        guard entries.count < Self.largest else {
            throw DeskError(.refused, "there are \(Self.largest) users; there is no room for more")
        }
        entries[key] = .active([hash(securityKey)])
    }

    /// Gives a user another key. The former one stays good until `dropFormerKeys`, for requests that are on their way.
    public mutating func rotate(appID: String, userID: String, securityKey: String) throws(DeskError) {
        _ = try DeskCredentials(appID: appID, deviceID: "registry", userID: userID, securityKey: securityKey)
        let key = Key(appID: appID, userID: userID)
        guard case .active(let hashes)? = entries[key] else {
            throw DeskError(.invalidCredentials, "there is no such user")
        }
        entries[key] = .active([hash(securityKey)] + hashes.prefix(1))
    }

    /// From now on a user's newest key alone is good.
    public mutating func dropFormerKeys(appID: String, userID: String) {
        let key = Key(appID: appID, userID: userID)
        if case .active(let hashes)? = entries[key] { entries[key] = .active(Array(hashes.prefix(1))) }
    }

    /// A user has gone. The id is remembered and never given again.
    public mutating func retire(appID: String, userID: String) {
        let key = Key(appID: appID, userID: userID)
        if entries[key] != nil { entries[key] = .retired }
    }

    /// Whether the key is the user's.
    package func allows(_ request: AuthorizationRequest) -> Bool {
        let given = hash(request.securityKey)
        guard case .active(let hashes)? = entries[Key(appID: request.appID, userID: request.userID)] else {
            return false
        }
        return hashes.contains { DeskDigest.isSame($0, given) }
    }

    /// Answers a request: 200, 400 or 403; 405 for another method.
    package func answer(_ request: DeskHTTPRequest) -> DeskHTTPResponse {
        do {
            let read = try AuthorizationRequest.read(request)
            return allows(read) ? DeskHTTPResponse(200) : DeskHTTPResponse(DeskRefusal(403, "refused"))
        } catch {
            return DeskHTTPResponse(error)
        }
    }

    private func hash(_ securityKey: String) -> String { DeskDigest.hmac(Array(securityKey.utf8), secret: salt) }
}
