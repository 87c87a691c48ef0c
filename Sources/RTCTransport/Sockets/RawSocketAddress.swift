import Glibc
import RTCWire

/// A `sockaddr_in` or `sockaddr_in6` as the kernel takes it, made once per destination.
struct RawSocketAddress {
    /// Large enough for both; the family says which one it is.
    private(set) var storage = sockaddr_in6()

    /// Of a socket address of the family, in bytes.
    static func length(isIPv4: Bool) -> socklen_t {
        socklen_t(isIPv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
    }

    /// - Parameter forIPv4: the socket's family; an IPv6 socket takes IPv4 addresses in their mapped form.
    init(_ address: TransportAddress, forIPv4: Bool) {
        if forIPv4 {
            var raw = sockaddr_in()
            raw.sin_family = sa_family_t(AF_INET)
            raw.sin_port = address.port.bigEndian
            raw.sin_addr.s_addr = address.ipv4.bigEndian
            withUnsafeMutableBytes(of: &storage) { target in
                withUnsafeBytes(of: raw) { target.copyMemory(from: $0) }
            }
            return
        }
        storage.sin6_family = sa_family_t(AF_INET6)
        storage.sin6_port = address.port.bigEndian
        withUnsafeMutableBytes(of: &storage.sin6_addr) {
            $0.storeBytes(of: address.high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }
}
