import RTCWire

/// How a peer speaks RTCP where endpoints and servers differ; the default is an endpoint's.
package struct RTCPStyle: Sendable, Hashable {
    /// Whom reports and requests name as their sender.
    package enum Sender: Sendable, Hashable {
        /// Our first stream, or a number drawn for the purpose.
        case ownStream
        /// The very source that is reported on: to its owner a server that only passes media on is no participant.
        case reportedSource
    }

    /// How receiver reports leave.
    package enum ReceiverReports: Sendable, Hashable {
        /// All blocks and the names of the sources in one compound, the first one after half an interval.
        case compound
        /// One report alone per source (RFC 5506), the first one after an interval, also while the source is silent for a while.
        case perSource
    }

    /// When transport-wide feedback leaves.
    package enum TransportFeedback: Sendable, Hashable {
        /// By time, 50-250 ms, the sooner the more comes in.
        case timed
        /// With each so many packets, however long they take: sparse where little comes in.
        case counted(Int)
    }

    package var sender = Sender.ownStream
    package var receiverReports = ReceiverReports.compound
    package var transportFeedback = TransportFeedback.timed
    /// Sender reports are drawn from what we send; else they are the caller's, `Peer.sendSenderReports`.
    package var writesSenderReports = true
    /// A stream that ends says so (RFC 3550 section 6.6).
    package var sendsGoodbye = true

    package init() {}

    /// A server's that passes media on: no source of its own speaks.
    package static var forwarding: RTCPStyle {
        var style = RTCPStyle()
        style.sender = .reportedSource
        style.receiverReports = .perSource
        style.sendsGoodbye = false
        style.writesSenderReports = false
        return style
    }
}

/// What a caller who numbers a stream itself says in a sender report of it.
package struct ForwardedReport: Sendable, Hashable {
    package var ssrc: UInt32
    /// 32.32 fixed point seconds since 1900.
    package var ntp: UInt64
    /// The timestamp of the same moment, as the receiver knows the stream.
    package var rtpTimestamp: UInt32

    package init(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32) {
        self.ssrc = ssrc
        self.ntp = ntp
        self.rtpTimestamp = rtpTimestamp
    }
}
