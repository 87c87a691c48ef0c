import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

@Suite struct PeerReportTests {
    @Test func senderReportsFollowTheMediaClock() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(10)))
        try call.connect()
        let start = call.simulation.now
        call.talk(for: .seconds(10))
        var reports: [(ntp: UInt64, timestamp: UInt32, arrival: Instant)] = []
        for case .senderReport(let ssrc, let ntp, let timestamp, let arrival) in call.bob.node.events
        where ssrc == call.alice.videoSSRC {
            reports.append((ntp, timestamp, arrival))
        }
        #expect((10...14).contains(reports.count))
        // The first one comes early, for lip sync.
        #expect(reports[0].arrival - start < .milliseconds(100))
        for (one, next) in zip(reports, reports.dropFirst()) {
            let seconds = Double(next.ntp &- one.ntp) / 4_294_967_296
            let ticks = Double(next.timestamp &- one.timestamp)
            #expect(abs(ticks - seconds * 90_000) < 3_200)
        }
    }

    @Test func roundTripLossAndJitterAreReported() throws {
        let conditions = NetworkConditions(delay: .milliseconds(40), jitter: .milliseconds(20), loss: 0.03)
        let call = try PeerCall(conditions, seed: 9)
        try call.connect()
        call.talk(for: .seconds(20))
        var losses: [Double] = []
        var trips: [Double] = []
        for case .receiverReport(let ssrc, let fraction, _, let jitter, let trip) in call.alice.node.events
        where ssrc == call.alice.videoSSRC {
            losses.append(fraction)
            if let trip { trips.append(trip.milliseconds) }
            #expect(jitter < 0.03)
        }
        #expect(losses.count >= 18)
        #expect((0.01...0.06).contains(losses.reduce(0, +) / Double(losses.count)))
        #expect(trips.allSatisfy { (78...125).contains($0) })
        #expect(trips.count >= 15)
        #expect((78...125).contains(call.alice.node.peer.roundTripTime?.milliseconds ?? 0))
    }

    @Test func reportsNameTheSources() throws {
        let call = try PeerCall()
        try call.connect()
        var names: Set<String> = []
        // Reports are sealed on the wire, so the composer is asked what would stand in them.
        var composer = ReportComposer(limit: 1_100)
        for ssrc: UInt32 in 1...40 {
            let report = SenderReport(ssrc: ssrc, ntp: 1, rtpTimestamp: 2, packetCount: 3, octetCount: 4)
            if let full = composer.add(.senderReport(report), ssrc: ssrc, cname: "a rather long canonical name") {
                names.formUnion(try check(full))
            }
        }
        names.formUnion(try check(composer.finish()))
        #expect(names == Set((1...40).map { "\($0)" }))
        #expect(composer.finish().isEmpty)
    }

    /// The compound begins with a report, names every reporter and fits. Gives the named SSRCs.
    private func check(_ packets: [RTCPPacket]) throws -> Set<String> {
        #expect(packets.reduce(0) { $0 + $1.encodedLength } <= 1_100)
        guard case .senderReport? = packets.first, case .sdes(let names)? = packets.last else {
            Issue.record("not a compound of reports and names")
            return []
        }
        var reporters: Set<String> = []
        for case .senderReport(let report) in packets { reporters.insert("\(report.ssrc)") }
        #expect(reporters == Set(names.chunks.map { "\($0.ssrc)" }))
        return reporters
    }

    @Test func keyFrameRequestsAreThrottled() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(5)))
        try call.connect()
        call.talk(for: .seconds(1))
        let start = call.simulation.now
        let ssrc = call.alice.videoSSRC
        var requests: [Interval] = []
        call.alice.node.onEvent = { event in
            if case .keyFrameRequest(ssrc) = event { requests.append(call.simulation.now - start) }
        }
        // Ten requests within 90 ms: one at once, one at the end of the half second.
        for index in 0..<10 {
            call.simulation.schedule(at: start + .milliseconds(index * 10)) {
                call.pair.drive(call.bob.node) { peer, now, outbox in
                    peer.requestKeyFrame(ssrc: ssrc, now: now, into: outbox)
                }
            }
        }
        call.simulation.run(for: .seconds(3))
        #expect(requests == [.milliseconds(5), .milliseconds(505)])
        #expect(call.bob.received(ssrc)?.plisSent == 2)
        #expect(call.alice.sent(ssrc)?.plisReceived == 2)
        // Audio can't be asked, and an unknown source neither.
        call.pair.drive(call.bob.node) { peer, now, outbox in
            peer.requestKeyFrame(ssrc: call.alice.audioSSRC, now: now, into: outbox)
            peer.requestKeyFrame(ssrc: 77, now: now, into: outbox)
        }
        call.simulation.run(for: .seconds(1))
        #expect(requests.count == 2)
    }

    @Test func aFullIntraRequestIsTheFallback() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(5)))
        try call.connect()
        var codec = ReceiveMap.Codec(payloadType: 96, clockRate: 90_000)
        codec.fir = true
        let line = ReceiveMap.Line(
            index: 0, kind: .video, mid: ShortToken("1"), codecs: [codec], extensionMap: call.extensions)
        call.bob.node.peer.setReceiveMap(ReceiveMap(lines: [line]))
        call.talk(for: .seconds(1))
        let ssrc = call.alice.videoSSRC
        for _ in 0..<2 {
            call.pair.drive(call.bob.node) { peer, now, outbox in
                peer.requestKeyFrame(ssrc: ssrc, now: now, into: outbox)
            }
            call.simulation.run(for: .seconds(1))
        }
        let requests = call.alice.node.events.filter { if case .keyFrameRequest(ssrc) = $0 { true } else { false } }
        #expect(requests.count == 2)
        #expect(call.bob.received(ssrc)?.firsSent == 2)
        #expect(call.bob.received(ssrc)?.plisSent == 0)
    }

    @Test func compoundFeedbackWhereReducedSizeWasNotNegotiated() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20), loss: 0.05), seed: 2) { configuration, _ in
            configuration.reducedSizeRTCP = false
        }
        try call.connect()
        call.talk(for: .seconds(5))
        #expect(call.bob.video.count >= Int(call.alice.videoSent) - 2)
        #expect(call.bob.received(call.alice.videoSSRC)?.recovered ?? 0 > 0)
    }
}
