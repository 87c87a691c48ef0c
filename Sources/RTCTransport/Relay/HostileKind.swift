/// What a hostile datagram is made of.
package enum HostileKind: Int, Sendable, Hashable, CaseIterable {
    /// Random bytes of random length.
    case randomBytes
    /// The beginning of a real datagram.
    case truncated
    /// A real STUN message with some bytes changed, half of the time under a right FINGERPRINT.
    case mutatedSTUN
    /// A real DTLS record with some bytes changed.
    case mutatedDTLS
    /// A real SRTP packet with some bytes changed.
    case mutatedRTP
    /// A real SRTCP packet with some bytes changed.
    case mutatedRTCP
    /// A real datagram once more.
    case replay
    /// A binding request or response of the right user name with another MESSAGE-INTEGRITY and a right FINGERPRINT.
    case wrongIntegrity
    /// An unauthenticated answer to a real request of the other side.
    case forgedResponse
    /// An alert in the clear, which would end the DTLS connection if it were believed.
    case forgedAlert

    /// As it stands in reports.
    package var name: String { "\(self)" }
}

/// How many hostile datagrams went out.
package struct HostileStatistics: Sendable, Hashable {
    /// By `HostileKind.rawValue`, on participants' own addresses.
    package private(set) var counts = [Int](repeating: 0, count: HostileKind.allCases.count)
    /// From unknown addresses to the server's port.
    package var flooded = 0

    package init() {}

    package subscript(kind kind: HostileKind) -> Int { counts[kind.rawValue] }
    /// All that were injected on participants' own addresses.
    package var injected: Int { counts.reduce(0, +) }

    mutating func count(_ kind: HostileKind) { counts[kind.rawValue] += 1 }
}
