import LiveKitProtocol

extension LiveKitParticipant {
    private static let longestToken = 64 * 1024

    /// Sends a token with which the client can come back: what it may do now, for as long as its own or ten minutes.
    func sendRefreshToken() {
        guard let secret = room.configuration.keys[ticket.claims.issuer] else { return }
        var claims = refreshedClaims(now: Double(WallClock.milliseconds / 1000))
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

    private func refreshedClaims(now: Double) -> TokenClaims {
        var claims = ticket.claims
        let remaining = (claims.expires ?? now) - now
        claims.subject = identity
        claims.notBefore = now
        claims.expires = now + max(600, remaining.rounded())
        guard let record = room.model.participant(sid) else { return claims }
        claims.name = record.name.isEmpty ? nil : record.name
        claims.metadata = record.metadata.isEmpty ? nil : record.metadata
        claims.attributes = record.attributes.isEmpty ? nil : record.attributes
        claims.video?.apply(record.permissions)
        return claims
    }
}
