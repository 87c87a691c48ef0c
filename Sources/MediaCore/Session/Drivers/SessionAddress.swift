import RTCCore
import RTCTransport
import RTCWire

/// Whether a session may leave the address that it was made on, and when it looks whether it has to. A value.
struct SessionAddress {
    /// Between two looks of a session that nobody tells anything.
    static let lookInterval = Interval.milliseconds(500)
    /// After it has moved the other side is silent until it follows.
    static let settling = Interval.seconds(1)

    /// The address was not given, and no emulated network stands behind it.
    let mayMove: Bool
    /// Of a socket that serves several addresses, those that are gone.
    private(set) var gone: Set<TransportAddress> = []
    /// No route led to the other side when the session went there: it goes on to where one does.
    private(set) var isMakeshift = false
    private var failures = 0
    private var looksNext = Instant.zero

    init(_ configuration: MediaSessionConfiguration) {
        let bound = configuration.bindAddress.map { TransportAddress(host: $0, port: 0) }
        let isGiven = bound.map { $0?.isUnspecified != true } ?? false
        mayMove = !isGiven && configuration.remoteAddressMap == nil
    }

    /// Whether to look at the machine's addresses: sends fail, or the other side is silent.
    ///
    /// - Parameter failures: sends that have failed so far.
    mutating func wantsLook(failures: Int, isSilent: Bool, now: Instant) -> Bool {
        guard mayMove, isSilent || failures != self.failures, now >= looksNext else { return false }
        self.failures = failures
        looksNext = now + SessionAddress.lookInterval
        return true
    }

    /// What has become of a socket's bases.
    struct Change: Equatable {
        /// Gone, and not yet a moment ago.
        var lost: [TransportAddress]
        /// Back again.
        var returned: [TransportAddress]
    }

    mutating func note(_ bases: [TransportAddress], _ present: InterfaceAddresses) -> Change {
        let absent = Set(bases.filter { !present.contains($0) })
        defer { gone = absent }
        return Change(
            lost: bases.filter { absent.contains($0) && !gone.contains($0) },
            returned: bases.filter { !absent.contains($0) && gone.contains($0) })
    }

    /// Whether to look for another address: none is left, or the other side is silent where no route led there.
    func isLost(_ bases: [TransportAddress], isSilent: Bool) -> Bool {
        guard !bases.isEmpty else { return false }
        return gone.count == bases.count || (isMakeshift && isSilent)
    }

    /// Whether that other address is better.
    func takes(_ destination: SessionDestination, from bases: [TransportAddress]) -> Bool {
        gone.count == bases.count || (destination.isRouted && !bases.contains { $0.host == destination.host })
    }

    mutating func moved(to destination: SessionDestination, now: Instant) {
        gone = []
        looksNext = now + SessionAddress.settling
        isMakeshift = !destination.isRouted
    }
}

/// Where a session goes on: an address of each family from which the other side is reached, else any that can be used.
struct SessionDestination: Equatable {
    /// Candidates of the other side that are asked about.
    private static let remotes = 8

    /// To bind: an address, or `::` for one of each family.
    let host: String
    /// What `::` stands for.
    let addresses: [TransportAddress]
    /// The other side is reached from there.
    let isRouted: Bool

    /// Nil where this machine has no address left.
    ///
    /// - Parameters:
    ///   - remotes: the other side's addresses.
    ///   - source: where packets to one would leave from.
    init?(
        remotes: [TransportAddress], present: InterfaceAddresses,
        source: (TransportAddress) -> TransportAddress? = { InterfaceAddresses.source(towards: $0) }
    ) {
        var found: [TransportAddress] = []
        for remote in remotes.prefix(SessionDestination.remotes) {
            guard !found.contains(where: { $0.isIPv4 == remote.isIPv4 }), let address = source(remote),
                present.contains(address)
            else { continue }
            found.append(address)
        }
        isRouted = !found.isEmpty
        if found.isEmpty, let any = present.addresses.first(where: { !$0.isLoopback }) ?? present.addresses.first {
            found = [any]
        }
        guard let first = found.first else { return nil }
        (host, addresses) = found.count > 1 ? ("::", found) : (first.host, [])
    }
}
