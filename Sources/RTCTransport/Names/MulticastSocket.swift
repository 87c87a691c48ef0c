import Glibc
import NIOCore
import RTCWire

/// A UDP socket on one interface for one group of multicast DNS: it asks from a port of its own, and is answered there, or
/// it hears what is said to the group.
///
/// One that hears is bound to the group and not to the port alone: another program's unicast stays that program's.
// Made and used on one loop.
final class MulticastSocket {
    /// -1 once it is closed.
    private(set) var descriptor: CInt
    private let group: TransportAddress
    /// The interface's number, as the scope of link-local addresses.
    private let interface: UInt32

    /// Of the interface alone: multicast DNS crosses no router, and says so with the largest value (RFC 6762 section 11).
    private static let hops: CInt = 255

    /// Throws `IOError` with the system's error number.
    ///
    /// - Parameter listening: hears what is said to the group, else asks it.
    init(group: TransportAddress, interface: UInt32, listening: Bool) throws(IOError) {
        self.group = group
        self.interface = interface
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        descriptor = socket(group.isIPv4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        do throws(IOError) {
            try listening ? listen() : prepareToAsk()
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// On the loop, which must no longer watch it.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Sends a query to the group. What the interface does not take is lost, as on a network.
    func ask(_ query: UnsafeRawBufferPointer) {
        withName(group) { name, length in
            _ = sendto(descriptor, query.baseAddress, query.count, CInt(MSG_NOSIGNAL), name, length)
        }
    }

    // MARK: Options

    private func listen() throws(IOError) {
        // Whoever else speaks multicast DNS here has bound the port before.
        try set(SOL_SOCKET, SO_REUSEADDR, 1)
        try bind(group)
        if group.isIPv4 {
            try set(CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, membership)
        } else {
            // `struct ipv6_mreq`, ipv6(7).
            try set(CInt(IPPROTO_IPV6), IPV6_JOIN_GROUP, (group.high.bigEndian, group.low.bigEndian, interface))
        }
    }

    private func prepareToAsk() throws(IOError) {
        if group.isIPv4 {
            try set(CInt(IPPROTO_IP), IP_MULTICAST_IF, membership)
            try set(CInt(IPPROTO_IP), IP_MULTICAST_TTL, MulticastSocket.hops)
        } else {
            try set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_IF, interface)
            try set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, MulticastSocket.hops)
        }
    }

    /// The group on the interface: `struct ip_mreqn`, ip(7).
    private var membership: (UInt32, UInt32, UInt32) { (group.ipv4.bigEndian, 0, interface) }

    private func set<Value: BitwiseCopyable>(_ level: CInt, _ option: CInt, _ value: Value) throws(IOError) {
        let status = withUnsafeBytes(of: value) {
            setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
        }
        guard status == 0 else { throw IOError(errnoCode: errno, reason: "setsockopt") }
    }

    private func bind(_ address: TransportAddress) throws(IOError) {
        let status = withName(address) { name, length in Glibc.bind(descriptor, name, length) }
        guard status == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
    }

    private func withName<Result>(
        _ address: TransportAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = RawSocketAddress(address, forIPv4: address.isIPv4).storage
        if !address.isIPv4 { storage.sin6_scope_id = interface }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, RawSocketAddress.length(isIPv4: address.isIPv4))
            }
        }
    }
}
