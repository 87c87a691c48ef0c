import LiveKitProtocol

/// The provider tokens that we show to APNs, and when another one is made ("Establishing a token-based connection to APNs"): a
/// value. Times are seconds since 1970.
///
/// APNs refuses tokens that are older than an hour, and who makes more than one in 20 minutes.
struct ProviderTokens {
    static let shortestLife: Int64 = 20 * 60
    static let longestLife: Int64 = 60 * 60
    /// Made anew at this age.
    static let life: Int64 = 50 * 60

    private let key: SigningKey
    private let id: String
    private let team: String
    private var current: (token: String, made: Int64)?
    /// Whether the carrier wants none of the current one.
    private var isRefused = false
    /// When one was last made because another had been refused.
    private var replaced: Int64?

    /// - Parameters:
    ///   - id: of the key, ten letters and digits.
    ///   - team: of its owner, too.
    init(_ key: SigningKey, id: String, team: String) {
        self.key = key
        self.id = id
        self.team = team
    }

    /// The one to show. Nil where libcrypto refuses to sign.
    mutating func token(now: Int64) -> String? {
        // A clock that was put back leaves a token of the future: APNs would not take it.
        if let current, !isRefused, (0..<Self.life).contains(now - current.made) { return current.token }
        let claims: [String: JSONValue] = ["iss": .string(team), "iat": .integer(now)]
        guard let token = key.token(header: ["kid": .string(id)], claims: claims) else { return nil }
        if isRefused { replaced = now }
        isRefused = false
        current = (token, now)
        return token
    }

    /// The carrier wants none of that one: another is made at once, but for those that were made for that reason less than 20
    /// minutes ago. Whether it is.
    mutating func refuse(_ token: String, now: Int64) -> Bool {
        guard let current, current.token == token else { return true }
        if let replaced, (0..<Self.shortestLife).contains(now - replaced) { return false }
        isRefused = true
        return true
    }
}
