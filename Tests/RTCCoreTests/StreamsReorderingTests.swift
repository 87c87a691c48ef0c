import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

/// What a receiver report says of packets that overtook each other (RFC 3550 appendix A.3).
@Suite struct StreamsReorderingTests {
    private let codec = ReceiveMap.Codec(payloadType: 96, clockRate: 90_000, nack: true)

    private func receive(_ stream: inout ReceiveStream, _ number: UInt16, viaRTX: Bool = false, _ ms: Int) {
        let header = RTPHeader(
            marker: false, payloadType: 96, sequenceNumber: number, timestamp: UInt32(ms * 90), ssrc: 1)
        _ = stream.receive(
            header, payloadLength: 100, viaRTX: viaRTX, codec: codec, arrival: at(ms), now: at(ms),
            limits: StreamLimits())
    }

    private func ask(
        _ stream: inout ReceiveStream, _ ms: Int, isEchoed: Bool = false, leastAnswer: Interval
    ) -> [UInt16] {
        var requests: [UInt16] = []
        stream.collectLosses(
            now: at(ms), interval: .milliseconds(100), isEchoed: isEchoed, leastAnswer: leastAnswer,
            limits: StreamLimits(), into: &requests)
        return requests
    }

    /// Of a stream that loses much the first request is said three times, twice where it loses little.
    @Test(arguments: [(5, 3), (50, 2)]) func howOftenARequestIsSaid(lostOf: Int, times: Int) {
        var stream = ReceiveStream(ssrc: 1, line: 0, codec: codec, now: at(0))
        for number in 0..<1_000 where number % lostOf != 1 {
            receive(&stream, UInt16(number), number)
            if number % 200 == 0 { _ = stream.takeReport(now: at(number)) }
        }
        stream.giveUpLosses()
        receive(&stream, 1_001, 1_001)
        let asked = (1_001..<1_101).filter { !ask(&stream, $0, isEchoed: true, leastAnswer: .zero).isEmpty }
        #expect(asked.count == times)
    }

    @Test func anOriginalBehindItsRepetitionWasNotLost() {
        var stream = ReceiveStream(ssrc: 1, line: 0, codec: codec, now: at(0))
        stream.rtxSSRC = 2
        for number: UInt16 in [1, 2, 4] { receive(&stream, number, Int(number)) }
        #expect(ask(&stream, 10, leastAnswer: .milliseconds(5)) == [3])
        receive(&stream, 3, viaRTX: true, 30)
        #expect(stream.arrivals.cumulativeLost == 1)
        receive(&stream, 3, 40)
        #expect(stream.arrivals.cumulativeLost == 0 && stream.statistics.duplicates == 1)
        #expect(stream.statistics.recovered == 1)
    }

    @Test func whatComesTooSoonForAnAnswerWasOnlyOvertaken() {
        var stream = ReceiveStream(ssrc: 1, line: 0, codec: codec, now: at(0))
        for number: UInt16 in [1, 3, 5] { receive(&stream, number, Int(number)) }
        #expect(ask(&stream, 10, leastAnswer: .milliseconds(40)) == [2, 4])
        receive(&stream, 2, 20)
        #expect(stream.statistics.recovered == 0 && stream.arrivals.cumulativeLost == 1)
        receive(&stream, 4, 60)
        #expect(stream.statistics.recovered == 1 && stream.arrivals.cumulativeLost == 1)
    }
}

/// Requests for more packets than one datagram can name.
@Suite struct NACKPartsTests {
    @Test func eachPartFitsAndNothingIsLeftOut() {
        // Every seventeenth number takes a word of its own; the circle is crossed.
        let numbers = (0..<600).map { UInt16(truncatingIfNeeded: 60_000 + $0 * 17) }
        var rest = numbers[...]
        var told: [UInt16] = []
        while !rest.isEmpty {
            let part = Array(rest.prefix(GenericNACK.prefixLength(of: rest, limit: 1100)))
            #expect(GenericNACK(senderSSRC: 1, mediaSSRC: 2, sequenceNumbers: part).encodedLength <= 1100)
            #expect(part.count == min(272, rest.count))
            told += part
            rest = rest.dropFirst(part.count)
        }
        #expect(told == numbers)
        #expect(GenericNACK.prefixLength(of: [1, 2, 3, 17, 18, 19], limit: 20) == 6)
        #expect(GenericNACK.prefixLength(of: [1, 2, 3, 18, 19], limit: 16) == 3)
        #expect(GenericNACK.prefixLength(of: [5], limit: 0) == 1)
    }

    @Test func aPeerAsksForAllOfThem() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(5)))
        try call.connect()
        call.talk(for: .seconds(1))
        let ssrc = call.alice.videoSSRC
        let index = try #require(call.bob.node.peer.receiving.index(ssrc: ssrc))
        let before = try #require(call.alice.sent(ssrc)).nacksReceived
        call.pair.drive(call.bob.node) { peer, now, _ in
            let codec = peer.receiving.streams[index].codec
            let last = UInt16(truncatingIfNeeded: peer.receiving.streams[index].arrivals.extendedHighest)
            for step: UInt16 in 1...7200 where step % 18 != 1 {
                let header = RTPHeader(
                    marker: false, payloadType: codec.payloadType, sequenceNumber: last &+ step, timestamp: 0,
                    ssrc: ssrc)
                peer.receiving.update(index) {
                    _ = $0.receive(
                        header, payloadLength: 1, viaRTX: false, codec: codec, arrival: now, now: now,
                        limits: StreamLimits())
                }
            }
        }
        // 400 words are 1,600 bytes.
        #expect(call.bob.received(ssrc)?.nacksSent == 0)
        call.simulation.run(for: .milliseconds(15))
        #expect(try #require(call.alice.sent(ssrc)).nacksReceived - before == 2)
    }
}
