import RTCCore
import RTCWire
import TransportSecurity

/// A STUN or TURN server whose name has been looked up.
package struct ICEServerAddress: Sendable {
    package var url: ICEServerURL
    package var address: TransportAddress
    /// For TURN.
    package var username: String
    package var password: String
    /// Whose certificates are believed, for TURN over TLS.
    package var trust: TLSTrust

    package init(
        url: ICEServerURL, address: TransportAddress, username: String, password: String, trust: TLSTrust
    ) {
        self.url = url
        self.address = address
        self.username = username
        self.password = password
        self.trust = trust
    }

    /// Its URL without what one need not write.
    package var description: String {
        switch (url.kind, url.transport) {
        case (.stun, _): "stun:\(url.host):\(url.port)"
        case (.turn, .udp): "turn:\(url.host):\(url.port)"
        case (.turn, .tcp): "turn:\(url.host):\(url.port)?transport=tcp"
        case (.turn, .tls): "turns:\(url.host):\(url.port)"
        }
    }

    /// Two with the same one are the same way to the same server, under one name.
    package var key: String { "\(url.transport) \(address) \(username)" }
}
