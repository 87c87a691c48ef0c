import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// A peer that paces, and one that tells it what arrives, over a simulated path.
@Suite struct PeerPacingTests {
    private final class Call {
        let call: PeerCall
        private(set) var sent: [(bytes: Int, at: Instant, ssrc: UInt32)] = []
        private(set) var arrived: [UInt16] = []

        init(rate: Int? = nil, wanted: Int? = 2_000_000, seed: UInt64 = 3, usesRTX: Bool = true) throws {
            var conditions = NetworkConditions(delay: .milliseconds(20))
            conditions.rate = rate
            conditions.queue = .seconds(2)
            call = try PeerCall(conditions, seed: seed)
            call.usesRTX = usesRTX
            call.takesTransportFeedback = true
            try call.connect()
            call.simulation.onSend = { [unowned self] bytes, from, _ in
                guard from == call.alice.node.address, bytes.count >= 12 else { return }
                let ssrc = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
                sent.append((bytes.count, call.simulation.now, ssrc))
            }
            call.bob.node.onPacket = { [unowned self] packet, _ in
                if packet.ssrc == call.alice.videoSSRC { arrived.append(packet.header.sequenceNumber) }
            }
            call.pair.drive(call.alice.node) { peer, now, outbox in
                peer.setPacing(wanted: wanted, now: now, into: outbox)
            }
        }

        var heldPackets: Int { call.alice.node.peer.pacedPackets.count }
        var wait: Interval { call.alice.node.peer.pacingWait }
        var estimate: Int { call.alice.node.peer.estimatedBitrate }

        func send(packets: Int, size: Int = 1100) {
            let payload = [UInt8](repeating: 0, count: size)
            call.pair.drive(call.alice.node) { peer, now, outbox in
                for packet in 0..<packets {
                    payload.withUnsafeBytes { bytes in
                        _ = peer.send(
                            ssrc: call.alice.videoSSRC, marker: packet + 1 == packets, timestamp: 1, payload: bytes,
                            now: now, into: outbox)
                    }
                }
            }
        }

        func talk(seconds: Double, bytesPerPicture: Int) {
            let end = call.simulation.now + .seconds(seconds)
            call.simulation.schedule(every: .milliseconds(33), from: call.simulation.now) { [unowned self] in
                send(packets: 1 + bytesPerPicture / 1100, size: min(bytesPerPicture, 1100))
                return call.simulation.now < end
            }
            call.simulation.run(until: end)
        }
    }

    /// Thirty packets at 300 kbit/s leave at 750: they take 370 ms, in order, none lost.
    @Test func aBurstIsSpreadAndKeepsItsOrder() throws {
        let call = try Call(wanted: 0)
        call.send(packets: 30)
        #expect(call.sent.filter { $0.bytes > 1000 }.count <= 3)
        call.call.simulation.run(for: .seconds(1))
        let packets = call.sent.filter { $0.bytes > 1000 }
        #expect(packets.count == 30 && call.arrived.count == 30)
        #expect(zip(call.arrived, call.arrived.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        let length = try #require(packets.last).at - packets[0].at
        #expect(length > .milliseconds(320) && length < .milliseconds(420))
        #expect(call.heldPackets >= 27)
        #expect(call.wait == .zero)
    }

    /// Feedback tells the delay from the moment at which a packet left, not from that at which it was made.
    @Test func sendTimesAreThoseOfTheLeaving() throws {
        let call = try Call(wanted: 0)
        call.send(packets: 20)
        call.call.simulation.run(for: .seconds(1))
        var results: [PacketResult] = []
        for event in call.call.alice.node.events { if case .packetResults(let told) = event { results += told } }
        let delays = results.compactMap { result in result.received.map { $0 - result.sent } }
        let least = try #require(delays.min())
        #expect(delays.count == 20 && delays.allSatisfy { $0 - least < .milliseconds(1) })
    }

    @Test func whatIsAskedForAgainGoesBeforeWhatWaits() throws {
        let call = try Call(wanted: 0)
        call.talk(seconds: 0.2, bytesPerPicture: 500)
        call.call.simulation.run(for: .seconds(0.1))
        let before = call.arrived.count
        var lossy = NetworkConditions(delay: .milliseconds(20))
        lossy.blackouts = [call.call.simulation.now..<(call.call.simulation.now + .milliseconds(1))]
        call.call.simulation.network.set(lossy, from: call.call.alice.node.address, to: call.call.bob.node.address)
        call.send(packets: 20)
        call.call.simulation.run(for: .seconds(2))
        #expect(Set(call.arrived).count == before + 20)
        let repeated = try #require(call.sent.firstIndex { $0.ssrc == call.call.alice.rtxSSRC })
        let last = try #require(call.sent.lastIndex { $0.ssrc == call.call.alice.videoSSRC })
        #expect(repeated < last)
    }

