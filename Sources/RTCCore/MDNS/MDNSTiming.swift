import RTCWire

/// Intervals of a resolver.
package struct MDNSTiming: Sendable {
    /// From the first query to the second one; doubles (RFC 6762 section 5.2).
    package var firstWait = Interval.seconds(1)
    /// A name that nobody answers for by then stands for nothing.
    package var patience = Interval.seconds(5)

    package init() {}
}

/// Families of addresses.
package struct MDNSFamilies: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let ipv4 = MDNSFamilies(rawValue: 1)
    package static let ipv6 = MDNSFamilies(rawValue: 2)
}

/// Counters of one resolver.
package struct MDNSStatistics: Sendable, Hashable {
    /// To both groups together.
    package var queriesSent: UInt64 = 0
    package var resolved: UInt64 = 0
    /// Names that nobody answered for.
    package var unresolved: UInt64 = 0
    /// Names beyond the bound.
    package var refused: UInt64 = 0
    package var malformed: UInt64 = 0
    /// Addresses of no use: of another family, multicast, unspecified, link-local, taken back.
    package var unusable: UInt64 = 0

    package init() {}
}
