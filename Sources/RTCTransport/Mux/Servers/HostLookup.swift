import Glibc
import NIOCore
import NIOPosix
import RTCWire

/// Looks names up in the system's name service, on threads that may wait.
package enum HostLookup {
    /// The first address of a host in a family that a socket serves; nil where there is none.
    package static func address(
        of host: String, port: UInt16, from bases: LocalBases
    ) async -> TransportAddress? {
        if let address = TransportAddress(host: host, port: port) {
            return bases.base(reaching: address) == nil ? nil : address
        }
        return try? await NIOThreadPool.singleton.runIfActive { first(host, port, bases) }
    }

    private static func first(_ host: String, _ port: UInt16, _ bases: LocalBases) -> TransportAddress? {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0, let list = found else { return nil }
        defer { freeaddrinfo(list) }
        for info in sequence(first: list, next: { $0.pointee.ai_next }) {
            guard let address = numeric(info, port), bases.base(reaching: address) != nil else { continue }
            return address
        }
        return nil
    }

    private static func numeric(_ info: UnsafeMutablePointer<addrinfo>, _ port: UInt16) -> TransportAddress? {
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
