import Glibc
import NIOCore
import NIOPosix
import RTCWire

/// Looks names up in the system's name service, on threads that may wait.
package enum HostLookup {
    /// The first address of a host in a socket's family; nil where there is none.
    package static func address(of host: String, port: UInt16, isIPv4: Bool) async -> TransportAddress? {
        if let address = TransportAddress(host: host, port: port) { return address.isIPv4 == isIPv4 ? address : nil }
        return try? await NIOThreadPool.singleton.runIfActive { first(host, port, isIPv4) }
    }

    private static func first(_ host: String, _ port: UInt16, _ isIPv4: Bool) -> TransportAddress? {
        var hints = addrinfo()
        hints.ai_family = isIPv4 ? AF_INET : AF_INET6
        hints.ai_socktype = CInt(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0, let info = found else { return nil }
        defer { freeaddrinfo(info) }
        guard let name = info.pointee.ai_addr else { return nil }
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text -> String? in
            guard getnameinfo(name, info.pointee.ai_addrlen, text.baseAddress, 64, nil, 0, NI_NUMERICHOST) == 0 else {
                return nil
            }
            return text.baseAddress.map { String(cString: $0) }
        }
        return text.flatMap { TransportAddress(host: $0, port: port) }
    }
}