    /// A picture a thirtieth of a second, at 300 kbit/s: none waits.
    @Test func ordinaryPicturesDoNotWait() throws {
        let call = try Call(wanted: 0)
        call.talk(seconds: 3, bytesPerPicture: 1000)
        #expect(call.heldPackets == 0)
    }

    /// From 300 kbit/s to what is wanted in less than a second, by probes alone.
    @Test func probesFindACleanPath() throws {
        let call = try Call(wanted: 2_000_000)
        #expect(call.estimate == 300_000)
        call.talk(seconds: 1, bytesPerPicture: 1000)
        #expect(call.estimate > 2_000_000)
        // Padding reaches nobody.
        #expect(call.arrived.count == 30 || call.arrived.count == 31)
    }

    @Test(arguments: [400_000, 1_000_000]) func probesFindTheEndOfThePath(_ rate: Int) throws {
        let call = try Call(rate: rate, wanted: 3_000_000)
        call.talk(seconds: 1, bytesPerPicture: 1000)
        let estimate = call.estimate
        #expect(Double(estimate) > 0.8 * Double(rate) && Double(estimate) < 1.05 * Double(rate))
    }

    @Test func withoutRTXThereAreNoProbes() throws {
        let call = try Call(wanted: 2_000_000, usesRTX: false)
        let canPace = call.call.alice.node.peer.canPace
        #expect(!canPace)
        call.talk(seconds: 1, bytesPerPicture: 1000)
        #expect(call.sent.filter { $0.bytes < 400 && $0.bytes > 250 }.isEmpty)
    }

    /// Repetitions are taken off where a queue stands in the path, and not where packets just get lost.
    @Test func repetitionsTakeFromAFullPath() throws {
        for rate in [nil, 400_000] {
            let call = try Call(rate: rate, wanted: 0)
            var lossy = NetworkConditions(delay: .milliseconds(20))
            lossy.rate = rate
            lossy.queue = .milliseconds(300)
            lossy.loss = 0.1
            call.call.simulation.network.set(lossy, from: call.call.alice.node.address, to: call.call.bob.node.address)
            // 560 kbit/s with all headers, whatever the path bears.
            call.talk(seconds: 8, bytesPerPicture: 2000)
            let packets = call.sent.suffix(200).count { $0.ssrc == call.call.alice.rtxSSRC }
            #expect(packets > 10)
            var (estimate, encoded) = (0, 0)
            call.call.pair.drive(call.call.alice.node) { peer, now, _ in
                (estimate, encoded) = (peer.estimatedBitrate, peer.encodedBitrate(now: now))
            }
            #expect(rate == nil ? encoded == estimate : encoded < estimate && encoded * 2 >= estimate)
        }
    }

    /// What would take too long is dropped, and not repeated either; what comes then leaves at once.
    @Test func aBacklogIsDropped() throws {
        let call = try Call(wanted: 0)
        func drop(_ milliseconds: Int?) -> Bool {
            var isDropped = false
            call.call.pair.drive(call.call.alice.node) { peer, now, _ in
                isDropped = peer.dropBacklog(longerThan: milliseconds.map { .milliseconds($0) }, now: now)
            }
            return isDropped
        }
        call.send(packets: 60)
        // 60 packets of 1.1 kB at 300 kbit/s.
        #expect(!drop(2_000))
        #expect(drop(1_000))
        #expect(call.wait == .zero)
        #expect(!drop(0))
        #expect(drop(nil))
        let before = call.sent.filter { $0.bytes > 1000 }.count
        #expect(before < 10)
        call.call.simulation.run(for: .seconds(0.3))
        call.send(packets: 1)
        call.call.simulation.run(for: .seconds(3))
        #expect(call.sent.filter { $0.bytes > 1000 }.count == before + 1)
        #expect(call.arrived.count == before + 1)
    }

    @Test func whatWaitsLeavesWhenPacingEnds() throws {
        let call = try Call(wanted: 0)
        call.send(packets: 30)
        call.call.pair.drive(call.call.alice.node) { peer, now, outbox in
            peer.setPacing(wanted: nil, now: now, into: outbox)
        }
        #expect(call.sent.filter { $0.bytes > 1000 }.count == 30)
        call.send(packets: 30)
        #expect(call.sent.filter { $0.bytes > 1000 }.count == 60)
    }
}
