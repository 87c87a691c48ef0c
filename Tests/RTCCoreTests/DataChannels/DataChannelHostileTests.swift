import RTCSim
import RTCWire
import Testing

@testable import RTCCore

@Suite struct DataChannelHostileTests {
    /// Takes the part of the other end, which knows the tags and follows no rule.
    private func attack(_ pair: DataPair, _ chunks: [SCTPChunk]) {
        guard let transfer = pair.bob.transfer else { return }
        let header = SCTPCommonHeader(
            sourcePort: 5000, destinationPort: 5000, verificationTag: transfer.localTag)
        pair.inject(SCTPPacket(header: header, chunks: chunks).encoded, into: pair.bob)
    }

    private func next(_ pair: DataPair) -> UInt32 {
        (pair.bob.transfer?.tracker.cumulative ?? 0).serial32 &+ 1
    }

    private func held(_ pair: DataPair) -> (bytes: Int, fragments: Int) {
        let reassembly = pair.bob.transfer?.reassembly
        return (reassembly?.bytes ?? 0, reassembly?.fragments ?? 0)
    }

    @Test func aMessageWithoutEndEndsTheAssociation() {
        let pair = opened()
        var tsn = next(pair)
        for index in 0..<2000 where pair.bob.closure == nil {
            let chunk = DataChunk(
                tsn: tsn, stream: 0, streamSequence: 1, protocolID: 53, payload: [UInt8](repeating: 1, count: 1000),
                isBeginning: index == 0, isEnd: false)
            attack(pair, [.data(chunk)])
            tsn &+= 1
            #expect(held(pair).bytes <= 263_144)
        }
        #expect(pair.bob.closure == .protocolViolation)
    }

    @Test func gapsAreBoundedInNumberAndBytes() {
        let pair = opened()
        let first = next(pair)
        for index in 0..<20_000 as Range<UInt32> {
            let chunk = DataChunk(
                tsn: first &+ 2 &* index &+ 1, stream: UInt16(index % 2000), streamSequence: UInt16(index % 7),
                protocolID: 53, payload: [UInt8](repeating: 1, count: 1 + Int(index % 900)),
                isUnordered: index % 3 == 0, isBeginning: index % 5 == 0, isEnd: index % 2 == 0)
            attack(pair, [.data(chunk)])
        }
        #expect(held(pair).bytes <= 1 << 20 && held(pair).fragments <= 16_384)
        #expect((pair.bob.transfer?.tracker.ranges.count ?? 0) <= 512)
        #expect(pair.bob.closure == nil)
        #expect(pair.bob.sentPackets.allSatisfy { $0.count <= 1136 })
    }

    @Test func impossibleAcknowledgementsChangeNothing() {
        let pair = opened()
        pair.send(pair.bob, pair.bob.id("x"), [UInt8](repeating: 1, count: 50_000))
        let outstanding = pair.bob.transfer?.outstanding
        let (cumulative, flight) = (outstanding?.cumulative ?? 0, outstanding?.flight ?? 0)
        #expect(flight > 0)
        for sack in [
            SackChunk(cumulativeTSN: (cumulative + 100_000).serial32, receiverWindow: 1 << 20),
            SackChunk(cumulativeTSN: (cumulative - 5).serial32, receiverWindow: 1 << 20),
            SackChunk(
                cumulativeTSN: cumulative.serial32, receiverWindow: 1 << 20,
                gapBlocks: [.init(start: 60_000, end: 65_535), .init(start: 9, end: 2), .init(start: 0, end: 65_535)]),
        ] {
            attack(pair, [.sack(sack)])
            #expect(pair.bob.transfer?.outstanding.cumulative == cumulative)
            #expect(pair.bob.transfer?.outstanding.flight == flight)
        }
        #expect(pair.run(until: { pair.alice.messages.count == 1 }))
    }

    @Test func skippingFarCostsNothing() {
        let pair = opened()
        let far = next(pair) &+ 0x7fff_0000
        attack(
            pair,
            [
                .forwardTSN(
                    ForwardTSNChunk(
                        newCumulativeTSN: far,
                        skipped: (0..<200).map { .init(stream: UInt16($0 * 17), streamSequence: 0x7fff) }))
            ])
        #expect(next(pair) == far &+ 1)
        attack(
            pair,
            [.data(DataChunk(tsn: far &+ 1, stream: 0, streamSequence: 0x8000, protocolID: 53, payload: [5]))])
        #expect(pair.bob.messages.map(\.bytes) == [[5]])
    }

    @Test func streamsBeyondTheLimitAreRefused() {
        let pair = opened()
        attack(pair, [.data(DataChunk(tsn: next(pair), stream: 1024, streamSequence: 0, protocolID: 53, payload: [1]))])
        let causes = pair.bob.chunks.compactMap { if case .error(let error) = $0 { error.causes } else { nil } }
        #expect(causes == [[.invalidStream(1024)]])
        #expect(pair.bob.closure == nil && pair.bob.messages.isEmpty)
    }

    @Test func packetsWithAnotherTagAreDropped() {
        let pair = opened()
        guard let transfer = pair.bob.transfer else { return }
        for (tag, chunk): (UInt32, SCTPChunk) in [
            (transfer.localTag &+ 1, .abort(AbortChunk(causes: []))), (0, .abort(AbortChunk(causes: []))),
            (transfer.localTag, .abort(AbortChunk(hasReflectedTag: true, causes: []))),
            (
                transfer.localTag,
                .initiate(
                    InitChunk(
                        initiateTag: 1, receiverWindow: 1, outboundStreams: 1, inboundStreams: 1, initialTSN: 1,
                        parameters: []))
            ),
        ] {
            let header = SCTPCommonHeader(sourcePort: 5000, destinationPort: 5000, verificationTag: tag)
            pair.inject(SCTPPacket(header: header, chunks: [chunk]).encoded, into: pair.bob)
        }
        #expect(pair.bob.statistics.foreignPackets == 4 && pair.bob.closure == nil)
    }

    /// Real packets with damaged bytes and a checksum that fits, in both directions, for the length of a call.
    @Test(arguments: 1...30) func damagedPacketsNeverTrap(seed: UInt64) {
        let pair = DataPair(.bad(), seed: seed)
        var random = SeededGenerator(seed: seed)
        pair.tap = { bytes, _ in
            guard random.uniform() < 0.2 else { return bytes }
            var damaged = bytes
            for _ in 0...Int.random(in: 0...4, using: &random) {
                damaged[Int.random(in: 8..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if random.uniform() < 0.2 { damaged.removeLast(Int.random(in: 0..<(damaged.count - 12), using: &random)) }
            let sum = CRC32C.checksum(damaged.span.bytes, zeroed: 8..<12)
            for index in 0..<4 { damaged[8 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
            return damaged
        }
        pair.start()
        for round in 0..<30 {
            for side in [pair.alice, pair.bob] {
                let kind: DataChannelConfiguration.Reliability = round % 2 == 0 ? .reliable : .maximumRetransmissions(1)
                pair.open(
                    side, DataChannelConfiguration(label: "\(round)", isOrdered: round % 3 != 0, reliability: kind))
                for channel in side.opened.suffix(3) {
                    pair.send(side, channel.id, numbered(round, length: round * 400))
                }
                if round % 4 == 3, let first = side.opened.first { pair.close(side, first.id) }
            }
            pair.run(.milliseconds(200))
        }
        pair.run(.seconds(10))
        #expect(pair.alice.statistics.packetsReceived > 0)
    }
}
