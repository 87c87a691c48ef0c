import RTCWire

/// Asks the local network for the addresses of names by one-shot queries of multicast DNS, RFC 6762 section 5.1.
///
/// Its queries go to the groups on every interface: how, is the driver's affair, which hands in whatever comes back. The
/// first usable address of a name counts. Nothing is kept but what was asked for.
package struct MDNSResolver: Sendable {
    /// What is known of a name.
    package enum Answer: Sendable, Hashable {
        /// Its address, with port 0.
        case found(TransportAddress)
        /// `receive` or `advance` will tell.
        case awaited
        /// One name more than a session may ask for.
        case refused
    }

    private struct Query {
        let name: HiddenHostName
        let endsAt: Instant
        var nextAt: Instant
        var wait: Interval
    }

    package private(set) var statistics = MDNSStatistics()
    private let families: MDNSFamilies
    private let timing: MDNSTiming
    private let limit: Int
    private var queries: [Query] = []
    private var found: [HiddenHostName: TransportAddress] = [:]
    private var asked: Set<HiddenHostName> = []

    /// - Parameters:
    ///   - families: of addresses that are of use.
    ///   - limit: names that are ever asked for.
    package init(families: MDNSFamilies, timing: MDNSTiming = MDNSTiming(), limit: Int = MDNSResolver.names) {
        self.families = families
        self.timing = timing
        self.limit = limit
    }

    /// Begins to ask for a name, unless that is under way or its address known. One that nobody answered for is asked for
    /// again.
    package mutating func resolve(_ name: HiddenHostName, now: Instant) -> Answer {
        if let address = found[name] { return .found(address) }
        if queries.contains(where: { $0.name == name }) { return .awaited }
        guard asked.contains(name) || asked.count < limit else {
            statistics.refused += 1
            return .refused
        }
        asked.insert(name)
        queries.append(Query(name: name, endsAt: now + timing.patience, nextAt: now, wait: timing.firstWait))
        return .awaited
    }

    /// When to call `advance`; nil where nothing is asked for.
    package var nextDeadline: Instant? { queries.map { min($0.nextAt, $0.endsAt) }.min() }

    /// Asks what is due, of each group one message, and gives the names that nobody has answered for.
    package mutating func advance(to now: Instant, into outbox: DatagramOutbox) -> [HiddenHostName] {
        let ended = queries.filter { $0.endsAt <= now }.map(\.name)
        queries.removeAll { $0.endsAt <= now }
        statistics.unresolved += UInt64(ended.count)
        for index in queries.indices where queries[index].nextAt <= now {
            ask(queries[index].name, outbox)
            queries[index].nextAt = now + queries[index].wait
            // Intervals have to grow by a factor of two at least (RFC 6762 section 5.2).
            queries[index].wait = queries[index].wait * 2
        }
        return ended
    }

    private mutating func ask(_ name: HiddenHostName, _ outbox: DatagramOutbox) {
        var message = DNSMessage()
        if families.contains(.ipv4) { message.questions.append(DNSQuestion(name.name, .a, wantsUnicast: true)) }
        if families.contains(.ipv6) { message.questions.append(DNSQuestion(name.name, .aaaa, wantsUnicast: true)) }
        statistics.queriesSent += 1
        message.encoded.withUnsafeBytes { bytes in
            for group in MDNSResolver.groups { outbox.append(bytes, to: group) }
        }
    }

    /// Takes a datagram in that has come to the port of a query, or to a group; gives what it has told of the names that
    /// are asked for.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [(
        name: HiddenHostName, address: TransportAddress
    )] {
        guard let message = try? DNSMessage(parsing: bytes.bytes) else {
            statistics.malformed += 1
            return []
        }
        guard message.isAnswer else { return [] }
        var result: [(name: HiddenHostName, address: TransportAddress)] = []
        for record in message.answers + message.additionals {
            guard case .address(let address) = record.content,
                let index = queries.firstIndex(where: { $0.name.name == record.name })
            else { continue }
            // A time to live of zero takes a name back (RFC 6762 section 10.1).
            guard record.timeToLive > 0, isUsable(address) else {
                statistics.unusable += 1
                continue
            }
            let name = queries.remove(at: index).name
            found[name] = address
            statistics.resolved += 1
            result.append((name, address))
        }
        return result
    }

    /// A host of the local network, in a family that is of use. A link-local IPv6 address needs a scope that candidates
    /// can't name.
    private func isUsable(_ address: TransportAddress) -> Bool {
        families.contains(address.isIPv4 ? .ipv4 : .ipv6) && !address.isIPv6LinkLocal
            && address.with(.udp, port: MDNSResolver.port).isUsableDestination
    }

    package static let port: UInt16 = 5353
    /// 224.0.0.251 and ff02::fb, RFC 6762 section 3.
    package static let groups = [
        TransportAddress(ipv4: 0xe000_00fb, port: port),
        TransportAddress(high: 0xff02_0000_0000_0000, low: 0xfb, port: port),
    ]
    /// More than a browser has addresses, several times over.
    package static let names = 32
}
