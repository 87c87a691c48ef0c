import RTCWire

/// How many connections each host has. IPv6 hosts are told apart by their first 64 bits: whoever has one such address has
/// all of them (RFC 4291 section 2.5.4).
struct HostCounts {
    private struct Host: Hashable {
        var high: UInt64
        var low: UInt64

        init(_ address: TransportAddress) {
            high = address.high
            low = address.isIPv4 ? address.low : 0
        }
    }

    private var counts: [Host: Int] = [:]

    func count(_ address: TransportAddress) -> Int { counts[Host(address)] ?? 0 }

    static func isSame(_ a: TransportAddress, _ b: TransportAddress) -> Bool { Host(a) == Host(b) }

    mutating func add(_ address: TransportAddress) { counts[Host(address), default: 0] += 1 }

    /// One that was added before.
    mutating func remove(_ address: TransportAddress) {
        let host = Host(address)
        guard let count = counts[host] else { return }
        counts[host] = count > 1 ? count - 1 : nil
    }
}
