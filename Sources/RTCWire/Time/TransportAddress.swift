/// What carries packets between two addresses.
public enum IPTransport: UInt8, Hashable, Sendable {
    case udp
    /// Packets in frames (RFC 4571) on a stream.
    case tcp
}

/// An IP address and a port of UDP or TCP, as a plain value: 16 bytes of IPv6, with IPv4 in its mapped form (RFC 4291
/// section 2.5.5.2).
public struct TransportAddress: Hashable, Sendable {
    /// The first eight bytes of the IPv6 address, big-endian. Zero for IPv4.
    public var high: UInt64
    /// The last eight bytes, big-endian; for IPv4 `0x0000_ffff` followed by the four address bytes.
    public var low: UInt64
    /// 0...65535.
    public var port: UInt16
    /// Whose port it is, TCP's or UDP's: one number is two ports.
    public var isTCP = false

    /// The UDP port of an address, in the form that is kept.
    @inlinable public init(high: UInt64, low: UInt64, port: UInt16) {
        self.high = high
        self.low = low
        self.port = port
    }

    /// An IPv4 address given as a host-order number: `0x7f00_0001` is 127.0.0.1.
    @inlinable public init(ipv4: UInt32, port: UInt16) {
        self.init(high: 0, low: 0x0000_ffff_0000_0000 | UInt64(ipv4), port: port)
    }

    /// True for IPv4, which is kept in its mapped form.
    @inlinable public var isIPv4: Bool { high == 0 && low >> 32 == 0x0000_ffff }
    /// The IPv4 address as a host-order number; meaningful only where `isIPv4` holds.
    @inlinable public var ipv4: UInt32 { UInt32(truncatingIfNeeded: low) }

    /// Whether both are the same port of the same address.
    @inlinable public static func == (a: TransportAddress, b: TransportAddress) -> Bool {
        a.low == b.low && a.port == b.port && a.high == b.high && a.isTCP == b.isTCP
    }

    package var transport: IPTransport { isTCP ? .tcp : .udp }

    /// The same IP address and another port.
    package func with(_ transport: IPTransport, port: UInt16) -> TransportAddress {
        var result = self
        result.isTCP = transport == .tcp
        result.port = port
        return result
    }

    /// The same numbers as those of another transport.
    package func over(_ transport: IPTransport) -> TransportAddress { with(transport, port: port) }

    /// Whether both name one IP address, whatever the ports.
    @inlinable public func sharesHost(with other: TransportAddress) -> Bool { high == other.high && low == other.low }
}
