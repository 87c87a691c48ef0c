import LiveKitProtocol

extension LiveKitParticipant {
    private static let longestToken = 64 * 1024

    /// Sends a token with which the client can come back.
    func sendRefreshToken() {
        let now = Double(WallClock.milliseconds / 1000)
        guard let record, var claims = liveKit.dialect.refreshedClaims(of: record, now: now),
            let secret = room.configuration.keys[claims.issuer]
        else { return }
        var token = AccessToken.mint(claims, secret: secret)
        if token.utf8.count > Self.longestToken {
            // Who comes back keeps what is known here; a token that no head of a request has room for helps nobody.
            claims.metadata = nil
            claims.attributes = nil
            claims.roomConfig = nil
            token = AccessToken.mint(claims, secret: secret)
        }
        send(.with { $0.refreshToken = token })
    }
}
