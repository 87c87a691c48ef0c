import RTCCore
import RTCWire

/// A way through one TURN server: its client, and the stream to it where that is TCP or TLS.
final class RelayPath {
    /// 1..., as local candidates have it.
    let path: UInt8
    let server: ICEServerAddress
    var client: TURNClient
    /// The stream, once it stands.
    var stream: RelayLink?
    /// The candidate that stands for it.
    var base: TransportAddress?
    /// When it is made anew.
    var revival = RelayRevival()
    /// The peer knows that the server says nothing.
    private var isToldSilent = false

    /// Datagrams to a server over a stream are marked so in the outbox.
    static let streamBit: UInt8 = 0x80

    init(path: UInt8, server: ICEServerAddress) {
        self.path = path
        self.server = server
        var configuration = TURNConfiguration(
            server: server.address, username: server.username, password: server.password)
        if server.url.transport != .udp {
            configuration.isReliable = true
            configuration.wire = path | RelayPath.streamBit
        }
        client = TURNClient(configuration: configuration)
    }

    /// Whether the server has just fallen silent.
    func fallsSilent() -> Bool {
        defer { isToldSilent = client.isSilent }
        return client.isSilent && !isToldSilent
    }

    /// Another one in its place, for the same server.
    func successor() -> RelayPath {
        let result = RelayPath(path: path, server: server)
        result.revival = revival
        result.revival.begin()
        return result
    }

    /// It gives no relay any more.
    var hasEnded: Bool {
        switch client.state {
        case .failed, .closed: true
        case .idle, .allocating, .allocated: false
        }
    }

    var isStream: Bool { server.url.transport != .udp }

    /// RFC 8445 section 5.1.2.1 leaves it to us: the way with the least delay first.
    var rank: UInt16 {
        switch server.url.transport {
        case .udp: 0
        case .tcp: 1
        case .tls: 2
        }
    }
}
