import Foundation
import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

/// Reports of two sessions in virtual time: the values of the one's objects are held against the other's.
@Suite struct StatsReportTests {
    /// Ada sends sound and pictures to Bob, and both have a channel for data.
    private func call(
        _ conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(10)), layers: [VideoLayer] = [],
        seconds: Double = 8
    ) throws -> MachinePair {
        let pair = try MachinePair(conditions)
        let card = try TestCardSource(sender: 3, width: 320, height: 180, frameRate: 15)
        let tracks = [
            LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()), id: "tone"),
            LocalTrack(.video(card, VideoEncoding(bitrate: 300_000, layers: layers)), id: "card"),
        ]
        for track in tracks {
            _ = try pair.perform(pair.ada) { machine, _, _ in try machine.addTrack(track, streamID: "ada") }
        }
        let channel = try pair.perform(pair.ada) { machine, now, out in
            try machine.openDataChannel(DataChannelConfiguration(label: "notes"), now: now, into: out)
        }
        try pair.negotiate()
        try #require(pair.connect())
        pair.pass(seconds: 1)
        for text in ["one", "three"] {
            try pair.perform(pair.ada) { machine, now, out in
                try machine.sendMessage(
                    Array(text.utf8), isText: true, on: channel, label: "notes", now: now, into: out)
            }
        }
        pair.pass(seconds: seconds)
        return pair
    }

    private func report(_ pair: MachinePair, _ end: MachinePair.End, at time: Double = 1_000) -> StatsReport {
        pair.statistics(end).report(timestamp: time)
    }

    private func json(_ report: StatsReport) throws -> [[String: Any]] {
        let data = try JSONEncoder().encode(report.stats)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    }

    @Test func everyObjectThatThereIsIsTold() throws {
        let pair = try call()
        let (sent, received) = (report(pair, pair.ada), report(pair, pair.bob))
        func count(_ report: StatsReport) -> [String: Int] {
            report.stats.reduce(into: [:]) { $0[$1.type, default: 0] += 1 }
        }
        #expect(
            count(sent) == [
                "peer-connection": 1, "transport": 1, "candidate-pair": 1, "local-candidate": 1, "remote-candidate": 1,
                "data-channel": 1, "codec": 2, "media-source": 2, "outbound-rtp": 2, "remote-inbound-rtp": 2,
            ])
        #expect(
            count(received) == [
                "peer-connection": 1, "transport": 1, "candidate-pair": 1, "local-candidate": 1, "remote-candidate": 1,
                "data-channel": 1, "codec": 2, "media-playout": 1, "inbound-rtp": 2, "remote-outbound-rtp": 2,
            ])
    }

    @Test func idsAreUniqueStableAndLeadSomewhere() throws {
        let pair = try call()
        for end in [pair.ada, pair.bob] {
            let first = report(pair, end)
            let ids = first.stats.map(\.id)
            #expect(Set(ids).count == ids.count && !ids.contains(""))
            for object in try json(first) {
                for (key, value) in object where key.hasSuffix("Id") && key != "dataChannelIdentifier" {
                    let id = try #require(value as? String)
                    #expect(first[id] != nil, "\(object["type"] ?? "") \(key) \(id)")
                }
            }
            pair.pass(seconds: 2)
            #expect(report(pair, end).stats.map(\.id) == ids)
        }
        #expect(Set(report(pair, pair.ada).stats.map(\.id)).isDisjoint(with: report(pair, pair.bob).stats.map(\.id)))
    }

    @Test func whatIsSentIsWhatArrives() throws {
        let pair = try call()
        let (sent, received) = (report(pair, pair.ada), report(pair, pair.bob))
        for case .outboundRTP(let out) in sent.stats {
            let stats = received.stats.compactMap(\.inbound)
            let arrived = try #require(stats.first { $0.ssrc == out.ssrc })
            // What is under way, 10 ms of it.
            #expect((0...12).contains(out.packetsSent - arrived.packetsReceived))
            #expect(arrived.packetsLost == 0 && out.retransmittedPacketsSent == 0 && out.kind == arrived.kind)
            #expect(out.bytesSent > 8_000)
            guard case .remoteInboundRTP(let remote)? = sent[try #require(out.remoteId)] else {
                Issue.record("no remote-inbound-rtp")
                continue
            }
            #expect(remote.packetsLost == 0 && remote.fractionLost == 0 && remote.localId == out.id)
            #expect(abs(try #require(remote.roundTripTime) - 0.02) < 0.003)
            #expect((4...10).contains(remote.roundTripTimeMeasurements))
            let mean = remote.totalRoundTripTime / Double(remote.roundTripTimeMeasurements)
            #expect(abs(mean - 0.02) < 0.003)
            guard case .remoteOutboundRTP(let told)? = received[try #require(arrived.remoteId)] else {
                Issue.record("no remote-outbound-rtp")
                continue
            }
            #expect(Int(told.packetsSent) <= out.packetsSent && Int(told.packetsSent) > out.packetsSent - 200)
            #expect(told.reportsSent >= 4 && told.localId == arrived.id)
            // The simulated clock began 3.95e9 s after 1900.
            let ntp = 3_950_000_000.0 + Double(pair.simulation.now.nanoseconds) / 1e9 - 2_208_988_800
            #expect((0...1.2).contains(ntp - told.remoteTimestamp / 1000))
        }
    }

    @Test func lossIsTold() throws {
        var conditions = NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(5))
        conditions.loss = 0.1
        let pair = try call(conditions, seconds: 12)
        let sent = report(pair, pair.ada)
        var lost = 0
        for case .remoteInboundRTP(let remote) in sent.stats {
            lost += remote.packetsLost
            #expect(remote.jitter > 0 && remote.jitter < 0.05)
        }
        #expect(lost > 20)
        let video = sent.stats.compactMap(\.outbound).filter { $0.kind == "video" }
        let stats = try #require(video.first)
        #expect(stats.nackCount > 0 && stats.retransmittedPacketsSent > 0)
        #expect(stats.retransmittedBytesSent > 100 * stats.retransmittedPacketsSent)
        #expect(stats.bytesSent > stats.retransmittedBytesSent && stats.packetsSent > stats.retransmittedPacketsSent)
        #expect(stats.framesSent ?? 0 > 100 && stats.frameWidth == 320 && stats.active == true)
    }

    @Test func theConnectionIsTold() throws {
        let pair = try call()
        for (end, far) in [(pair.ada, pair.bob), (pair.bob, pair.ada)] {
            let report = report(pair, end)
            let transport = try #require(report.objects("transport").first?.transport)
            #expect(transport.dtlsState == "connected" && ["connected", "completed"].contains(transport.iceState))
            #expect(transport.iceRole == (end === pair.ada ? "controlling" : "controlled"))
            #expect(["client", "server"].contains(transport.dtlsRole) && transport.selectedCandidatePairChanges >= 1)
            let other = try #require(self.report(pair, far).objects("transport").first?.transport)
            #expect((0...20).contains(transport.packetsSent - other.packetsReceived))
            #expect(transport.bytesReceived > 0 && transport.packetsReceived > 0)
            let id = try #require(transport.selectedCandidatePairId)
            guard case .candidatePair(let selected)? = report[id] else {
                Issue.record("no pair \(id)")
                continue
            }
            #expect(selected.state == "succeeded" && selected.nominated)
            #expect(selected.localCandidateId.hasSuffix("-host-udp-\(end.address.host)-\(end.address.port)"))
            #expect(selected.remoteCandidateId.hasSuffix("-udp-\(far.address.host)-\(far.address.port)"))
            #expect(abs(try #require(selected.currentRoundTripTime) - 0.02) < 0.003)
            let local = try #require(report[selected.localCandidateId]?.candidate)
            #expect(local.address == end.address.host && local.port == 4000 && local.candidateType == "host")
            let remote = try #require(report[selected.remoteCandidateId]?.candidate)
            #expect(remote.address == far.address.host && remote.type == "remote-candidate")
        }
    }

    @Test func dataChannelsAreTold() throws {
        let pair = try call()
        for end in [pair.ada, pair.bob] {
            guard case .dataChannel(let channel)? = report(pair, end).objects("data-channel").first else {
                Issue.record("no data-channel")
                continue
            }
            #expect(channel.label == "notes" && channel.state == "open" && channel.protocol == "")
            let (mine, theirs) = end === pair.ada ? (2, 0) : (0, 2)
            #expect(channel.messagesSent == mine && channel.messagesReceived == theirs)
            #expect(channel.bytesSent == mine * 4 && channel.bytesReceived == theirs * 4)
        }
        let id = DataChannelID(rawValue: 1)
        pair.perform(pair.ada) { machine, now, out in machine.closeDataChannel(id, now: now, into: out) }
        pair.pass(seconds: 1)
        let report = report(pair, pair.bob)
        #expect(report.objects("data-channel").isEmpty)
        guard case .peerConnection(let counted)? = report.objects("peer-connection").first else {
            Issue.record("no peer-connection")
            return
        }
        #expect(counted.dataChannelsOpened == 1 && counted.dataChannelsClosed == 1)
    }

    @Test func sourcesAndPlayoutAreTold() throws {
        let pair = try call()
        for case .mediaSource(let source) in report(pair, pair.ada).stats where source.kind == "audio" {
            // The tone's level, in whole decibels.
            #expect((0.05...0.7).contains(try #require(source.audioLevel)) && source.trackIdentifier == "tone")
        }
        guard case .mediaPlayout(let playout)? = report(pair, pair.bob).objects("media-playout").first else {
            Issue.record("no media-playout")
            return
        }
        #expect((8...10).contains(playout.totalSamplesDuration) && playout.synthesizedSamplesDuration == 0)
        #expect(playout.totalSamplesCount == Int((playout.totalSamplesDuration * 48_000).rounded()))
    }

    @Test func eachStreamOfASimulcastIsTold() throws {
        let layers = [
            VideoLayer(rid: "f", width: 320, height: 180, bitrate: 300_000),
            VideoLayer(rid: "h", width: 160, height: 90, bitrate: 100_000),
        ]
        let pair = try call(layers: layers, seconds: 3)
        let video = report(pair, pair.ada).stats.compactMap(\.outbound).filter { $0.kind == "video" }
        // Who answers without simulcast gets one stream.
        #expect(video.count == 1 || video.map(\.rid) == ["f", "h"])
        #expect(video.allSatisfy { ($0.encodingIndex == nil) == (video.count == 1) })
    }

    @Test func linesKeepToTheSchema() throws {
        let schema = try StatsSchema()
        let pair = try call()
        for end in [pair.ada, pair.bob] {
            let line: [String: Any] = [
                "participant": "ada", "seconds": 3.5, "timestamp": 1_000, "stats": try json(report(pair, end)),
                "scores": [["trackIdentifier": "t", "from": "bob", "kind": "audio", "mos": 4.2]],
            ]
            #expect(schema.faults(line) == [])
        }
        // And the checker finds what is wrong.
        let wrong: [String: Any] = [
            "participant": "ada", "seconds": -1, "timestamp": 1, "stats": [["type": "codec", "id": "c", "odd": 1]],
            "scores": [["mos": 7]],
        ]
        #expect(schema.faults(wrong).count >= 4)
        #expect(!schema.faults(["participant": 3]).isEmpty)
    }

    @Test func nothingIsToldOfNothing() throws {
        #expect(SessionStatistics().report(timestamp: 5) == StatsReport(timestamp: 5, stats: []))
        let pair = try MachinePair()
        let report = report(pair, pair.ada)
        let transport = try #require(report.objects("transport").first?.transport)
        #expect(transport.dtlsState == "new" && transport.dtlsRole == "unknown" && transport.srtpCipher == nil)
        #expect(transport.selectedCandidatePairId == nil && report.objects("candidate-pair").isEmpty)
    }

    @Test func clocksOfSendersAreConverted() {
        #expect(StatsWriter.milliseconds(ntp: 2_208_988_800 << 32) == 0)
        #expect(StatsWriter.milliseconds(ntp: 2_208_988_801 << 32 | 1 << 31) == 1_500)
    }

    /// Two connections of one call count as one, and their objects stay apart.
    @Test func connectionsAddUp() throws {
        let pair = try call(seconds: 2)
        var both = pair.statistics(pair.ada)
        both.add(pair.statistics(pair.bob))
        let report = both.report(timestamp: 1)
        #expect(report.objects("transport").count == 2)
        #expect(Set(report.stats.map(\.id)).count == report.stats.count)
    }
}

extension StatsObject {
    fileprivate var inbound: InboundRTPStreamStats? {
        guard case .inboundRTP(let stats) = self else { return nil }
        return stats
    }

    fileprivate var outbound: OutboundRTPStreamStats? {
        guard case .outboundRTP(let stats) = self else { return nil }
        return stats
    }

    fileprivate var transport: TransportStats? {
        guard case .transport(let stats) = self else { return nil }
        return stats
    }

    fileprivate var candidate: CandidateStats? {
        guard case .candidate(let stats) = self else { return nil }
        return stats
    }
}
