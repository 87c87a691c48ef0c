import Testing

@testable import RTCWire

/// Each chunk byte for byte, and what its receiver refuses.
@Suite struct SCTPUnitTests {
    /// A chunk as it stands in a packet, its length set and padding added.
    private func bytes(_ chunk: SCTPChunk) -> [UInt8] {
        var writer = SCTPPacketWriter(
            header: SCTPCommonHeader(sourcePort: 0, destinationPort: 0, verificationTag: 0), limit: 2000)
        writer.add(chunk)
        return Array(writer.finish().dropFirst(SCTPCommonHeader.length))
    }

    private func chunk(_ text: String) throws -> SCTPChunk {
        let bytes = hex(text)
        return try withSpan(bytes) { span throws(WireError) in
            try SCTPChunk(parsing: span, try SCTPChunkHeader(parsing: span, at: 0), at: 0)
        }
    }

    /// Written as `text`, and read from it.
    private func agree(
        _ value: SCTPChunk, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(bytes(value) == hex(text), sourceLocation: sourceLocation)
        #expect(try chunk(text) == value, sourceLocation: sourceLocation)
    }

    @Test func commonHeader() throws {
        let header = SCTPCommonHeader(sourcePort: 5000, destinationPort: 5001, verificationTag: 0xdead_beef)
        let packet = SCTPPacket(header: header, chunks: [.cookieAck])
        #expect(Array(packet.encoded.prefix(8)) == hex("1388 1389 deadbeef"))
        #expect(try SCTPPacket(parsing: packet.encoded.span.bytes) == packet)
        for count in 0..<12 {
            #expect(throws: WireError.truncated) {
                try SCTPPacket(parsing: Array(packet.encoded.prefix(count)).span.bytes)
            }
        }
    }

    /// Every bit is under the checksum, which is itself no zero.
    @Test func aFlippedBitIsSeen() {
        let packet = SCTPPacket(
            header: SCTPCommonHeader(sourcePort: 1, destinationPort: 2, verificationTag: 3),
            chunks: [.heartbeat(HeartbeatChunk(info: [1, 2, 3]))])
        let encoded = packet.encoded
        for index in encoded.indices {
            for bit in 0..<8 {
                var broken = encoded
                broken[index] ^= 1 << bit
                #expect(throws: WireError.invalidValue) { try SCTPPacket(parsing: broken.span.bytes) }
            }
        }
    }

    // MARK: RFC 9260 section 3.3

    @Test func data() throws {
        try agree(
            .data(
                DataChunk(
                    tsn: 0x0102_0304, stream: 5, streamSequence: 6, protocolID: 51, payload: [0xaa, 0xbb, 0xcc])),
            "00030013 01020304 00050006 00000033 aabbcc00")
    }

    @Test(arguments: [
        (0x00, false, false, false, false), (0x01, false, false, true, false), (0x02, false, true, false, false),
        (0x04, true, false, false, false), (0x08, false, false, false, true), (0x0f, true, true, true, true),
    ])
    func dataFlags(_ flags: UInt8, unordered: Bool, beginning: Bool, end: Bool, immediate: Bool) throws {
        let value = DataChunk(
            tsn: 1, stream: 0, streamSequence: 0, protocolID: 0, payload: [9, 9, 9, 9], isUnordered: unordered,
            isBeginning: beginning, isEnd: end, isImmediate: immediate)
        let encoded = bytes(.data(value))
        #expect(encoded[1] == flags)
        // The reserved bits are passed over.
        var reserved = encoded
        reserved[1] |= 0xf0
        let read = try withSpan(reserved) { span throws(WireError) in
            try SCTPChunk(parsing: span, try SCTPChunkHeader(parsing: span, at: 0), at: 0)
        }
        #expect(read == .data(value))
    }

    @Test func initiate() throws {
        let value = InitChunk(
            initiateTag: 0x0102_0304, receiverWindow: 0x10_0000, outboundStreams: 0x0400, inboundStreams: 0x0800,
            initialTSN: 0xfffe_fdfc,
            parameters: [
                SCTPParameter(type: SCTPParameter.Kind.forwardTSNSupported, value: []),
                SCTPParameter(type: SCTPParameter.Kind.supportedExtensions, value: [130, 192]),
            ])
        let body = "01020304 00100000 04000800 fffefdfc"
        try agree(.initiate(value), "0100001e \(body) c0000004 80080006 82c00000")
        #expect(value.supportsForwardTSN && value.supportsReconfig && value.stateCookie == nil)
        var answer = value
        answer.parameters = [SCTPParameter(type: SCTPParameter.Kind.stateCookie, value: [7, 8, 9])]
        try agree(.initiateAck(answer), "0200001b \(body) 00070007 07080900")
        #expect(answer.stateCookie == [7, 8, 9] && !answer.supportsForwardTSN && !answer.supportsReconfig)
    }

    @Test func sack() throws {
        try agree(
            .sack(
                SackChunk(
                    cumulativeTSN: 1, receiverWindow: 2, gapBlocks: [.init(start: 2, end: 3), .init(start: 5, end: 5)],
                    duplicates: [9])),
            "0300001c 00000001 00000002 00020001 00020003 00050005 00000009")
        for broken in [
            "03000010 00000001 00000002 0001 0000", "0300000c 00000001 00000002",
            "03000014 00000001 00000002 00000000 00000009",
        ] {
            #expect(throws: WireError.self) { try chunk(broken) }
        }
    }

    @Test func heartbeats() throws {
        try agree(.heartbeat(HeartbeatChunk(info: [1, 2, 3, 4])), "0400000c 00010008 01020304")
        try agree(.heartbeatAck(HeartbeatChunk(info: [1])), "05000009 00010005 01000000")
        #expect(throws: WireError.invalidValue) { try chunk("04000004") }
        #expect(throws: WireError.invalidValue) { try chunk("04000008 00020004") }
        #expect(throws: WireError.truncated) { try chunk("04000008 00010005") }
    }

    @Test func abortsAndErrors() throws {
        try agree(.abort(AbortChunk(causes: [])), "06000004")
        try agree(
            .abort(AbortChunk(hasReflectedTag: true, causes: [SCTPErrorCause(code: 12, text: "ab")])),
            "0601000a 000c0006 61620000")
        try agree(.error(ErrorChunk(causes: [.invalidStream(9)])), "0900000c 00010008 00090000")
        try agree(.error(ErrorChunk(causes: [.staleCookie(microseconds: 77)])), "0900000c 00030008 0000004d")
        try agree(
            .error(ErrorChunk(causes: [SCTPErrorCause(code: 6, info: [1]), SCTPErrorCause(code: 10)])),
            "09000010 00060005 01000000 000a0004")
        #expect(throws: WireError.invalidLength) { try chunk("09000008 00010003") }
        #expect(throws: WireError.truncated) { try chunk("06000006 0001") }
    }

    @Test func shutdowns() throws {
        try agree(.shutdown(ShutdownChunk(cumulativeTSN: 0x0a0b_0c0d)), "07000008 0a0b0c0d")
        try agree(.shutdownAck, "08000004")
        try agree(.shutdownComplete(ShutdownCompleteChunk()), "0e000004")
        try agree(.shutdownComplete(ShutdownCompleteChunk(hasReflectedTag: true)), "0e010004")
        #expect(throws: WireError.invalidLength) { try chunk("0700000c 0a0b0c0d 00000000") }
        #expect(throws: WireError.invalidLength) { try chunk("07000004") }
    }

    @Test func cookies() throws {
        try agree(.cookieEcho(CookieEchoChunk(cookie: [1, 2, 3, 4, 5])), "0a000009 01020304 05000000")
        try agree(.cookieAck, "0b000004")
    }

    // MARK: Extensions

    /// RFC 3758 section 3.2.
    @Test func forwardTSN() throws {
        try agree(
            .forwardTSN(
                ForwardTSNChunk(
                    newCumulativeTSN: 7,
                    skipped: [.init(stream: 1, streamSequence: 2), .init(stream: 3, streamSequence: 0xffff)])),
            "c0000010 00000007 00010002 0003ffff")
        try agree(.forwardTSN(ForwardTSNChunk(newCumulativeTSN: .max, skipped: [])), "c0000008 ffffffff")
        #expect(throws: WireError.invalidLength) { try chunk("c000000a 00000007 0001") }
        #expect(throws: WireError.truncated) { try chunk("c0000004") }
    }

    /// RFC 6525 sections 4.1, 4.2 and 4.4.
    @Test func reconfiguration() throws {
        try agree(
            .reconfig(
                ReconfigChunk(parameters: [
                    .outgoingReset(
                        OutgoingResetRequest(
                            requestSequence: 1, responseSequence: 2, lastAssignedTSN: 3, streams: [4, 5, 6]))
                ])),
            "8200001a 000d0016 00000001 00000002 00000003 00040005 00060000")
        try agree(
            .reconfig(
                ReconfigChunk(parameters: [
                    .response(ReconfigResponse(responseSequence: 9, result: .performed)),
                    .incomingReset(IncomingResetRequest(requestSequence: 8, streams: [7])),
                ])),
            "8200001a 0010000c 00000009 00000001 000e000a 00000008 00070000")
        try agree(
            .reconfig(ReconfigChunk(parameters: [.other(type: 17, requestSequence: 4)])), "8200000c 00110008 00000004")
    }

    @Test(arguments: 0...6 as ClosedRange<UInt32>) func results(_ code: UInt32) throws {
        let text = "82000010 0010000c 00000009 0000000\(code)"
        guard case .reconfig(let read) = try chunk(text), case .response(let response)? = read.parameters.first else {
            Issue.record("no response")
            return
        }
        #expect(response.result.rawValue == code && response.responseSequence == 9)
    }

    @Test(arguments: [
        "82000004", "82000010 0010000c 00000009 00000007", "8200000e 0010000a 00000009 0000",
        "82000008 000d0004", "8200000f 000d000b 00000001 00000002 000000", "8200000d 000e0009 00000001 00",
        "8200001c 00110008 00000004 00110008 00000005 00110008 00000006",
    ])
    func brokenReconfigurations(_ text: String) {
        #expect(throws: WireError.self) { try chunk(text) }
    }

    /// An answer to an association reset carries two TSNs more.
    @Test func longResponses() throws {
        guard case .reconfig(let read) = try chunk("82000018 00100014 00000009 00000001 00000002 00000003") else {
            Issue.record("no chunk")
            return
        }
        #expect(read.parameters == [.response(ReconfigResponse(responseSequence: 9, result: .performed))])
    }

    // MARK: Layout

    @Test func theWriterKeepsToItsLimit() {
        let header = SCTPCommonHeader(sourcePort: 1, destinationPort: 2, verificationTag: 3)
        var writer = SCTPPacketWriter(header: header, limit: 33)
        #expect(writer.isEmpty && writer.room == 20)
        writer.add(.heartbeat(HeartbeatChunk(info: [1])))
        #expect(!writer.isEmpty && writer.room == 8)
        writer.add(.cookieAck)
        #expect(writer.room == 4)
    }

    @Test func lengthsAreWithoutPadding() {
        #expect(SCTPChunk.cookieAck.encodedLength == 4)
        #expect(SCTPChunk.cookieEcho(CookieEchoChunk(cookie: [1, 2, 3])).encodedLength == 7)
        #expect(
            SCTPChunk.data(DataChunk(tsn: 1, stream: 0, streamSequence: 0, protocolID: 0, payload: [1])).encodedLength
                == 17)
    }

    /// The last chunk's padding may be missing, others' may not.
    @Test func paddingAtTheEndMayBeMissing() throws {
        var packet = SCTPPacket(
            header: SCTPCommonHeader(sourcePort: 1, destinationPort: 2, verificationTag: 3),
            chunks: [.cookieEcho(CookieEchoChunk(cookie: [1, 2, 3, 4, 5]))])
        var bytes = Array(packet.encoded.dropLast(3))
        let sum = CRC32C.checksum(bytes.span.bytes, zeroed: SCTPCommonHeader.checksumRange)
        for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
        #expect(try SCTPPacket(parsing: bytes.span.bytes) == packet)
        packet.chunks = []
        #expect(try SCTPPacket(parsing: packet.encoded.span.bytes).chunks.isEmpty)
    }

    @Test(arguments: [(0x3f, true, false), (0x7f, true, true), (0xbf, false, false), (0xff, false, true)])
    func unknownTypesSayWhatToDo(_ type: UInt8, stops: Bool, isReported: Bool) {
        let chunk = UnknownChunk(type: type, value: [])
        #expect(chunk.stopsPacket == stops && chunk.isReported == isReported)
    }
}

