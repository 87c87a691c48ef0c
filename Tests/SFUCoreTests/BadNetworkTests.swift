import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import SFUCore

/// A room between bad networks, in virtual time: a camera, several subscribers, losses and overtaking on the way in and out.
@Suite struct BadNetworkTests {
    /// A camera of 30 pictures a second, four packets each, that gives a key frame when asked.
    private struct Camera {
        var ssrc: UInt32 = 1
        var sequence: Int64 = 500
        var picture: UInt16 = 0x7ff0
        var timestamp: UInt32 = .max - 90_000
        var wantsKey = true
        /// Every packet ever sent, by the number that its payload ends with.
        private(set) var sent = 0

        mutating func shoot(at now: Instant) -> [RTPPacket] {
            let packets = (0..<4).map { part -> RTPPacket in
                var payload = vp8(picture, key: wantsKey && part == 0, starts: part == 0)
                payload += (0..<4).map { UInt8(truncatingIfNeeded: sent >> ($0 * 8)) }
                sent += 1
                sequence += 1
                return RTPPacket(
                    ssrc: ssrc, sequence: sequence, timestamp: timestamp, marker: part == 3, payload: payload)
            }
            wantsKey = false
            picture = (picture + 1) & 0x7fff
            timestamp &+= 3000
            return packets
        }

        /// Begins anew, as a browser does that publishes again.
        mutating func restart() {
            ssrc += 1
            sequence = 7
            picture = 77
            timestamp = 12_345
            wantsKey = true
        }
    }

    private struct RTPPacket {
        var ssrc: UInt32
        var sequence: Int64
        var timestamp: UInt32
        var marker: Bool
        var payload: [UInt8]
    }

    /// One who asks again for what is missing.
    private struct Viewer {
        var link: NetworkModel
        var arriving: [(at: Instant, sent: RecordingSink.Sent)] = []
        /// By number without wrap-around.
        var received: [Int64: RecordingSink.Sent] = [:]
        var doubles = 0
        private var last: Int64?
        /// All from the first one up to here have come.
        private var complete: Int64 = 0
        private var unwrapper = SequenceUnwrapper()
        private var asked: [Int64: Instant] = [:]

        init(_ conditions: NetworkConditions, seed: UInt64) { link = NetworkModel(conditions, seed: seed) }

        mutating func take(_ sent: RecordingSink.Sent) {
            var sent = sent
            var number = sent.packet.sequenceNumber
            if sent.packet.ssrc == 8 {
                number = UInt16(sent.payload[0]) << 8 | UInt16(sent.payload[1])
                sent.payload.removeFirst(2)
            }
            let sequence = unwrapper.unwrap(number)
            if let known = received[sequence], known.payload != sent.payload { doubles += 1 }
            received[sequence] = sent
            if last == nil { complete = sequence }
            last = max(last ?? sequence, sequence)
        }

        /// What to ask for: in the row so far, not here, and not asked for lately.
        mutating func missing(now: Instant) -> [UInt16] {
            guard let last else { return [] }
            while received[complete] != nil { complete += 1 }
            let from = max(complete, last - 900)
            let list = (from..<max(from, last)).filter {
                received[$0] == nil && now - (asked[$0] ?? .zero) >= .milliseconds(90)
            }
            for number in list { asked[number] = now }
            return list.prefix(200).map { UInt16(truncatingIfNeeded: $0) }
        }

        /// In the order of their numbers.
        var row: [(number: Int64, sent: RecordingSink.Sent)] {
            received.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    private struct Outcome: Equatable {
        var rows: [[Int64: [UInt8]]]
        var statistics: ForwardingStatistics
    }

    private static func conditions(loss: Double) -> NetworkConditions {
        var conditions = NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(10), loss: loss)
        conditions.reordering = 0.02
        return conditions
    }

    private let seconds = 16

