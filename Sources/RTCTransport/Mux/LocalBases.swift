import NIOCore
import NIOPosix
import RTCWire

/// The addresses of this machine that one socket serves: one, or all of a family or two where it is bound to an
/// unspecified address. Each is the base (RFC 8445 section 4) of host candidates.
///
/// A socket that serves several is told by the kernel where a datagram went, and says where one is to leave from:
/// else an answer could come from another address than the one that was asked, which ICE refuses (section 7.2.5.2.1).
package struct LocalBases: Sendable {
    /// What the socket is bound to.
    package let bound: TransportAddress
    /// With the socket's port; at most `limit`.
    package let addresses: [TransportAddress]

    /// Enough for any machine, and for the paths of the outbox.
    static let limit = 32
    /// Outbox paths from here on are these addresses; below are relays.
    static let firstPath: UInt8 = 0x41

    /// - Parameter wanted: of an unspecified address; none means all that others can reach.
    init(bound: TransportAddress, wanted: [TransportAddress]) {
        self.bound = bound
        guard bound.isUnspecified else {
            addresses = [bound]
            return
        }
        let served = (wanted.isEmpty ? LocalBases.ofInterfaces() : wanted).filter {
            LocalBases.serves($0, bound: bound)
        }
        // Loopback only where it is asked for, or a family has nothing else: others can't reach it.
        let reachable = served.filter { !$0.isLoopback }
        let chosen = served.filter { address in
            !wanted.isEmpty || !address.isLoopback || !reachable.contains { $0.isIPv4 == address.isIPv4 }
        }
        addresses = chosen.prefix(LocalBases.limit).map {
            TransportAddress(high: $0.high, low: $0.low, port: bound.port)
        }
    }

    private static func ofInterfaces() -> [TransportAddress] {
        let devices = (try? System.enumerateDevices()) ?? []
        var seen: Set<TransportAddress> = []
        return devices.compactMap { $0.address.flatMap { TransportAddress($0) } }
            .filter { !$0.isUnspecified && !$0.isLinkLocal && seen.insert($0).inserted }
    }

    /// Whether the socket has a way to an address: one on `::` takes both families.
    static func serves(_ address: TransportAddress, bound: TransportAddress) -> Bool {
        bound.isIPv4 == address.isIPv4 || (bound.isUnspecified && !bound.isIPv4)
    }

    package func serves(_ address: TransportAddress) -> Bool { LocalBases.serves(address, bound: bound) }

    /// The base of a datagram that was sent to `destination`; what the socket is bound to where it is none of ours.
    func base(of destination: TransportAddress?) -> TransportAddress {
        guard bound.isUnspecified else { return bound }
        guard let destination else { return bound }
        for address in addresses where address.high == destination.high && address.low == destination.low {
            return address
        }
        return bound
    }

    /// The first address of the family of `remote`, from which it may be reached.
    package func base(reaching remote: TransportAddress) -> TransportAddress? {
        addresses.first { $0.isIPv4 == remote.isIPv4 }
    }

    /// Which path datagrams from a base take: 0 where there is no choice.
    func path(of base: TransportAddress) -> UInt8 {
        guard bound.isUnspecified, let index = addresses.firstIndex(of: base) else { return 0 }
        return LocalBases.firstPath + UInt8(truncatingIfNeeded: index)
    }

    /// The address that datagrams of a path leave from; nil leaves it to the kernel.
    func source(ofPath path: UInt8) -> TransportAddress? {
        guard path >= LocalBases.firstPath else { return nil }
        let index = Int(path - LocalBases.firstPath)
        return index < addresses.count ? addresses[index] : nil
    }
}

extension TransportAddress {
    package var isUnspecified: Bool { isIPv4 ? ipv4 == 0 : high == 0 && low == 0 }
    package var isLoopback: Bool { isIPv4 ? ipv4 >> 24 == 127 : high == 0 && low == 1 }
    /// fe80::/10 needs a scope that candidates can't name; 169.254/16 is no use to others.
    package var isLinkLocal: Bool { isIPv4 ? ipv4 >> 16 == 0xa9fe : high >> 54 == 0x3fa }
}
