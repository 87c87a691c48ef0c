import RTCSim
import RTCWire
import Testing

@testable import RTCCore

@Suite struct DataChannelHandshakeTests {
    @Test(arguments: 1...40) func theHandshakeSurvivesAnything(seed: UInt64) {
        let pair = DataPair(.bad(loss: 0.35), seed: seed)
        pair.start(bob: seed % 3 != 0)
        pair.open(pair.alice, DataChannelConfiguration(label: "x"))
        pair.run(.milliseconds(Int(seed) * 10))
        if seed % 3 == 0 { pair.start(alice: false) }
        #expect(pair.run(until: { pair.bob.opened.count == 1 }))
        pair.conditions = NetworkConditions(delay: .milliseconds(5))
        pair.send(pair.alice, pair.alice.id("x"), [7])
        pair.send(pair.bob, pair.bob.id("x"), [8])
        #expect(pair.run(until: { pair.bob.messages.count == 1 && pair.alice.messages.count == 1 }))
        #expect(pair.alice.opened.count == 1 && pair.alice.closed.isEmpty && pair.bob.closed.isEmpty)
    }

    @Test func aCookieThatCameTooLateIsAskedForAgain() {
        let pair = DataPair()
        var held: [[UInt8]] = []
        var isHolding = true
        pair.tap = { bytes, fromAlice in
            guard isHolding, let packet = try? SCTPPacket(parsing: bytes.span.bytes) else { return bytes }
            // Bob's own attempt is lost, and alice's cookies with it.
            if !fromAlice, case .initiate = packet.chunks.first { return nil }
            guard case .cookieEcho = packet.chunks.first else { return bytes }
            held.append(bytes)
            return nil
        }
        pair.start()
        pair.run(.seconds(100))
        #expect(held.count > 20)
        isHolding = false
        pair.tap = { bytes, fromAlice in
            if !fromAlice, case .initiate = try? SCTPPacket(parsing: bytes.span.bytes).chunks.first { return nil }
            return bytes
        }
        pair.open(pair.alice, DataChannelConfiguration(label: "x"))
        #expect(pair.run(until: { pair.bob.opened.count == 1 }))
        let causes = pair.bob.chunks.compactMap { chunk -> UInt16? in
            if case .error(let error) = chunk { error.causes.first?.code } else { nil }
        }
        #expect(causes.contains(SCTPErrorCause.Code.staleCookie))
    }

    @Test func aForgedCookieMakesNothing() {
        let pair = DataPair()
        pair.tap = { bytes, fromAlice in
            guard fromAlice, var packet = try? SCTPPacket(parsing: bytes.span.bytes),
                case .cookieEcho(var chunk) = packet.chunks.first
            else { return fromAlice ? bytes : nil }
            chunk.cookie[3] ^= 1
            packet.chunks[0] = .cookieEcho(chunk)
            return packet.encoded
        }
        pair.start()
        pair.run(.seconds(10))
        #expect(pair.bob.statistics.packetsReceived > 0)
        #expect(!pair.bob.isEstablished)
    }

    @Test func anEndThatLostItsStateBeginsAgain() {
        let pair = opened()
        pair.send(pair.alice, pair.alice.id("x"), [1])
        pair.run(.seconds(1))
        // Bob's program forgot everything, and another bob speaks from his address.
        let other = DataPair(seed: 77)
        other.start(alice: false)
        var messages = other.bob.sentPackets
        for _ in 0..<6 {
            let already = pair.alice.sentPackets.count
            for message in messages { pair.inject(message, into: pair.alice) }
            let sent = other.bob.sentPackets.count
            for answer in pair.alice.sentPackets[already...] { other.inject(answer, into: other.bob) }
            messages = Array(other.bob.sentPackets[sent...])
        }
        #expect(pair.alice.closed.count == 1)
        #expect(other.bob.isEstablished)
        #expect(pair.alice.isEstablished)
    }

    @Test func shuttingDownDeliversWhatWaits() {
        var configuration = SCTPConfiguration()
        configuration.seed = 1
        var alice = SCTPAssociation(configuration: configuration, remotePort: 5000)
        var bob = SCTPAssociation(configuration: configuration, remotePort: 5000)
        var now = Instant(nanoseconds: 1)
        var toBob = SCTPOutput()
        var toAlice = SCTPOutput()
        var events: (alice: [SCTPEvent], bob: [SCTPEvent]) = ([], [])
        alice.connect(now: now, into: &toBob)
        func exchange() {
            for _ in 0..<60 {
                let (first, second) = (toBob, toAlice)
                (toBob, toAlice) = (SCTPOutput(), SCTPOutput())
                events.alice += first.events
                events.bob += second.events
                for packet in first.packets { bob.receive(packet, now: now, into: &toAlice) }
                for packet in second.packets { alice.receive(packet, now: now, into: &toBob) }
                now += .milliseconds(10)
                alice.advance(to: now, into: &toBob)
                bob.advance(to: now, into: &toAlice)
            }
        }
        exchange()
        alice.send(
            OutgoingMessage(stream: 3, protocolID: 53, payload: [UInt8](repeating: 9, count: 40_000)), now: now,
            into: &toBob)
        alice.shutDown(now: now, into: &toBob)
        #expect(alice.state == .shutdownPending)
        exchange()
        #expect(events.bob.contains(.message(stream: 3, protocolID: 53, [UInt8](repeating: 9, count: 40_000))))
        #expect(events.alice.last == .closed(.shutdown) && events.bob.last == .closed(.shutdown))
        #expect(alice.nextDeadline == nil && bob.nextDeadline == nil)
    }
}
