import RTCWire
import Testing

@testable import RTCCore

/// RFC 9260 section 5.
@Suite struct AssociationHandshakeTests {
    @Test func fourMessagesEstablish() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        #expect(pair.a.sent.map(\.name) == ["initiate"] && pair.a.deadline == .at(1500))
        pair.deliver(from: pair.a)
        // Nothing is kept of an INIT.
        #expect(pair.b.sent.map(\.name) == ["initiateAck"] && pair.b.state == .closed && pair.b.deadline == nil)
        pair.deliver(from: pair.b)
        #expect(pair.a.sent.last?.name == "cookieEcho" && pair.a.events.isEmpty)
        pair.deliver(from: pair.a)
        #expect(pair.b.sent.last?.name == "cookieAck" && pair.b.events == [.established])
        pair.deliver(from: pair.b)
        #expect(pair.a.events == [.established] && pair.a.association.isEstablished)
    }

    @Test func tagsAndNumbersAreEachOthers() {
        let pair = AssociationPair.established()
        let (a, b) = (pair.a.transfer, pair.b.transfer)
        #expect(a?.localTag == b?.peerTag && a?.peerTag == b?.localTag && a?.localTag != b?.localTag)
        #expect(a.map { $0.outstanding.nextTSN - 1 } == b?.tracker.cumulative)
        #expect(a?.capabilities == [.forwardTSN, .reconfig] && b?.capabilities == [.forwardTSN, .reconfig])
    }

    /// Section 5.2.1: both INITs are answered, and one association stands.
    @Test func bothMayBegin() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.connect(pair.b)
        pair.exchange()
        #expect(pair.a.events == [.established] && pair.b.events == [.established])
        #expect(pair.a.transfer?.localTag == pair.b.transfer?.peerTag)
        #expect(pair.a.transfer?.peerTag == pair.b.transfer?.localTag)
        pair.send(pair.a, .test(1, 10))
        pair.send(pair.b, .test(1, 10))
        pair.exchange()
        #expect(pair.a.messages.count == 1 && pair.b.messages.count == 1)
    }

    @Test func beginningTwiceIsBeginningOnce() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.connect(pair.a)
        #expect(pair.a.sent.count == 1)
        pair.exchange()
        pair.connect(pair.a)
        #expect(pair.a.association.isEstablished && pair.a.packets.isEmpty)
    }

    @Test(arguments: 0..<4) func anyLostMessageIsSentAgain(lost: Int) {
        let pair = AssociationPair()
        pair.connect(pair.a)
        for step in 0..<4 {
            let side = step % 2 == 0 ? pair.a : pair.b
            if step == lost { pair.lose(from: side) } else { pair.deliver(from: side) }
        }
        #expect(lost == 3 || pair.a.events.isEmpty)
        pair.run(.milliseconds(600))
        #expect(pair.a.events == [.established] && pair.b.events == [.established])
    }

    @Test func theWaitDoublesUpToItsBound() {
        let pair = AssociationPair { $0.maximumRTO = .milliseconds(1500) }
        pair.connect(pair.a)
        var waits: [Interval] = []
        for _ in 0..<4 {
            guard let deadline = pair.a.deadline else { break }
            waits.append(deadline - pair.now)
            pair.lose(from: pair.a)
            pair.wait(deadline - pair.now)
        }
        #expect(waits == [500, 1000, 1500, 1500].map { .milliseconds($0) })
        #expect(pair.a.sent.map(\.name) == [String](repeating: "initiate", count: 5))
        #expect(Set(pair.a.sent).count == 1)
    }

    @Test(arguments: [true, false]) func itGivesUpAfterItsLimit(hasAnswer: Bool) {
        let pair = AssociationPair { $0.maximumRetransmissions = 3 }
        pair.connect(pair.a)
        if hasAnswer {
            pair.deliver(from: pair.a)
            pair.deliver(from: pair.b)
        }
        for _ in 0..<10 {
            pair.lose(from: pair.a)
            pair.wait(.seconds(5))
        }
        #expect(pair.a.closure == .unreachable && pair.a.events == [.closed(.unreachable)])
        #expect(pair.a.sent.filter { $0.name == (hasAnswer ? "cookieEcho" : "initiate") }.count == 4)
        #expect(pair.a.deadline == nil)
    }

    /// Section 8.5.1: an INIT has tag 0 and stands alone.
    @Test func anInitWithCompanyOrTagIsDropped() {
        let pair = AssociationPair()
        let initiate = SCTPChunk.initiate(
            InitChunk(
                initiateTag: 5, receiverWindow: 9000, outboundStreams: 1, inboundStreams: 1, initialTSN: 1,
                parameters: []))
        pair.inject(pair.b, tag: 7, initiate)
        pair.inject(pair.b, tag: 0, initiate, .cookieAck)
        #expect(pair.b.packets.isEmpty && pair.b.statistics.foreignPackets == 2)
        pair.inject(pair.b, tag: 0, initiate)
        #expect(pair.b.packets.count == 1 && pair.b.statistics.foreignPackets == 2)
    }

    /// Section 5.1, note: an INIT ACK without a cookie can't be used.
    @Test func anAnswerWithoutCookieIsNone() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.lose(from: pair.a)
        pair.inject(
            pair.a,
            .initiateAck(
                InitChunk(
                    initiateTag: 5, receiverWindow: 9000, outboundStreams: 1, inboundStreams: 1, initialTSN: 1,
                    parameters: [])))
        #expect(pair.a.packets.isEmpty && pair.a.sent.count == 1)
    }

    /// What cookie is echoed is the other side's business; one that fits no packet can't be.
    @Test(arguments: [(1120, true), (1124, false)]) func aCookieFitsItsPacket(length: Int, fits: Bool) {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.lose(from: pair.a)
        let cookie = SCTPParameter(
            type: SCTPParameter.Kind.stateCookie, value: [UInt8](repeating: 3, count: length))
        pair.inject(
            pair.a,
            .initiateAck(
                InitChunk(
                    initiateTag: 5, receiverWindow: 9000, outboundStreams: 1, inboundStreams: 1, initialTSN: 1,
                    parameters: [cookie])))
        #expect(pair.a.packets.map(\.count) == (fits ? [1136] : []))
    }

    /// Section 5.2.6.
    @Test func aStaleCookieIsAskedForAgain() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.deliver(from: pair.a)
        pair.deliver(from: pair.b)
        let late = pair.a.packets
        pair.lose(from: pair.a)
        pair.wait(.seconds(61))
        pair.lose(from: pair.a)
        for packet in late { pair.receive(pair.b, packet) }
        #expect(pair.b.sent.last?.causes == [SCTPErrorCause.Code.staleCookie] && pair.b.state == .closed)
        pair.deliver(from: pair.b)
        #expect(pair.a.sent.last?.name == "initiate")
        pair.exchange()
        #expect(pair.a.association.isEstablished && pair.b.association.isEstablished)
    }

    /// COOKIE ACK was lost, and the echo comes again (section 5.2.4, case D).
    @Test func aRepeatedEchoIsAcknowledgedAgain() {
        let pair = AssociationPair()
        pair.connect(pair.a)
        pair.deliver(from: pair.a)
        pair.deliver(from: pair.b)
        let echo = pair.a.packets
        pair.exchange()
        for packet in echo { pair.receive(pair.b, packet) }
        #expect(pair.b.sent.last?.name == "cookieAck" && pair.b.events == [.established])
    }

    @Test func dataDoesNotOvertakeTheCookie() {
        let pair = AssociationPair()
        pair.send(pair.a, .test(1, 10))
        pair.connect(pair.a)
        pair.deliver(from: pair.a)
        pair.deliver(from: pair.b)
        #expect(pair.a.sent.map(\.name) == ["initiate", "cookieEcho"])
        pair.exchange()
        pair.run(.seconds(1))
        #expect(pair.b.messages.count == 1)
    }

    @Test func aRestartedPeerIsNotTheOldOne() {
        let pair = AssociationPair.established()
        let other = AssociationPair { $0.seed = 99 }
        pair.send(pair.a, .test(1, 10))
        pair.lose(from: pair.a)
        other.connect(other.b)
        // Another program speaks from b's address.
        for _ in 0..<3 {
            for packet in other.b.packets { pair.receive(pair.a, packet) }
            other.b.packets = []
            for packet in pair.a.packets { other.receive(other.b, packet) }
            pair.a.packets = []
        }
        #expect(pair.a.events.contains(.restarted) && other.b.association.isEstablished)
        #expect(pair.a.transfer?.outstanding.isEmpty == true && pair.a.association.bufferedAmount == 0)
    }
}
