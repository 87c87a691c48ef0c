/// Leave to open sockets of the message transport, part of the URL that session information names: sockets are for those
/// alone who have shown a token, and who comes back to a connection shows the ticket that it was begun with. Connection ids
/// prove nothing, for everybody in a session knows them.
package enum MessagingTicket {
    /// Bytes of a ticket that are read at all.
    package static let longest = 128
    /// Seconds in which a first socket may be opened with it.
    package static let lifetime: Int64 = 3600

    /// - Parameter now: seconds since 1970.
    package static func make(
        session: String, secret: String, now: Int64, random: UInt64 = .random(in: .min ... .max)
    ) -> String {
        let claim = "\(now).\(String(random, radix: 16))"
        return "\(claim).\(signature(claim, session, secret))"
    }

    /// Whether a ticket was made for that session, and not too long ago.
    package static func isValid(_ ticket: String, session: String, secret: String, now: Int64) -> Bool {
        guard ticket.utf8.count <= longest else { return false }
        let parts = ticket.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let made = Int64(parts[0]), (0...1 << 48).contains(made),
            (made - OpenTokToken.leeway...made + lifetime).contains(now)
        else { return false }
        let expected = signature("\(parts[0]).\(parts[1])", session, secret)
        return MessageCode.isSame(Array(parts[2].utf8), Array(expected.utf8))
    }

    private static func signature(_ claim: String, _ session: String, _ secret: String) -> String {
        let code = MessageCode.sha256("messaging ticket\n\(session)\n\(claim)".utf8, secret: secret)
        return Base64.encodeURL(Array(code.prefix(18)))
    }
}
