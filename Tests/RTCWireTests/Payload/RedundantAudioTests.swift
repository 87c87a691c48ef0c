import RTCWire
import Testing

struct RedundantAudioTests {
    private func parsed(_ bytes: [UInt8]) throws(WireError) -> RedundantAudio {
        try withSpan(bytes) { span throws(WireError) in try RedundantAudio(parsing: span) }
    }

    private func blocks(_ bytes: [UInt8]) throws -> [RedundantAudio.Block] {
        let red = try parsed(bytes)
        return (0...red.copies).compactMap { index in withSpan(bytes) { red.block(index, in: $0) } }
    }

    @Test func fields() throws {
        // Payload type 111, 960 earlier, 3 bytes; then the present frame of 2 bytes.
        let bytes = hex("ef 0f0003 6f 010203 0405")
        let found = try blocks(bytes)
        #expect(
            found == [
                .init(payloadType: 111, timestampOffset: 960, range: 5..<8, distance: 1),
                .init(payloadType: 111, timestampOffset: 0, range: 8..<10, distance: 0),
            ])
        #expect(try blocks(hex("6f 07")).map(\.range) == [1..<2])
        #expect(try blocks(hex("6f")).map(\.range) == [1..<1])
        #expect(try blocks(hex("ff ffffff 6f") + [UInt8](repeating: 1, count: 1023))[0].timestampOffset == 0x3fff)
    }

    @Test func hostilePayloadsAreRefused() {
        #expect(throws: WireError.truncated) { try parsed([]) }
        #expect(throws: WireError.truncated) { try parsed(hex("ef 0f00")) }
        #expect(throws: WireError.truncated) { try parsed(hex("ef 0f0003")) }
        #expect(throws: WireError.invalidLength) { try parsed(hex("ef 0f0003 6f 0102")) }
        #expect(throws: WireError.invalidValue) {
            try parsed([[UInt8]](repeating: hex("ef 000000"), count: 17).flatMap { $0 } + [0x6f])
        }
        #expect(withSpan(hex("6f 07")) { _ in true })
    }

    @Test func whatIsWrittenIsRead() throws {
        var generator = SeededGenerator(seed: 2198)
        for _ in 0..<500 {
            let frames = (0..<3).map { index in
                RedundantAudio.Frame(
                    timestamp: 0xffff_fc00 &+ UInt32(index) * 960,
                    payload: generator.bytes(.random(in: 1...200, using: &generator)))
            }
            let bytes = written { RedundantAudio.write(frames[2], after: frames[..<2], payloadType: 111, into: $0) }
            let found = try blocks(bytes)
            #expect(found.map(\.timestampOffset) == [1920, 960, 0])
            #expect(found.map(\.distance) == [2, 1, 0])
            #expect(found.map { Array(bytes[$0.range]) } == frames.map(\.payload))
        }
    }

    @Test func copiesThatDoNotFitEndTheRow() throws {
        func copies(_ earlier: [RedundantAudio.Frame], room: Int = 1200) throws -> Int {
            let frame = RedundantAudio.Frame(timestamp: 100_000, payload: [9, 9])
            let bytes = written(room) { RedundantAudio.write(frame, after: earlier, payloadType: 111, into: $0) }
            return try parsed(bytes).copies
        }
        let near = RedundantAudio.Frame(timestamp: 99_040, payload: [1])
        #expect(try copies([near]) == 1)
        #expect(try copies([near], room: 7) == 0)
        #expect(try copies([near], room: 8) == 1)
        let tooFar = RedundantAudio.Frame(timestamp: UInt32(100_000 - 0x4000), payload: [1])
        #expect(try copies([tooFar]) == 0)
        let farthest = RedundantAudio.Frame(timestamp: UInt32(100_000 - 0x3fff), payload: [1])
        #expect(try copies([farthest]) == 1)
        let long = RedundantAudio.Frame(timestamp: 99_040, payload: [UInt8](repeating: 1, count: 1024))
        #expect(try copies([near, long]) == 0)
        #expect(written(2) { RedundantAudio.write(near, after: [], payloadType: 111, into: $0) }.count == 2)
        #expect(written(1) { RedundantAudio.write(near, after: [], payloadType: 111, into: $0) } == [])
    }

    /// What Chromium sent: every copy is the frame that an earlier packet carried.
    @Test func recordedCopiesAreTheFramesBefore() throws {
        var frames: [UInt32: [UInt8]] = [:]
        var compared = 0
        let datagrams = try Pcap.read("opus-red-dtmf.rtp.pcap").filter { datagram in
            withSpan(datagram.payload) { PacketKind.classify($0) } == .rtp
        }
        for datagram in datagrams {
            let header = try rtpHeader(datagram.payload)
            let payload = Array(datagram.payload[header.payloadRange(in: datagram.payload.count)])
            guard header.payloadType == 63, !payload.isEmpty else { continue }
            for block in try blocks(payload) {
                let bytes = Array(payload[block.range])
                let timestamp = header.timestamp &- block.timestampOffset
                #expect(block.payloadType == 111)
                if block.distance == 0 {
                    frames[timestamp] = bytes
                } else if let known = frames[timestamp] {
                    #expect(known == bytes)
                    compared += 1
                }
            }
        }
        #expect(frames.count > 250 && compared > 200)
    }
}
