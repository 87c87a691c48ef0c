/// What an association wants sent and has to say; handed into every call and emptied by the caller.
package struct SCTPOutput {
    /// Whole packets, in order, each at most `SCTPConfiguration.maximumPacket` long.
    package var packets: [[UInt8]] = []
    package var events: [SCTPEvent] = []

    package init() {}
}

/// What happened to an association.
package enum SCTPEvent: Hashable, Sendable {
    /// Data may be sent.
    case established
    /// A whole message.
    case message(stream: UInt16, protocolID: UInt32, [UInt8])
    /// The other side begins these streams of its own anew; empty for all.
    case incomingReset([UInt16])
    /// These streams of ours begin anew.
    case outgoingReset([UInt16])
    /// The other side refused to reset these streams of ours.
    case resetRefused([UInt16])
    /// The other side lost its state and began again: what was under way in either direction is gone.
    case restarted
    /// So little of a stream waits to be sent as was asked to be told.
    case bufferedAmountLow(stream: UInt16)
    /// Final.
    case closed(SCTPClosure)
}

/// How an association ended.
package enum SCTPClosure: Hashable, Sendable {
    /// SHUTDOWN by either side, everything delivered.
    case shutdown
    /// ABORT by us.
    case aborted
    /// ABORT by the other side; the first cause's code, where it gave one.
    case abortedByPeer(cause: UInt16?)
    /// The other side did what the protocol forbids.
    case protocolViolation
    /// No answer for as often as the configuration allows.
    case unreachable
}
