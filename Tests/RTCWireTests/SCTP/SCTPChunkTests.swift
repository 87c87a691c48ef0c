import Testing

@testable import RTCWire

struct SCTPChunkTests {
    private func packet(_ chunks: SCTPChunk...) -> SCTPPacket {
        SCTPPacket(
            header: SCTPCommonHeader(sourcePort: 5000, destinationPort: 5001, verificationTag: 0x0102_0304),
            chunks: chunks)
    }

    /// One of each, alone and together, with lengths that need padding.
    static let all: [SCTPChunk] = [
        .data(DataChunk(tsn: 0xffff_ffff, stream: 7, streamSequence: 9, protocolID: 51, payload: [1, 2, 3, 4, 5])),
        .data(
            DataChunk(
                tsn: 1, stream: 1, streamSequence: 0, protocolID: 53, payload: [9], isUnordered: true,
                isBeginning: false, isEnd: false, isImmediate: true)),
        .initiateAck(
            InitChunk(
                initiateTag: 1, receiverWindow: 2, outboundStreams: 3, inboundStreams: 4, initialTSN: 5,
                parameters: [
                    SCTPParameter(type: SCTPParameter.Kind.stateCookie, value: [1, 2, 3]),
                    SCTPParameter(type: SCTPParameter.Kind.supportedExtensions, value: [130, 192]),
                ])),
        .sack(
            SackChunk(
                cumulativeTSN: 5, receiverWindow: 6, gapBlocks: [.init(start: 2, end: 3), .init(start: 9, end: 65535)],
                duplicates: [4, 0xffff_fff0])),
        .heartbeat(HeartbeatChunk(info: [1, 2, 3, 4, 5])), .heartbeatAck(HeartbeatChunk(info: [])),
        .abort(AbortChunk(hasReflectedTag: true, causes: [SCTPErrorCause(code: 12, text: "bye")])),
        .abort(AbortChunk(causes: [])),
        .error(ErrorChunk(causes: [.invalidStream(9), .staleCookie(microseconds: 77)])),
        .shutdown(ShutdownChunk(cumulativeTSN: 8)), .shutdownAck, .cookieAck,
        .cookieEcho(CookieEchoChunk(cookie: [1, 2, 3, 4, 5, 6, 7])),
        .shutdownComplete(ShutdownCompleteChunk(hasReflectedTag: true)),
        .forwardTSN(
            ForwardTSNChunk(newCumulativeTSN: 3, skipped: [.init(stream: 1, streamSequence: 2)])),
        .reconfig(
            ReconfigChunk(parameters: [
                .outgoingReset(
                    OutgoingResetRequest(
                        requestSequence: 1, responseSequence: 2, lastAssignedTSN: 3, streams: [4, 5, 6])),
                .response(ReconfigResponse(responseSequence: 7, result: .inProgress)),
            ])),
        .reconfig(ReconfigChunk(parameters: [.incomingReset(IncomingResetRequest(requestSequence: 1, streams: []))])),
        .reconfig(ReconfigChunk(parameters: [.other(type: 17, requestSequence: 4)])),
        .unknown(UnknownChunk(type: 0xc5, flags: 3, value: [1, 2])),
    ]

    @Test(arguments: all.indices) func everyChunkSurvivesTheWire(index: Int) throws {
        let one = packet(Self.all[index])
        let bytes = one.encoded
        #expect(bytes.count % 4 == 0)
        #expect(try SCTPPacket(parsing: bytes.span.bytes) == one)
        for count in bytes.indices.dropLast(3) {
            #expect(throws: WireError.self) { try SCTPPacket(parsing: Array(bytes[..<count]).span.bytes) }
        }
    }

    @Test func allChunksFitIntoOnePacket() throws {
        var whole = packet()
        whole.chunks = Self.all
        #expect(try SCTPPacket(parsing: whole.encoded.span.bytes) == whole)
    }

    /// RFC 3720 appendix B.4 gives these for the same polynomial.
    @Test func theChecksumIsCastagnolis() {
        func sum(_ bytes: [UInt8]) -> UInt32 { CRC32C.checksum(bytes.span.bytes) }
        #expect(sum([UInt8](repeating: 0, count: 32)) == 0x8a91_36aa)
        #expect(sum([UInt8](repeating: 0xff, count: 32)) == 0x62a8_ab43)
        #expect(sum(Array(0..<32)) == 0x46dd_794e)
        #expect(sum(Array((0..<32).reversed())) == 0x113f_db5c)
        #expect(sum(Array("123456789".utf8)) == 0xe306_9283)
        // Bytes counted as zero, wherever the eights begin.
        for count in 12..<40 {
            var bytes = (0..<count).map { UInt8($0) }
            let masked = CRC32C.checksum(bytes.span.bytes, zeroed: 8..<12)
            for index in 8..<12 { bytes[index] = 0 }
            #expect(masked == sum(bytes))
        }
    }

    @Test func whatTheSpecificationForbidsIsRefused() {
        let header = SCTPCommonHeader(sourcePort: 1, destinationPort: 2, verificationTag: 3)
        func refused(_ chunk: [UInt8]) -> Bool {
            var bytes: [UInt8] = []
            header.append(to: &bytes)
            bytes += chunk
            let sum = CRC32C.checksum(bytes.span.bytes, zeroed: 8..<12)
            for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
            return (try? SCTPPacket(parsing: bytes.span.bytes)) == nil
        }
        // A length below the head's, one beyond the packet, a DATA chunk without data, a tag of 0, no streams.
        #expect(refused([10, 0, 0, 3, 0, 0, 0, 0]))
        #expect(refused([10, 0, 0, 9, 0, 0, 0, 0]))
        #expect(refused([0, 3, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 51]))
        #expect(refused([1, 0, 0, 20, 0, 0, 0, 0, 0, 0, 9, 9, 0, 1, 0, 1, 0, 0, 0, 1]))
        #expect(refused([1, 0, 0, 20, 0, 0, 0, 1, 0, 0, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1]))
        #expect(!refused([1, 0, 0, 20, 0, 0, 0, 1, 0, 0, 9, 9, 0, 1, 0, 1, 0, 0, 0, 1]))
        // A SACK whose counts and length differ.
        #expect(refused([3, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0]))
    }
}
