import LiveKitProtocol

extension LiveKitParticipant {
    /// Sends a token with which the client can come back: what it may do now, for as long as its own or ten minutes.
    func sendRefreshToken() {
        guard let secret = room.configuration.keys[ticket.claims.issuer] else { return }
        let claims = refreshedClaims(now: Double(WallClock.milliseconds / 1000))
        send(.with { $0.refreshToken = AccessToken.mint(claims, secret: secret) })
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
