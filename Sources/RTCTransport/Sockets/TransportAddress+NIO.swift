import Glibc
import NIOCore
import RTCWire

extension TransportAddress {
    /// The value of a socket address; `nil` for a Unix domain socket.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let v4):
            let raw = v4.address
            self.init(ipv4: UInt32(bigEndian: raw.sin_addr.s_addr), port: UInt16(bigEndian: raw.sin_port))
        case .v6(let v6):
            let raw = v6.address
            let (high, low) = withUnsafeBytes(of: raw.sin6_addr) {
                (
                    UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                    UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
            self.init(high: high, low: low, port: UInt16(bigEndian: raw.sin6_port))
        case .unixDomainSocket:
            return nil
        }
    }

    /// The address in the form that sockets take.
    package var socketAddress: SocketAddress {
        if isIPv4 {
            var raw = sockaddr_in()
            raw.sin_family = sa_family_t(AF_INET)
            raw.sin_port = port.bigEndian
            raw.sin_addr.s_addr = ipv4.bigEndian
            return SocketAddress(raw)
        }
        var raw = sockaddr_in6()
        raw.sin6_family = sa_family_t(AF_INET6)
        raw.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &raw.sin6_addr) {
            $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return SocketAddress(raw)
    }
}
