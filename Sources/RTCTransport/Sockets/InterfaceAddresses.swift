import Glibc
import RTCWire

/// The addresses of this machine that packets can leave from: those of interfaces that are up and have a carrier. A value.
package struct InterfaceAddresses: Sendable, Hashable {
    /// Without ports, in the system's order; link-local ones are left out.
    package private(set) var addresses: [TransportAddress]
    /// All of 127.0.0.0/8 and ::1 can be used.
    private var hasLoopback = false

    /// IFF_UP and IFF_LOWER_UP, netdevice(7). IFF_RUNNING may come a second after the carrier.
    private static let usable: UInt32 = 0x1 | 0x10000
    /// IFF_LOOPBACK.
    private static let loopback: UInt32 = 0x8

    package init(_ addresses: [TransportAddress]) { self.addresses = addresses.map { $0.with(.udp, port: 0) } }

    /// Those of this moment; nil where the system doesn't tell.
    package static func current() -> InterfaceAddresses? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var result = InterfaceAddresses([])
        var next = list
        while let entry = next {
            result.add(entry.pointee)
            next = entry.pointee.ifa_next
        }
        return result
    }

    private mutating func add(_ entry: ifaddrs) {
        guard entry.ifa_flags & InterfaceAddresses.usable == InterfaceAddresses.usable else { return }
        if entry.ifa_flags & InterfaceAddresses.loopback != 0 { hasLoopback = true }
        guard let address = TransportAddress(reading: entry.ifa_addr), !address.isUnspecified, !address.isLinkLocal
        else { return }
        addresses.append(address.with(.udp, port: 0))
    }

    /// Whether packets can leave from an address, whatever its port is.
    package func contains(_ address: TransportAddress) -> Bool {
        if hasLoopback, address.isLoopback { return true }
        return addresses.contains { $0.sharesHost(with: address) }
    }

    /// The address that the kernel sends from towards another one (nothing is sent); nil where no route leads there.
    package static func source(towards remote: TransportAddress) -> TransportAddress? {
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(remote.isIPv4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var name = RawSocketAddress(remote, forIPv4: remote.isIPv4).storage
        var length = RawSocketAddress.length(isIPv4: remote.isIPv4)
        let status = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        return status == 0 ? TransportAddress(name).with(.udp, port: 0) : nil
    }
}

extension TransportAddress {
    /// Nil for what is of neither family.
    fileprivate init?(reading name: UnsafeMutablePointer<sockaddr>?) {
        guard let name else { return nil }
        let family = CInt(name.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        var raw = sockaddr_in6()
        withUnsafeMutableBytes(of: &raw) {
            $0.copyMemory(
                from: UnsafeRawBufferPointer(
                    start: name, count: Int(RawSocketAddress.length(isIPv4: family == AF_INET))))
        }
        self.init(raw)
    }
}
