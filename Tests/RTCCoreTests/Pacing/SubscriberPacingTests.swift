import CAllocations
import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// A server's peer that paces what it forwards: at what its subscriber has told, without probes of its own.
@Suite struct SubscriberPacingTests {
    private let ssrc: UInt32 = 5000
    private let rtx: UInt32 = 5001
    private let sound: UInt32 = 5002

    private func call(_ pace: SubscriberPace?) throws -> PeerCall {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(10)), seed: 1)
        try call.connect()
        call.alice.node.peer.addSendStream(
            SendStreamConfiguration(
                ssrc: ssrc, rtxSSRC: rtx, payloadType: 96, rtxPayloadType: 97, clockRate: 90_000, kind: .video,
                mid: ShortToken("1"), extensionMap: call.extensions, cname: "producer", cache: .external))
        call.alice.node.peer.addSendStream(
            SendStreamConfiguration(
                ssrc: sound, payloadType: 111, clockRate: 48_000, kind: .audio, mid: ShortToken("0"),
                extensionMap: call.extensions, cname: "producer", cache: .external))
        set(pace, call)
        return call
    }

    private func set(_ pace: SubscriberPace?, _ call: PeerCall) {
        call.pair.drive(call.alice.node) { peer, now, outbox in
            peer.setSubscriberPace(pace, now: now, into: outbox)
        }
    }

    private func forward(_ call: PeerCall, _ ssrc: UInt32, _ sequences: Range<UInt16>, size: Int = 1100) {
        let payload = [UInt8](repeating: 0, count: size)
        call.pair.drive(call.alice.node) { peer, now, outbox in
            for sequence in sequences {
                let packet = OutgoingRTP(
                    ssrc: ssrc, payloadType: ssrc == rtx ? 97 : ssrc == sound ? 111 : 96, marker: false,
                    sequenceNumber: sequence, timestamp: 90)
                payload.withUnsafeBytes { bytes in
                    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                    let isSent = peer.forward(packet, prefix: empty, payload: bytes, now: now, into: outbox)
                    #expect(isSent)
                }
            }
        }
    }

    /// What leaves, in order: source, number, milliseconds since now.
    private func watch(_ call: PeerCall, _ note: @escaping (UInt32, UInt16, Int) -> Void) {
        let start = call.simulation.now
        call.simulation.onSend = { bytes, from, _ in
            guard from == call.alice.node.address, bytes.count >= 60, [96, 97, 111].contains(bytes[1] & 0x7f) else {
                return
            }
            note(
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
                UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)),
                Int((call.simulation.now - start).nanoseconds / 1_000_000))
        }
    }

    /// Sound goes at once, what is sent again before what waits; all of it in portions of 5 ms.
    @Test func theOrderIsSoundRepetitionsPictures() throws {
        let call = try call(SubscriberPace(rate: 600_000, isLimited: false))
        var left: [(ssrc: UInt32, sequence: UInt16, at: Int)] = []
        watch(call) { left.append(($0, $1, $2)) }
        forward(call, ssrc, 100..<120)
        forward(call, rtx, 1..<3, size: 900)
        forward(call, sound, 7..<9, size: 80)
        call.simulation.run(for: .seconds(1))
        #expect(left.filter { $0.ssrc == sound }.map(\.at) == [0, 0])
        let again = try #require(left.lastIndex { $0.ssrc == rtx })
        #expect(left[..<again].count { $0.ssrc == ssrc } <= 4 && left[again...].count { $0.ssrc == ssrc } >= 16)
        #expect(left.filter { $0.ssrc == ssrc }.map(\.sequence) == Array(100..<120))
        let last = try #require(left.last).at
        #expect((90...150).contains(last), "24 kB at a megabit and a half")
        for start in stride(from: 5, to: last, by: 5) {
            #expect(left.count { (start..<(start + 5)).contains($0.at) } <= 3)
        }
        #expect(call.alice.node.peer.pacingBacklog == .zero)
    }

    /// A limited way is given 1.2 times its rate; what would wait too long leaves faster.
    @Test(arguments: [(true, 500, 160...200), (false, 500, 60...100), (true, 80, 60...95)])
    func theRateIsThatOfTheWay(isLimited: Bool, wait: Int, takes: ClosedRange<Int>) throws {
        let pace = SubscriberPace(rate: 1_000_000, isLimited: isLimited, longestWait: .milliseconds(wait))
        let call = try call(pace)
        var last = 0
        watch(call) { _, _, at in last = at }
        forward(call, ssrc, 0..<26)
        #expect(call.alice.node.peer.pacingBacklog > .milliseconds(150))
        call.simulation.run(for: .seconds(1))
        #expect(takes.contains(last), "\(last) ms")
    }

    /// Nothing is probed by the peer itself, and without a pace everything leaves at once, what waits too.
    @Test func withoutAPaceNothingWaits() throws {
        let call = try call(SubscriberPace(rate: 300_000, isLimited: false))
        var left: [UInt32] = []
        watch(call) { ssrc, _, _ in left.append(ssrc) }
        forward(call, ssrc, 0..<30)
        #expect(left.count < 5 && call.alice.node.peer.isPaced)
        set(nil, call)
        #expect(left.count == 30 && !call.alice.node.peer.isPaced)
        forward(call, ssrc, 30..<60)
        #expect(left.count == 60)
        call.simulation.run(for: .seconds(3))
        #expect(left.allSatisfy { $0 == ssrc })
    }

    /// A stream that ends leaves its last picture behind only where the way would be filled by it.
    @Test(arguments: [(6_000_000, 30), (300_000, 4)]) func theLastPictureLeaves(rate: Int, most: Int) throws {
        let call = try call(SubscriberPace(rate: rate, isLimited: true))
        var left = 0
        watch(call) { _, _, _ in left += 1 }
        forward(call, ssrc, 0..<30)
        #expect(call.alice.node.peer.pacingBacklog > .zero)
        call.pair.drive(call.alice.node) { $0.removeSendStream(ssrc: ssrc, now: $1, into: $2) }
        call.simulation.run(for: .seconds(1))
        #expect(rate > 1_000_000 ? left == most : left <= most, "\(left) packets have left")
        #expect(call.alice.node.peer.pacingBacklog == .zero)
    }

    /// A rate that is nothing is no division by it, and what is full is no wait.
    @Test func hostileEstimatesAreTaken() throws {
        for rate in [Int.min, 0, .max] {
            let call = try call(SubscriberPace(rate: rate, isLimited: true))
            forward(call, ssrc, 0..<700)
            call.simulation.run(for: .seconds(2))
            #expect(call.alice.sent(ssrc)?.packets == 700 && call.alice.node.peer.pacingBacklog == .zero)
        }
    }

    /// On a wide way a packet takes no more from the heap than without a pace.
    @Test func aWideWayCostsNoMemory() throws {
        guard allocations_of_this_thread() >= 0 else { return }
        var taken: [Int] = []
        for pace in [nil, SubscriberPace(rate: 50_000_000, isLimited: false)] {
            let call = try call(pace)
            let (outbox, now) = (Outbox(), call.simulation.now)
            let payload = [UInt8](repeating: 0, count: 1000)
            func send(_ sequences: Range<UInt16>) {
                for sequence in sequences {
                    let packet = OutgoingRTP(
                        ssrc: ssrc, payloadType: 96, marker: false, sequenceNumber: sequence, timestamp: 90)
                    payload.withUnsafeBytes { bytes in
                        _ = call.alice.node.peer.forward(
                            packet, prefix: UnsafeRawBufferPointer(start: nil, count: 0), payload: bytes,
                            now: now + .milliseconds(Int(sequence)), into: outbox)
                    }
                    outbox.removeAll()
                }
            }
            send(0..<200)
            let before = allocations_of_this_thread()
            send(200..<1200)
            taken.append(Int(allocations_of_this_thread() - before))
            #expect(call.alice.node.peer.pacedPackets.count == 0)
        }
        print("1000 forwarded packets: \(taken[0]) allocations at once, \(taken[1]) paced")
        #if !DEBUG
            #expect(taken == [0, 0])
        #else
            // Frames of accessors.
            #expect(taken[1] <= taken[0] + 4_000)
        #endif
    }
}
