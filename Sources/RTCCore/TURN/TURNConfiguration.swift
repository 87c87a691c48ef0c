import RTCWire

/// What a `TURNClient` is made from.
package struct TURNConfiguration: Sendable {
    /// Where the server is.
    package var server: TransportAddress
    package var username: String
    package var password: String
    /// The way to the server keeps order and loses nothing (TCP, TLS): nothing is sent twice, and messages are padded.
    package var isReliable = false
    /// Stamped on datagrams to the server: 0 for the socket itself.
    package var wire: UInt8 = 0
    /// Seed of transaction ids, for repeatable tests; nil takes the system's generator.
    package var seed: UInt64?
    package var timing = TURNTiming()
    package var limits = TURNLimits()

    package init(server: TransportAddress, username: String, password: String) {
        self.server = server
        self.username = username
        self.password = password
    }
}

/// Intervals of the client.
package struct TURNTiming: Sendable {
    /// First retransmission of a request; doubles (RFC 8489 section 6.2.1).
    package var initialRetransmission = Interval.milliseconds(500)
    /// Transmissions of one request over UDP.
    package var attempts = 7
    /// How long a request over a stream may stay unanswered, and the last one over UDP.
    package var lastWait = Interval.seconds(8)
    /// Sent to for so long without a word from the server, it is asked whether it still has the allocation.
    package var silence = Interval.seconds(1)
    /// So many datagrams at least: fewer are no media.
    package var silentDatagrams = 4
    /// Longest time between two transmissions of a renewal: a server that comes back is to be noticed soon.
    package var longestRenewalWait = Interval.seconds(2)
    /// Transmissions of a renewal over UDP: ten minutes, as long as a server keeps what it does not hear of. A network that is
    /// away for less finds its relay again.
    package var renewalAttempts = 300
    /// An allocation is renewed that long before its end; one of less than two minutes at half its time.
    package var refreshMargin = Interval.seconds(60)
    /// Permissions end after five minutes (RFC 8656 section 9), channels after ten (section 12).
    package var permissionRefresh = Interval.seconds(240)
    package var channelRefresh = Interval.seconds(540)

    package init() {}
}

/// Bounds: what the other side's candidates can make the client keep.
package struct TURNLimits: Sendable {
    /// Peers that datagrams were sent to.
    package var peers = 128
    /// Datagrams held back for one peer until its permission stands.
    package var heldDatagrams = 8
    /// Stale nonces in a row.
    package var staleNonces = 5

    package init() {}
}

/// Why there is no relay, or no longer. The description says what to do.
package enum TURNFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// 401 though credentials were sent, or 441.
    case unauthorized
    case noAnswer
    /// The allocation ended at the server (437), or could not be renewed.
    case lost
    /// 486, 508.
    case noCapacity(code: UInt16)
    case refused(code: UInt16)
    /// What the server sends is no TURN.
    case protocolViolation
    /// This machine's library refuses MD5, which the credentials need.
    case noMD5

    package var description: String {
        switch self {
        case .unauthorized: "the TURN server refuses user name or credential; check both, and their age"
        case .noAnswer: "the TURN server does not answer; check its address, and that nothing blocks the way"
        case .lost: "the TURN server has ended the allocation"
        case .noCapacity(let code): "the TURN server has no capacity or quota left (\(code)); try again later"
        case .refused(let code): "the TURN server refuses the allocation (\(code)); check its configuration"
        case .protocolViolation: "what answers is no TURN server; check the address"
        case .noMD5: "OpenSSL refuses MD5, which TURN's credentials are made with; allow it in openssl.cnf"
        }
    }
}

/// Counters of one client.
package struct TURNStatistics: Sendable, Hashable {
    /// Payload that went and came through the relay, in datagrams and bytes.
    package var sent = Traffic()
    package var received = Traffic()
    /// Of those sent, how many went by channel: four bytes of overhead each.
    package var sentByChannel: UInt64 = 0
    package var requestsSent: UInt64 = 0
    package var retransmissions: UInt64 = 0
    package var staleNonces: UInt64 = 0
    /// No TURN, or a malformed attribute.
    package var malformed: UInt64 = 0
    package var integrityFailures: UInt64 = 0
    package var unmatchedResponses: UInt64 = 0
    /// Data on a channel that is not bound, or without a sender.
    package var unknownSenders: UInt64 = 0
    /// Datagrams to peers that the server forbids, that there is no room for, or before there is a relay.
    package var dropped: UInt64 = 0

    package init() {}

    package struct Traffic: Sendable, Hashable {
        package var datagrams: UInt64 = 0
        package var bytes: UInt64 = 0

        mutating func count(_ length: Int) {
            datagrams &+= 1
            bytes &+= UInt64(truncatingIfNeeded: length)
        }
    }
}
