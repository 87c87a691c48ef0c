import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// The server's side of a peer: the caller numbers the packets and answers for lost ones.
@Suite struct PeerForwardTests {
    private let ssrc: UInt32 = 5000
    private let rtx: UInt32 = 5001

    private func call(_ conditions: NetworkConditions = NetworkConditions(), seed: UInt64 = 1) throws -> PeerCall {
        let call = try PeerCall(conditions, seed: seed)
        try call.connect()
        call.alice.node.peer.addSendStream(
            SendStreamConfiguration(
                ssrc: ssrc, rtxSSRC: rtx, payloadType: 96, rtxPayloadType: 97, clockRate: 90_000, kind: .video,
                mid: ShortToken("1"), extensionMap: call.extensions, cname: "producer", cache: .external))
        return call
    }

    private func forward(
        _ call: PeerCall, ssrc: UInt32, payloadType: UInt8 = 96, sequence: UInt16, prefix: [UInt8], payload: [UInt8]
    ) -> Bool {
        var sent = false
        let packet = OutgoingRTP(
            ssrc: ssrc, payloadType: payloadType, marker: true, sequenceNumber: sequence, timestamp: 90)
        call.pair.drive(call.alice.node) { peer, now, outbox in
            sent = prefix.withUnsafeBytes { prefix in
                payload.withUnsafeBytes { payload in
                    peer.forward(packet, prefix: prefix, payload: payload, now: now, into: outbox)
                }
            }
        }
        return sent
    }

    @Test func prefixAndPayloadArriveAsOne() throws {
        let call = try call()
        var received: [(UInt16, [UInt8])] = []
        call.bob.node.onPacket = { packet, buffer in
            received.append((packet.header.sequenceNumber, Array(buffer[packet.payload])))
        }
        #expect(forward(call, ssrc: ssrc, sequence: 40_000, prefix: [9, 8], payload: [7, 6, 5]))
        #expect(forward(call, ssrc: ssrc, sequence: 40_001, prefix: [], payload: [1]))
        call.simulation.run(for: .milliseconds(10))
        #expect(received.map(\.0) == [40_000, 40_001])
        #expect(received.map(\.1) == [[9, 8, 7, 6, 5], [1]])
        #expect(call.alice.sent(ssrc)?.packets == 2)
    }

    @Test func whatCannotBeSentIsCounted() throws {
        let call = try call()
        #expect(!forward(call, ssrc: 4_999, sequence: 1, prefix: [], payload: [1]))
        #expect(!forward(call, ssrc: ssrc, sequence: 1, prefix: [], payload: [UInt8](repeating: 0, count: 1_200)))
        #expect(forward(call, ssrc: ssrc, sequence: 2, prefix: [], payload: [1]))
        // A sequence number is sealed once.
        #expect(!forward(call, ssrc: ssrc, sequence: 2, prefix: [], payload: [2]))
        #expect(call.alice.node.peer.statistics.unsentPackets == 3)
    }

    @Test func theCallerAnswersForLostPackets() throws {
        let call = try call(NetworkConditions(delay: .milliseconds(10)))
        var received: [UInt16] = []
        var repaired: [UInt16] = []
        call.bob.node.onPacket = { packet, _ in
            received.append(packet.header.sequenceNumber)
            if packet.isRetransmission { repaired.append(packet.header.sequenceNumber) }
        }
        var rtxSequence: UInt16 = 100
        call.alice.node.onEvent = { event in
            guard case .nack(ssrc, let missing) = event else { return }
            for sequence in missing {
                rtxSequence += 1
                let prefix = [UInt8(sequence >> 8), UInt8(sequence & 255), 0x10]
                let number = rtxSequence
                call.simulation.schedule(at: call.simulation.now) {
                    _ = forward(call, ssrc: rtx, payloadType: 97, sequence: number, prefix: prefix, payload: [3])
                }
            }
        }
        for sequence: UInt16 in [10, 11, 14, 15] {
            #expect(forward(call, ssrc: ssrc, sequence: sequence, prefix: [0x10], payload: [1, 2]))
        }
        call.simulation.run(for: .seconds(1))
        #expect(received == [10, 11, 14, 15, 12, 13])
        #expect(repaired == [12, 13])
        #expect(call.alice.sent(ssrc)?.retransmitted == 2)
    }

    /// A stream without RTX: what the peer has sealed is kept and sent again as it was.
    private func withoutRTX(_ conditions: NetworkConditions = NetworkConditions()) throws -> PeerCall {
        let call = try PeerCall(conditions)
        try call.connect()
        call.alice.node.peer.addSendStream(
            SendStreamConfiguration(
                ssrc: ssrc, payloadType: 96, clockRate: 90_000, kind: .video, mid: ShortToken("1"),
                extensionMap: call.extensions, cname: "producer", cache: .own(packets: 256)))
        return call
    }

