import RTCWire

/// The state cookie, RFC 9260 section 5.1.3: what an INIT told us, signed, so that nothing is kept until it comes back.
struct SCTPCookie: Hashable {
    static let length = 56
    private static let codeLength = 32

    /// Tags of both sides for the association that is being made.
    var localTag: UInt32
    var peerTag: UInt32
    var localInitialTSN: UInt32
    var peerInitialTSN: UInt32
    var peerWindow: UInt32
    var peerInboundStreams: UInt16
    var peerOutboundStreams: UInt16
    /// Tags of the association that stood when the INIT came; 0 where there was none.
    var localTieTag: UInt32
    var peerTieTag: UInt32
    var capabilities: SCTPCapabilities
    var created: Instant

    func sealed(_ key: HMACSHA256) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SCTPCookie.length + SCTPCookie.codeLength)
        for value in [localTag, peerTag, localInitialTSN, peerInitialTSN, peerWindow, localTieTag, peerTieTag] {
            bytes.appendNumber(UInt64(value), bytes: 4)
        }
        bytes.appendNumber(UInt64(peerInboundStreams), bytes: 2)
        bytes.appendNumber(UInt64(peerOutboundStreams), bytes: 2)
        bytes.appendNumber(UInt64(capabilities.rawValue), bytes: 8)
        bytes.appendNumber(UInt64(bitPattern: created.nanoseconds), bytes: 8)
        bytes.appendNumber(0, bytes: SCTPCookie.length - bytes.count)
        return bytes + key.authenticate(bytes)
    }

    /// Nil where the cookie is none of ours.
    init?(opening bytes: [UInt8], _ key: HMACSHA256) {
        guard bytes.count == SCTPCookie.length + SCTPCookie.codeLength else { return nil }
        let text = Array(bytes[..<SCTPCookie.length])
        guard key.isValid(Array(bytes[SCTPCookie.length...]), for: text) else { return nil }
        let span = text.span.bytes
        localTag = span.uint32(0)
        peerTag = span.uint32(4)
        localInitialTSN = span.uint32(8)
        peerInitialTSN = span.uint32(12)
        peerWindow = span.uint32(16)
        localTieTag = span.uint32(20)
        peerTieTag = span.uint32(24)
        peerInboundStreams = span.uint16(28)
        peerOutboundStreams = span.uint16(30)
        capabilities = SCTPCapabilities(rawValue: span.byte(39))
        created = Instant(nanoseconds: Int64(bitPattern: span.uint64(40)))
    }

    init(
        answering chunk: InitChunk, localTag: UInt32, localInitialTSN: UInt32, tie: (local: UInt32, peer: UInt32),
        now: Instant
    ) {
        self.localTag = localTag
        self.localInitialTSN = localInitialTSN
        peerTag = chunk.initiateTag
        peerInitialTSN = chunk.initialTSN
        peerWindow = chunk.receiverWindow
        peerInboundStreams = chunk.inboundStreams
        peerOutboundStreams = chunk.outboundStreams
        localTieTag = tie.local
        peerTieTag = tie.peer
        capabilities = SCTPCapabilities(chunk)
        created = now
    }
}

/// What both sides can do beyond RFC 9260.
struct SCTPCapabilities: OptionSet, Hashable {
    let rawValue: UInt8

    static let forwardTSN = SCTPCapabilities(rawValue: 1)
    static let reconfig = SCTPCapabilities(rawValue: 2)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ chunk: InitChunk) {
        self = []
        if chunk.supportsForwardTSN { insert(.forwardTSN) }
        if chunk.supportsReconfig { insert(.reconfig) }
    }
}

extension [UInt8] {
    /// The low bytes of a number, the highest first.
    fileprivate mutating func appendNumber(_ value: UInt64, bytes: Int) {
        for index in (0..<bytes).reversed() {
            append(index < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) : 0)
        }
    }
}