/// RFC 8832 section 5.1.
@Suite struct DataChannelOpenUnitTests {
    private func parse(_ text: String) throws -> DataChannelOpen {
        try withSpan(hex(text)) { span throws(WireError) in try DataChannelOpen(parsing: span) }
    }

    @Test func bytes() throws {
        let text = "03 82 0100 000001f4 0002 0001 6162 63"
        let message = try parse(text)
        #expect(message.reliability == .lifetime && message.isUnordered && message.parameter == 500)
        #expect(message.label == [0x61, 0x62] && message.protocolName == [0x63] && message.priority == 256)
        #expect(message.encoded == hex(text))
    }

    @Test func whatFollowsIsPassedOver() throws {
        #expect(try parse("03 00 0000 00000000 0000 0000 ffff").label == [])
    }

    @Test(arguments: [
        ("", WireError.truncated), ("03 00 0000 00000000 0000 00", .truncated),
        ("02 00 0000 00000000 0000 0000", .unexpectedType),
        ("03 03 0000 00000000 0000 0000", .invalidValue), ("03 04 0000 00000000 0000 0000", .invalidValue),
        ("03 40 0000 00000000 0000 0000", .invalidValue), ("03 00 0000 00000000 0003 0000 6162", .truncated),
        ("03 00 0000 00000000 0001 0002 6162", .truncated), ("03 00 0000 00000000 ffff ffff 6162", .truncated),
    ])
    func refusals(_ text: String, error: WireError) {
        #expect(throws: error) { try parse(text) }
    }
}
