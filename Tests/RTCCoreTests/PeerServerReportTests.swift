import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// How a peer that passes media on speaks RTCP: SRTCP leaves the first header and the sender's SSRC in the clear.
@Suite struct PeerServerReportTests {
    /// The beginning of one RTCP datagram on the wire.
    private struct Seen: Equatable {
        var at: Instant
        var type: UInt8
        var count: UInt8
        var sender: UInt32
        var bytes: Int
    }

    private final class Log { var seen: [Seen] = [] }

    /// A call whose Bob is the server; the log has what he says in RTCP.
    private func call(
        _ conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(5)), seed: UInt64 = 1,
        configure: @escaping (inout PeerConfiguration) -> Void = { _ in }
    ) throws -> (PeerCall, Log) {
        let call = try PeerCall(conditions, seed: seed) { configuration, isAlice in
            guard !isAlice else { return }
            configuration.rtcp = .forwarding
            configure(&configuration)
        }
        try call.connect()
        let log = Log()
        let server = call.bob.node.address
        call.simulation.onSend = { [unowned call] bytes, from, _ in
            guard from == server, bytes.count >= 8, (200...206).contains(bytes[1]) else { return }
            log.seen.append(
                Seen(
                    at: call.simulation.now, type: bytes[1], count: bytes[0] & 31,
                    sender: bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }, bytes: bytes.count))
        }
        return (call, log)
    }

    @Test func everySourceHasAReportOfItsOwn() throws {
        let (call, log) = try call()
        let start = call.simulation.now
        call.talk(for: .seconds(4), tail: .zero, both: false)
        let reports = log.seen.filter { $0.type == 201 }
        for ssrc in [call.alice.audioSSRC, call.alice.videoSSRC] {
            let own = reports.filter { $0.sender == ssrc }
            #expect(own.count == 3)
            let first = try #require(own.first)
            #expect((1_000...1_010).contains((first.at - start).milliseconds))
            #expect(zip(own, own.dropFirst()).allSatisfy { $1.at - $0.at == .seconds(1) })
        }
        // One block, nothing beside it: 32 bytes, SRTCP's index and tag.
        #expect(reports.count == 6 && reports.allSatisfy { $0.count == 1 && $0.bytes == 32 + 20 })
    }

    @Test func aSilentSourceIsReportedOnForAWhile() throws {
        let (call, log) = try call()
        call.talk(for: .seconds(2), tail: .seconds(60), video: false, both: false)
        let reports = log.seen.filter { $0.type == 201 }
        #expect((30...33).contains(reports.count), "\(reports.count) reports")
    }

    @Test func requestsNameTheSourceAsTheirSender() throws {
        let (call, log) = try call(NetworkConditions(delay: .milliseconds(5), loss: 0.05), seed: 3)
        call.talk(for: .seconds(3), tail: .milliseconds(10), both: false)
        let ssrc = call.alice.videoSSRC
        call.pair.drive(call.bob.node) { peer, now, outbox in
            peer.requestKeyFrame(ssrc: ssrc, now: now, into: outbox)
        }
        let requests = log.seen.filter { $0.type == 206 || $0.type == 205 && $0.count == 1 }
        #expect(requests.contains { $0.type == 206 } && requests.contains { $0.type == 205 })
        #expect(requests.allSatisfy { $0.sender == ssrc || $0.sender == call.alice.audioSSRC })
    }

    @Test func nobodySaysGoodbye() throws {
        let (call, log) = try call()
        call.talk(for: .seconds(1), tail: .zero)
        log.seen = []
        let ssrc = call.bob.videoSSRC
        call.pair.drive(call.bob.node) { peer, now, outbox in
            peer.removeSendStream(ssrc: ssrc, sendBye: true, now: now, into: outbox)
        }
        #expect(log.seen.isEmpty)
    }

    /// One compound for all streams whose clocks are the caller's, with names and media sections.
    @Test func forwardedReportsShareADatagram() throws {
        let (call, log) = try call()
        call.talk(for: .seconds(1), tail: .zero)
        log.seen = []
        let reports = [call.bob.audioSSRC, call.bob.videoSSRC].map {
            ForwardedReport(ssrc: $0, ntp: 1 << 32, rtpTimestamp: 9)
        }
        call.pair.drive(call.bob.node) { peer, now, outbox in
            peer.sendSenderReports(reports, now: now, into: outbox)
        }
        let sent = log.seen.filter { $0.type == 200 }
        #expect(sent.count == 1 && sent.allSatisfy { $0.sender == call.bob.audioSSRC && $0.bytes > 2 * 28 + 20 })
        call.simulation.run(for: .milliseconds(10))
        var arrived: [UInt32: UInt32] = [:]
        for case .senderReport(let ssrc, 0x1_0000_0000, let timestamp, _) in call.alice.node.events {
            arrived[ssrc] = timestamp
        }
        #expect(arrived == [call.bob.audioSSRC: 9, call.bob.videoSSRC: 9])
    }

    /// Feedback that is counted says as much as one that is timed, only later.
    @Test func countedTransportFeedbackIsSparse() throws {
        func feedback(_ timing: RTCPStyle.TransportFeedback) throws -> (messages: Int, results: Int) {
            let call = try PeerCall(NetworkConditions(delay: .milliseconds(5))) { configuration, isAlice in
                if !isAlice { configuration.rtcp.transportFeedback = timing }
            }
            call.takesTransportFeedback = true
            try call.connect()
            var results = 0
            call.alice.node.onEvent = { if case .packetResults(let some) = $0 { results += some.count } }
            call.talk(for: .seconds(4), tail: .seconds(1), both: false)
            return (call.bob.node.peer.statistics.transportFeedbackSent, results)
        }
        let timed = try feedback(.timed)
        let counted = try feedback(.counted(21))
        // 50 + 90 packets a second; those of one batch are told together.
        #expect((560 / 23...560 / 21).contains(counted.messages))
        #expect((counted.messages * 21...counted.messages * 23).contains(counted.results))
        #expect(timed.messages > counted.messages && timed.results >= 4 * 140)
    }

    /// How long lost video takes to come back after its gap has shown, median in milliseconds, and how many packets were
    /// asked for in vain.
    private func recovery(
        _ conditions: NetworkConditions, least: Int, most: Int
    ) throws -> (median: Double, requests: Int, repaired: Int) {
        let (call, log) = try call(conditions, seed: 4) {
            $0.streams.minimumReorderDelay = .milliseconds(least)
            $0.streams.maximumReorderDelay = .milliseconds(most)
        }
        var missing: [Int64: Instant] = [:]
        var newest: Int64 = 0
        var times: [Double] = []
        let take = call.bob.node.onPacket
        call.bob.node.onPacket = { packet, buffer in
            take?(packet, buffer)
            guard packet.header.payloadType == 96 else { return }
            if newest > 0, packet.sequence > newest + 1 {
                for sequence in (newest + 1)..<packet.sequence { missing[sequence] = packet.arrival }
            }
            newest = max(newest, packet.sequence)
            if let since = missing.removeValue(forKey: packet.sequence), packet.isRetransmission {
                times.append((packet.arrival - since).milliseconds)
            }
        }
        call.talk(for: .seconds(30), both: false)
        #expect(call.videoIsWhole(from: call.alice, to: call.bob))
        let requests = log.seen.filter { $0.type == 205 && $0.count == 1 && $0.sender == call.alice.videoSSRC }
        return (times.sorted()[times.count / 2], requests.count, times.count)
    }

    /// Where packets keep their order nothing is won by waiting, and each loss is back so much later.
    @Test func recoveryTime() throws {
        let conditions = NetworkConditions(delay: .milliseconds(5), loss: 0.02)
        let learning = try recovery(conditions, least: 0, most: 70)
        let waiting = try recovery(conditions, least: 70, most: 70)
        print("lost video is back after \(learning.median) ms; where 70 ms are waited first, \(waiting.median) ms")
        #expect(learning.median < 30 && learning.repaired > 20)
        #expect((75...110).contains(waiting.median))
    }

    /// Where they overtake each other, most requests are for packets that are on their way.
    @Test func learningSparesRequests() throws {
        var conditions = NetworkConditions(delay: .milliseconds(60))
        conditions.reordering = 0.05
        conditions.reorderDelay = .milliseconds(30)
        func requests(most: Int) throws -> Int {
            let (call, log) = try call(conditions, seed: 6) { $0.streams.maximumReorderDelay = .milliseconds(most) }
            call.talk(for: .seconds(20), both: false)
            return log.seen.count { $0.type == 205 && $0.count == 1 && $0.sender == call.alice.videoSSRC }
        }
        let (none, learning) = (try requests(most: 0), try requests(most: 70))
        print("requests in vain in 20 s: \(none) at once, \(learning) after learning")
        #expect(none > 50 && learning < none / 2)
    }
}