    @Test func withoutRTXTheSameBytesAreSentAgain() throws {
        let call = try withoutRTX(NetworkConditions(delay: .milliseconds(10), loss: 0.1))
        var received: Set<UInt16> = []
        var doubles = 0
        call.bob.node.onPacket = { packet, buffer in
            guard packet.ssrc == ssrc else { return }
            if !received.insert(packet.header.sequenceNumber).inserted { doubles += 1 }
            let number = packet.header.sequenceNumber
            #expect(Array(buffer[packet.payload]) == [0x10, UInt8(number >> 8), UInt8(number & 255)])
        }
        var sequence: UInt16 = 0
        call.simulation.schedule(every: .milliseconds(5), from: call.simulation.now) {
            _ = forward(
                call, ssrc: ssrc, sequence: sequence, prefix: [0x10],
                payload: [UInt8(sequence >> 8), UInt8(sequence & 255)])
            sequence += 1
            return sequence < 1000
        }
        call.simulation.run(for: .seconds(7))
        let sent = try #require(call.alice.sent(ssrc))
        print("10 % lost, no RTX: \(received.count) of 1000 arrived, \(sent.retransmitted) were sent again")
        #expect(received.count >= 995 && doubles == 0)
        #expect((60...400).contains(sent.retransmitted) && sent.retransmissionsRefused == 0)
    }

    @Test func aFloodOfRequestsStaysWithinTheBudget() throws {
        let call = try withoutRTX()
        let payload = [UInt8](repeating: 7, count: 1000)
        for sequence: UInt16 in 0..<200 {
            #expect(forward(call, ssrc: ssrc, sequence: sequence, prefix: [], payload: payload))
        }
        var bytes = 0
        call.simulation.onSend = { datagram, _, _ in bytes += datagram.count }
        for round in 0..<100 {
            call.simulation.schedule(at: call.simulation.now + .milliseconds(10 * round)) {
                call.pair.drive(call.alice.node) { peer, now, outbox in
                    guard let index = peer.sending.index(ssrc: ssrc) else { return }
                    peer.retransmit(Array(0..<200), stream: index, now, outbox)
                }
            }
        }
        call.simulation.run(for: .milliseconds(999))
        let sent = try #require(call.alice.sent(ssrc))
        print("20,000 requests in a second: \(sent.retransmitted) packets, \(bytes) bytes with all else")
        #expect((150...210).contains(sent.retransmitted) && sent.retransmissionsRefused > 5000)
    }

    @Test func forwardedReportsGiveRoundTrips() throws {
        let call = try call(NetworkConditions(delay: .milliseconds(35)))
        let end = call.simulation.now + .seconds(6)
        var sequence: UInt16 = 0
        call.simulation.schedule(every: .milliseconds(20), from: call.simulation.now) {
            sequence += 1
            _ = forward(call, ssrc: ssrc, sequence: sequence, prefix: [], payload: [1])
            return call.simulation.now < end
        }
        call.simulation.schedule(every: .seconds(1), from: call.simulation.now + .milliseconds(300)) {
            call.pair.drive(call.alice.node) { peer, now, outbox in
                // The producer's clock: decades away from ours.
                let ntp = 0x0102_0304_0506_0708 &+ UInt64(bitPattern: now.nanoseconds)
                peer.sendSenderReports(
                    [ForwardedReport(ssrc: ssrc, ntp: ntp, rtpTimestamp: 7)], now: now, into: outbox)
            }
            return call.simulation.now < end
        }
        call.simulation.run(until: end)
        var trips: [Double] = []
        for case .receiverReport(ssrc, _, _, _, let trip?) in call.alice.node.events { trips.append(trip.milliseconds) }
        #expect(trips.count >= 4)
        #expect(trips.allSatisfy { abs($0 - 70) < 2 })
        let reports = call.bob.node.events.filter { if case .senderReport(ssrc, _, _, _) = $0 { true } else { false } }
        #expect(reports.count == 6)
    }

    @Test func maximumPayloadFitsExactly() throws {
        let call = try call()
        let room = call.alice.node.peer.maximumPayload(ssrc: ssrc)
        #expect((1_100...1_170).contains(room))
        var largest = 0
        call.simulation.onSend = { bytes, _, _ in largest = max(largest, bytes.count) }
        #expect(forward(call, ssrc: ssrc, sequence: 1, prefix: [], payload: [UInt8](repeating: 1, count: room)))
        #expect((1_180...1_200).contains(largest))
        #expect(call.alice.node.peer.maximumPayload(ssrc: 1) == 0)
    }
}
