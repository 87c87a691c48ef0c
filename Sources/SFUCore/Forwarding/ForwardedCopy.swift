import RTCCore
import RTCWire

/// One subscriber's copy of a packet: what is its own of the header, and where its bytes stand.
package struct ForwardedCopy {
    package let consumer: ConsumerID
    package let connection: ConnectionID
    package let ssrc: UInt32
    package let timestamp: UInt32
    package let sequenceNumber: UInt16
    package let payloadType: UInt8
    package let marker: Bool
    package let kind: Kind
    let extensions: Extensions
    /// What stands before `payload`, in the outbox: a rewritten payload descriptor, an RTX sequence number.
    let prefix: ArenaRange
    /// Shared by all copies.
    let payload: UnsafeRawBufferPointer

    /// Why it is sent.
    package enum Kind: UInt8, Sendable {
        case media
        /// Sent before, and missed or repeated as a probe.
        case repetition
        /// Of our own making.
        case filler
    }

    /// The header extensions of a copy.
    struct Extensions {
        /// Position of those that all copies of the packet share; -1 for none.
        var shared: Int32 = -1
        /// The room's bounds on playout take the place of the publisher's.
        var replacesPlayoutDelay = false
        var playoutDelay: PlayoutDelay?
        /// The rewritten dependency descriptor, in the outbox; empty where it stays as it is.
        var dependencyDescriptor = ArenaRange()
    }

    /// A stretch of an outbox's arena.
    struct ArenaRange {
        var offset: UInt32 = 0
        var count: UInt16 = 0
    }

    /// Bytes behind the header.
    package var length: Int { Int(prefix.count) + payload.count }
}

/// A copy put together to be sent; made once and used for one copy after the other.
package struct ForwardedPacket {
    package fileprivate(set) var header = OutgoingRTP(
        ssrc: 0, payloadType: 0, marker: false, sequenceNumber: 0, timestamp: 0)
    package fileprivate(set) var prefix = RTPOpaqueElements.none
    package fileprivate(set) var payload = RTPOpaqueElements.none
    private var shared: Int32 = -1

    package init() {}

    /// Puts a copy together. What it points to is valid until the next call on the outbox or its room.
    package mutating func load(_ copy: ForwardedCopy, from outbox: borrowing ForwardingOutbox) {
        header.ssrc = copy.ssrc
        header.payloadType = copy.payloadType
        header.marker = copy.marker
        header.sequenceNumber = copy.sequenceNumber
        header.timestamp = copy.timestamp
        loadExtensions(copy.extensions, outbox)
        prefix = outbox.bytes(copy.prefix)
        payload = copy.payload
    }

    private mutating func loadExtensions(_ extensions: ForwardedCopy.Extensions, _ outbox: borrowing ForwardingOutbox) {
        if extensions.shared < 0 {
            header.extensions = RTPExtensions()
            header.opaque = RTPOpaqueElements()
            shared = -1
            return
        }
        let source = outbox.shared(extensions.shared)
        if extensions.shared != shared {
            header.extensions = source.extensions
            shared = extensions.shared
        }
        header.opaque = source.opaque
        header.extensions.playoutDelay =
            extensions.replacesPlayoutDelay ? extensions.playoutDelay : source.extensions.playoutDelay
        if extensions.dependencyDescriptor.count > 0 {
            header.opaque.dependencyDescriptor = outbox.bytes(extensions.dependencyDescriptor)
        }
    }
}

/// What a room has to say beside packets; performed before the copies.
package enum ForwardingEvent: Sendable {
    /// Somebody misses a key frame. Comes as often as one is missed, so the driver thins the requests out; those of the
    /// smallest layer may be more frequent: its key frames are small.
    case keyFrameWanted(ssrc: UInt32, isSmallest: Bool, from: ConnectionID)
    /// A key frame came: a request that still waits may be dropped.
    case keyFrameReceived(ssrc: UInt32, from: ConnectionID)
    /// A source's clock on a subscriber's time line, to be sent before the copies.
    case senderReport(ForwardedReport, to: ConnectionID)
}

/// A consumer has sent the last packet of our own making: its stream may be taken away, behind the copies.
package struct FillerEnd: Sendable {
    package let consumer: ConsumerID
    package let connection: ConnectionID
}