    /// Sixteen seconds of a call; `loss` on the way in can't be mended here, that on the way out is.
    private func run(seed: UInt64, uplinkLoss: Double) -> (viewers: [Viewer], bench: Bench, lostIn: Int) {
        let bench = Bench(codec: .vp8)
        var sinks = [bench.sink]
        var consumers = [bench.consumer]
        for _ in 0..<3 {
            let sink = RecordingSink()
            let configuration = ConsumerConfiguration(
                ssrc: 7, payloadType: 120, rtxSSRC: 8, rtxPayloadType: 121, firstSequence: 0x7ff0, firstRTXSequence: 0)
            let consumer = TestConsumer(configuration, producer: bench.producer, sink: sink)
            consumer.start(now: .zero)
            sinks.append(sink)
            consumers.append(consumer)
        }
        var viewers = sinks.indices.map { Viewer(Self.conditions(loss: 0.05), seed: seed &+ UInt64($0)) }
        var uplink = NetworkModel(Self.conditions(loss: uplinkLoss), seed: seed &+ 99)
        var camera = Camera()
        var incoming: [(at: Instant, packet: RTPPacket)] = []
        var asked = 0
        var lastKey = Instant.zero
        for tick in 0..<(seconds * 200) {
            let now = milliseconds(tick * 5)
            // Requests come through, a quarter of a second apart at most.
            if bench.source.requests.count > asked, now - lastKey > .milliseconds(250) {
                asked = bench.source.requests.count
                lastKey = now
                camera.wantsKey = true
            }
            if tick % 7 == 0, tick < (seconds - 2) * 200 {
                for packet in camera.shoot(at: now) {
                    if let at = uplink.transmit(length: packet.payload.count, at: now).first {
                        incoming.append((at, packet))
                    }
                }
            }
            let due = incoming.filter { $0.at <= now }.sorted { $0.at < $1.at }
            incoming.removeAll { $0.at <= now }
            for (at, packet) in due {
                bench.feed(
                    packet.sequence, timestamp: packet.timestamp, payload: packet.payload, ssrc: packet.ssrc, at: at,
                    marker: packet.marker)
            }
            if tick == 1000 { consumers[1].setPaused(true, now: now) }
            if tick == 1300 { consumers[1].setPaused(false, now: now) }
            if tick == 1800 { bench.producer.setMuted(true, now: now) }
            if tick == 1900 { bench.producer.setMuted(false, now: now) }
            if tick == 2500 { camera.restart() }
            for index in viewers.indices {
                for sent in sinks[index].sent {
                    if let at = viewers[index].link.transmit(length: sent.payload.count, at: now).first {
                        viewers[index].arriving.append((at, sent))
                    }
                }
                sinks[index].sent = []
                let arrived = viewers[index].arriving.filter { $0.at <= now }.sorted { $0.at < $1.at }
                viewers[index].arriving.removeAll { $0.at <= now }
                for entry in arrived { viewers[index].take(entry.sent) }
                guard tick % 6 == index else { continue }
                let missing = viewers[index].missing(now: now)
                if !missing.isEmpty { consumers[index].resend(missing, now: now, spacing: .milliseconds(60)) }
            }
        }
        return (viewers, bench, uplink.statistics.lost)
    }

    /// All that came in has come out, in one row without a hole, and under its own number each.
    @Test(arguments: [UInt64(1), 2, 3]) func whatIsLostOnTheWayOutIsMended(seed: UInt64) throws {
        let (viewers, bench, lost) = run(seed: seed, uplinkLoss: 0)
        #expect(lost == 0)
        for viewer in viewers {
            let row = viewer.row
            #expect(viewer.doubles == 0, "a number has one content")
            #expect(row.count > 1200)
            let first = try #require(row.first).number
            #expect(row.map(\.number) == Array(first..<(first + Int64(row.count))), "no hole is left")
            #expect(isInOrder(row))
        }
        #expect(bench.statistics.retransmissions > 100 && bench.statistics.retransmissionMisses == 0)
        #expect(bench.statistics.dropped == 0)
        // Nobody was away all the time: the first viewer has what the third has.
        // First and last packets may be lost unnoticed.
        let rows = [viewers[0], viewers[2]].map { $0.row.map { source($0.sent.payload) } }
        let common = max(rows[0][0], rows[1][0])...min(rows[0][rows[0].count - 1], rows[1][rows[1].count - 1])
        let isSame = rows[0].filter(common.contains) == rows[1].filter(common.contains)
        #expect(isSame && common.count > 1200)
        #expect(viewers[1].received.count < viewers[0].received.count, "who paused has less")
    }

    /// What is lost on the way in leaves a hole for each packet, and no other.
    @Test func holesAreThoseOfTheWayIn() throws {
        let (viewers, bench, lost) = run(seed: 5, uplinkLoss: 0.03)
        #expect(lost > 20)
        for viewer in viewers {
            let row = viewer.row
            let holes = try #require(row.last).number - row[0].number + 1 - Int64(row.count)
            #expect(holes > 0 && holes <= Int64(lost) && viewer.doubles == 0)
            #expect(isInOrder(row))
        }
        #expect(bench.statistics.retransmissionMisses > 0)
    }

    /// By number, the camera's packets come in its order, timestamps never go back, and neither do picture ids.
    private func isInOrder(_ row: [(number: Int64, sent: RecordingSink.Sent)]) -> Bool {
        for (a, b) in zip(row, row.dropFirst()) {
            guard let before = descriptor(a.sent.payload)?.pictureID, let after = descriptor(b.sent.payload)?.pictureID
            else { return false }
            let step = (after &- before) & 0x7fff
            guard source(a.sent.payload) < source(b.sent.payload), step < 100,
                !a.sent.packet.timestamp.isNewer(than: b.sent.packet.timestamp)
            else { return false }
        }
        return true
    }

    private func source(_ payload: [UInt8]) -> Int {
        payload.suffix(4).enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
    }

    @Test func theSameSeedGivesTheSameCall() {
        func outcome() -> Outcome {
            let (viewers, bench, _) = run(seed: 11, uplinkLoss: 0.02)
            return Outcome(
                rows: viewers.map { $0.received.mapValues(\.payload) }, statistics: bench.statistics)
        }
        let first = outcome()
        #expect(first == outcome() && first.statistics.packetsForwarded > 4000)
    }
}
