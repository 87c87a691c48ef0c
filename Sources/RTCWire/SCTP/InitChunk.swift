/// INIT and INIT ACK, RFC 9260 sections 3.3.2 and 3.3.3.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  | Type = 1 or 2 |  Chunk Flags  |         Chunk Length          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                         Initiate Tag                          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |          Advertised Receiver Window Credit (a_rwnd)           |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Number of Outbound Streams   |   Number of Inbound Streams   |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                          Initial TSN                          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \              Optional/Variable-Length Parameters              \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct InitChunk: Hashable, Sendable {
    static let fixedLength = 20

    /// What the other side must write into every packet to us; never 0.
    package var initiateTag: UInt32
    package var receiverWindow: UInt32
    package var outboundStreams: UInt16
    package var inboundStreams: UInt16
    package var initialTSN: UInt32
    package var parameters: [SCTPParameter]

    package init(
        initiateTag: UInt32, receiverWindow: UInt32, outboundStreams: UInt16, inboundStreams: UInt16,
        initialTSN: UInt32, parameters: [SCTPParameter]
    ) {
        self.initiateTag = initiateTag
        self.receiverWindow = receiverWindow
        self.outboundStreams = outboundStreams
        self.inboundStreams = inboundStreams
        self.initialTSN = initialTSN
        self.parameters = parameters
    }

    /// Refuses what RFC 9260 forbids: a tag of 0, no streams.
    init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= InitChunk.fixedLength else { throw .truncated }
        initiateTag = bytes.uint32(4)
        receiverWindow = bytes.uint32(8)
        outboundStreams = bytes.uint16(12)
        inboundStreams = bytes.uint16(14)
        initialTSN = bytes.uint32(16)
        guard initiateTag != 0, outboundStreams != 0, inboundStreams != 0 else { throw .invalidValue }
        parameters = try SCTPParameter.list(bytes, from: InitChunk.fixedLength)
    }

    func append(type: UInt8, to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: type, to: &bytes)
        bytes.append32(initiateTag)
        bytes.append32(receiverWindow)
        bytes.append16(outboundStreams)
        bytes.append16(inboundStreams)
        bytes.append32(initialTSN)
        SCTPParameter.append(parameters, to: &bytes)
    }

    /// Abandoned messages can be skipped (RFC 3758).
    package var supportsForwardTSN: Bool {
        parameters.contains { $0.type == SCTPParameter.Kind.forwardTSNSupported }
            || supportedExtensions.contains(SCTPChunk.Kind.forwardTSN)
    }

    /// Streams can be reset (RFC 6525).
    package var supportsReconfig: Bool { supportedExtensions.contains(SCTPChunk.Kind.reconfig) }

    private var supportedExtensions: [UInt8] {
        parameters.first { $0.type == SCTPParameter.Kind.supportedExtensions }?.value ?? []
    }

    package var stateCookie: [UInt8]? {
        parameters.first { $0.type == SCTPParameter.Kind.stateCookie }?.value
    }
}
