/// The head of every chunk, RFC 9260 section 3.2.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |  Chunk Type   |  Chunk Flags  |         Chunk Length          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct SCTPChunkHeader: Hashable, Sendable {
    package static let length = 4

    package var type: UInt8
    package var flags: UInt8
    /// Of the chunk with this head, without padding: 4...65,535.
    package var length: Int

    init(parsing bytes: RawSpan, at offset: Int) throws(WireError) {
        guard bytes.byteCount - offset >= SCTPChunkHeader.length else { throw .truncated }
        type = bytes.byte(offset)
        flags = bytes.byte(offset + 1)
        length = Int(bytes.uint16(offset + 2))
        guard length >= SCTPChunkHeader.length else { throw .invalidLength }
        guard length <= bytes.byteCount - offset else { throw .truncated }
    }

    /// Begins a chunk; `setLength` completes it.
    static func append(type: UInt8, flags: UInt8 = 0, to bytes: inout [UInt8]) {
        bytes.append(type)
        bytes.append(flags)
        bytes.append16(0)
    }

    /// Writes the length of the chunk (or parameter, or cause) that begins at `start` and ends where the array does.
    static func setLength(of start: Int, in bytes: inout [UInt8]) {
        let length = UInt16(clamping: bytes.count - start)
        bytes[start + 2] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[start + 3] = UInt8(truncatingIfNeeded: length)
    }
}

/// One chunk of a packet.
package enum SCTPChunk: Hashable, Sendable {
    case data(DataChunk)
    case initiate(InitChunk)
    case initiateAck(InitChunk)
    case sack(SackChunk)
    case heartbeat(HeartbeatChunk)
    case heartbeatAck(HeartbeatChunk)
    case abort(AbortChunk)
    case shutdown(ShutdownChunk)
    case shutdownAck
    case error(ErrorChunk)
    case cookieEcho(CookieEchoChunk)
    case cookieAck
    case shutdownComplete(ShutdownCompleteChunk)
    case reconfig(ReconfigChunk)
    case forwardTSN(ForwardTSNChunk)
    case unknown(UnknownChunk)

    /// Chunk types: RFC 9260 section 3.2, RFC 6525 section 3.1, RFC 3758 section 3.2.
    package enum Kind {
        package static let data: UInt8 = 0
        package static let initiate: UInt8 = 1
        package static let initiateAck: UInt8 = 2
        package static let sack: UInt8 = 3
        package static let heartbeat: UInt8 = 4
        package static let heartbeatAck: UInt8 = 5
        package static let abort: UInt8 = 6
        package static let shutdown: UInt8 = 7
        package static let shutdownAck: UInt8 = 8
        package static let error: UInt8 = 9
        package static let cookieEcho: UInt8 = 10
        package static let cookieAck: UInt8 = 11
        package static let shutdownComplete: UInt8 = 14
        package static let reconfig: UInt8 = 130
        package static let forwardTSN: UInt8 = 192
    }

    /// Reads the chunk at `offset`, whose head has been checked against the packet.
    init(parsing packet: RawSpan, _ header: SCTPChunkHeader, at offset: Int) throws(WireError) {
        let bytes = packet.extracting(offset..<(offset + header.length))
        switch header.type {
        case Kind.data: self = .data(try DataChunk(parsing: bytes, flags: header.flags))
        case Kind.initiate: self = .initiate(try InitChunk(parsing: bytes))
        case Kind.initiateAck: self = .initiateAck(try InitChunk(parsing: bytes))
        case Kind.sack: self = .sack(try SackChunk(parsing: bytes))
        case Kind.heartbeat: self = .heartbeat(try HeartbeatChunk(parsing: bytes))
        case Kind.heartbeatAck: self = .heartbeatAck(try HeartbeatChunk(parsing: bytes))
        case Kind.abort: self = .abort(try AbortChunk(parsing: bytes, flags: header.flags))
        case Kind.shutdown: self = .shutdown(try ShutdownChunk(parsing: bytes))
        case Kind.shutdownAck: self = .shutdownAck
        case Kind.error: self = .error(try ErrorChunk(parsing: bytes))
        case Kind.cookieEcho: self = .cookieEcho(try CookieEchoChunk(parsing: bytes))
        case Kind.cookieAck: self = .cookieAck
        case Kind.shutdownComplete: self = .shutdownComplete(ShutdownCompleteChunk(flags: header.flags))
        case Kind.reconfig: self = .reconfig(try ReconfigChunk(parsing: bytes))
        case Kind.forwardTSN: self = .forwardTSN(try ForwardTSNChunk(parsing: bytes))
        default: self = .unknown(UnknownChunk(parsing: bytes, header))
        }
    }

    /// Appends the chunk; its length field is set by the caller.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .data(let chunk): chunk.append(to: &bytes)
        case .initiate(let chunk): chunk.append(type: Kind.initiate, to: &bytes)
        case .initiateAck(let chunk): chunk.append(type: Kind.initiateAck, to: &bytes)
        case .sack(let chunk): chunk.append(to: &bytes)
        case .heartbeat(let chunk): chunk.append(type: Kind.heartbeat, to: &bytes)
        case .heartbeatAck(let chunk): chunk.append(type: Kind.heartbeatAck, to: &bytes)
        case .abort(let chunk): chunk.append(to: &bytes)
        case .shutdown(let chunk): chunk.append(to: &bytes)
        case .shutdownAck: SCTPChunkHeader.append(type: Kind.shutdownAck, to: &bytes)
        case .error(let chunk): chunk.append(to: &bytes)
        case .cookieEcho(let chunk): chunk.append(to: &bytes)
        case .cookieAck: SCTPChunkHeader.append(type: Kind.cookieAck, to: &bytes)
        case .shutdownComplete(let chunk): chunk.append(to: &bytes)
        case .reconfig(let chunk): chunk.append(to: &bytes)
        case .forwardTSN(let chunk): chunk.append(to: &bytes)
        case .unknown(let chunk): chunk.append(to: &bytes)
        }
    }

    /// Bytes of the chunk on the wire, without padding.
    package var encodedLength: Int {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes.count
    }
}

/// A chunk of a type that this room doesn't know. What its receiver does stands in the type's highest bits: 00 stop and
/// drop the rest, 01 the same and report it, 10 skip it, 11 skip it and report it.
package struct UnknownChunk: Hashable, Sendable {
    package var type: UInt8
    package var flags: UInt8
    package var value: [UInt8]

    package init(type: UInt8, flags: UInt8 = 0, value: [UInt8]) {
        self.type = type
        self.flags = flags
        self.value = value
    }

    init(parsing bytes: RawSpan, _ header: SCTPChunkHeader) {
        self.init(
            type: header.type, flags: header.flags, value: bytes.array(SCTPChunkHeader.length..<bytes.byteCount))
    }

    func append(to bytes: inout [UInt8]) {
        SCTPChunkHeader.append(type: type, flags: flags, to: &bytes)
        bytes += value
    }

    /// The rest of the packet is not to be used.
    package var stopsPacket: Bool { type & 0x80 == 0 }
    /// The sender wants to know.
    package var isReported: Bool { type & 0x40 != 0 }
}
