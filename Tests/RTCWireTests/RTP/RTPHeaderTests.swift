import RTCWire
import Testing

struct RTPHeaderTests {
    /// Two contributing sources, one-byte extension of two words, payload of three bytes and padding of four.
    private let full = hex(
        """
        b2 ef 1234 89abcdef cafebabe 11111111 22222222
        bede 0002 10 ff 32 010203 00 00
        a1a2a3 00000004
        """)

    @Test func readsEveryField() throws {
        let header = try rtpHeader(full)
        #expect(header.marker && header.payloadType == 111 && header.sequenceNumber == 0x1234)
        #expect(header.timestamp == 0x89ab_cdef && header.ssrc == 0xcafe_babe)
        #expect(header.contributingSourceCount == 2 && header.extensionProfile == 0xbede)
        #expect(header.extensionOffset == 24 && header.extensionLength == 8 && header.payloadOffset == 32)
        #expect(header.paddingLength == 4 && header.payloadRange(in: full.count) == 32..<35)
        #expect(header.source(1, in: full) == 0x2222_2222 && header.source(2, in: full) == nil)
    }

    @Test func everyTruncationIsRefused() {
        for length in 0..<32 {
            #expect(throws: WireError.self) {
                try withSpan(Array(full.prefix(length))) { bytes throws(WireError) in
                    try RTPHeader(parsing: bytes, encrypted: true)
                }
            }
        }
    }

    @Test(arguments: [0x00, 0x40, 0xc0] as [UInt8])
    func otherVersionsAreRefused(first: UInt8) {
        let packet = [first] + full.dropFirst()
        #expect(throws: WireError.invalidVersion) {
            try rtpHeader(packet)
        }
    }

    @Test(arguments: [0, 8, 255] as [UInt8])
    func impossiblePaddingIsRefused(count: UInt8) {
        let packet = full.dropLast() + [count]
        #expect(throws: WireError.invalidPadding) {
            try rtpHeader(Array(packet))
        }
    }

    @Test func paddingBitWithoutPayloadIsRefused() {
        #expect(throws: WireError.invalidPadding) {
            try rtpHeader(Array(full.prefix(32)))
        }
    }

    @Test func sealedPacketKeepsItsPaddingForLater() throws {
        var header = try withSpan(full) { bytes throws(WireError) in try RTPHeader(parsing: bytes, encrypted: true) }
        #expect(header.hasPadding && header.paddingLength == 0)
        try withSpan(full) { bytes throws(WireError) in try header.readPadding(in: bytes) }
        #expect(header.paddingLength == 4)
    }

    @Test func paddingOnlyPacketHasAnEmptyPayload() throws {
        let packet = hex("a0 61 0001 00000002 00000003") + [UInt8](repeating: 0, count: 254) + [255]
        let header = try rtpHeader(packet)
        #expect(header.payloadRange(in: packet.count).isEmpty)
    }

    @Test func writesWhatIsParsed() throws {
        var generator = SeededGenerator(seed: 3550)
        for _ in 0..<2000 {
            let map = RTPExtensionMap.random(using: &generator)
            let extensions = RTPExtensions.random(using: &generator)
            let wanted = RTPHeader(
                marker: .random(using: &generator), payloadType: .random(in: 0...127, using: &generator),
                sequenceNumber: .random(in: 0 ... .max, using: &generator),
                timestamp: .random(in: 0 ... .max, using: &generator), ssrc: .random(in: 0 ... .max, using: &generator))
            let packet = written { buffer in
                RTPHeader.write(
                    marker: wanted.marker, payloadType: wanted.payloadType, sequenceNumber: wanted.sequenceNumber,
                    timestamp: wanted.timestamp, ssrc: wanted.ssrc, extensions: extensions, map: map, into: buffer)
            }
            #expect(packet.count == 12 + extensions.encodedLength(map: map))
            let header = try rtpHeader(packet)
            #expect(header.payloadOffset == packet.count)
            #expect(header.marker == wanted.marker && header.payloadType == wanted.payloadType)
            #expect(header.sequenceNumber == wanted.sequenceNumber && header.timestamp == wanted.timestamp)
            #expect(header.ssrc == wanted.ssrc)
            #expect(header.extensions(in: packet, map) == extensions.sendable(by: map))
        }
    }

    @Test func tooSmallBuffersStayUntouched() {
        var extensions = RTPExtensions()
        extensions.absSendTime = 0x010203
        let map = RTPExtensionMap([(3, .absSendTime)])
        for capacity in 0..<20 {
            var memory = [UInt8](repeating: 0xaa, count: capacity)
            let length = memory.withUnsafeMutableBytes {
                RTPHeader.write(
                    marker: false, payloadType: 0, sequenceNumber: 0, timestamp: 0, ssrc: 0, extensions: extensions,
                    map: map, into: $0)
            }
            #expect(length == 0 && memory.allSatisfy { $0 == 0xaa })
        }
    }
}
