import RTCWire

/// What a `Peer` has to say; appended to the outbox, in order.
package enum PeerEvent: Sendable {
    /// The peer moved to another state. `.connected` comes after `connected(_:)`.
    case stateChanged(PeerState)
    /// ICE chose the pair of addresses that media takes from now on.
    case selectedPair(local: TransportAddress, remote: TransportAddress)
    /// DTLS is done, the fingerprint is the expected one and SRTP is keyed: media may be sent.
    case connected(SRTPProfile)
    /// The connection ended in order: the other side said close_notify, or `close` was called here.
    case closed
    /// The connection cannot go on. Final, save that an ICE restart revives `.ice`.
    case failed(PeerFailure)
    /// A media packet: new, in whatever order it came, each sequence number at most once.
    case rtp(ReceivedRTP)
    /// A sender report about a received stream; `arrival` is when it came.
    case senderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant)
    /// The other side asks for a key frame of one of our streams (PLI, or a FIR it had not sent before).
    case keyFrameRequest(ssrc: UInt32)
    /// The other side misses packets of a stream whose cache is `.external`.
    case nack(ssrc: UInt32, [UInt16])
    /// A report block about one of our streams. `jitter` is in seconds; `roundTripTime` nil until it is known.
    case receiverReport(
        ssrc: UInt32, fractionLost: Double, cumulativeLost: Int32, jitter: Double, roundTripTime: Interval?)
    /// The estimate of what may be sent to the other side, payloads in bit/s, for these sources together: its own (REMB), or what is
    /// made of its feedback in its place (`PeerConfiguration.forwards`), without sources.
    case receiverEstimate(bitrate: Int, ssrcs: [UInt32])
    /// What became of packets that we sent with a transport sequence number, ascending.
    case packetResults([PacketResult])
    /// What the path bears now, in bit/s, of all streams with transport sequence numbers together: it has changed by some
    /// percent. Without pacing it doesn't come before the path has shown a limit.
    case targetBitrate(Int)
    /// The other side says that this stream ends.
    case bye(ssrc: UInt32)
    /// Bytes that came inside DTLS (RFC 8261) before `setSCTP`; afterwards the peer takes them itself.
    case applicationData([UInt8])
    /// A channel can be used: the other side opened it, or one of ours stands.
    case dataChannelOpened(DataChannelID, DataChannelConfiguration)
    /// A message came, complete; empty ones come too.
    case dataMessage(DataChannelID, [UInt8], isText: Bool)
    /// A channel is gone, by either side's wish or with the association. The last word about it.
    case dataChannelClosed(DataChannelID)
    /// So little of a channel waits to be sent that more may be handed in.
    case bufferedAmountLow(DataChannelID)
}

/// Where a `Peer` stands.
public enum PeerState: UInt8, Sendable, Hashable {
    /// No remote description yet.
    case new
    /// ICE checks or the DTLS handshake are under way.
    case connecting
    /// Media flows.
    case connected
    /// Checks have stayed unanswered for some seconds; media is still sent and may come back by itself.
    case disconnected
    /// Final but for an ICE restart.
    case failed
    /// Final.
    case closed
}

/// Why a `Peer` failed, and by which layer.
package enum PeerFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// No candidate pair worked, or consent was lost (RFC 7675). An ICE restart may revive the peer.
    case ice
    /// The handshake failed. Final.
    case dtls(DTLSFailure)
    /// Keys or ciphers could not be set up on this machine. Final.
    case crypto(CryptoError)

    package var description: String {
        switch self {
        case .ice: "no network path to the peer answers any more (ICE)"
        case .dtls(let failure): failure.description
        case .crypto(let error): "\(error)"
        }
    }
}

/// One media packet as the consumer sees it: opened, retransmissions already unwrapped.
package struct ReceivedRTP: Sendable {
    /// The header of the original packet. For a packet that came over RTX (RFC 4588) payload type, sequence number and
    /// SSRC are the primary stream's; padding is already gone from `payload`.
    package var header: RTPHeader
    /// The header extensions, by kind; `mid` and `rid` are filled in from what is known of the stream where this packet
    /// lacks them.
    package var extensions: RTPExtensions
    /// Index of the m-line, or -1 where neither SSRC, mid nor payload type tells.
    package var line: Int
    /// Where the payload stands in the buffer that was handed to `receive`; empty for a padding-only packet.
    package var payload: Range<Int>
    /// The sequence number without wrap-around; the first one is below 65,536.
    package var sequence: Int64
    /// It came over RTX, or it is one we had asked for with a NACK.
    package var isRetransmission: Bool
    /// When the datagram came.
    package var arrival: Instant

    /// The primary stream's SSRC.
    package var ssrc: UInt32 { header.ssrc }

    package init(
        header: RTPHeader, extensions: RTPExtensions, line: Int, payload: Range<Int>, sequence: Int64,
        isRetransmission: Bool, arrival: Instant
    ) {
        self.header = header
        self.extensions = extensions
        self.line = line
        self.payload = payload
        self.sequence = sequence
        self.isRetransmission = isRetransmission
        self.arrival = arrival
    }
}
