/// The `o=` line: `<user> <session id> <version> <net type> <address type> <address>` (RFC 8866 section 5.2).
package struct SDPOrigin: Hashable, Sendable {
    package var username: String
    /// Decimal digits; stays the same for the life of a connection.
    package var sessionID: String
    /// Decimal digits; grows with every new description.
    package var sessionVersion: String
    package var netType: String
    package var addressType: String
    package var address: String

    package init(sessionID: UInt64, sessionVersion: UInt64, username: String = "-", address: String = "127.0.0.1") {
        self.username = username
        self.sessionID = String(sessionID)
        self.sessionVersion = String(sessionVersion)
        netType = "IN"
        addressType = "IP4"
        self.address = address
    }

    package init?(parsing value: String) {
        let parts = value.fields()
        guard parts.count == 6 else { return nil }
        username = parts[0]
        sessionID = parts[1]
        sessionVersion = parts[2]
        netType = parts[3]
        addressType = parts[4]
        address = parts[5]
    }
}

extension SDPOrigin: CustomStringConvertible {
    package var description: String {
        "\(username) \(sessionID) \(sessionVersion) \(netType) \(addressType) \(address)"
    }
}
