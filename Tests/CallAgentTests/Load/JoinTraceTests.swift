import Foundation
import LoadCore
import MediaCore
import Testing

@testable import callagent

/// Joins as OpenTelemetry reads them.
@Suite struct JoinTraceTests {
    private let participant = PlannedParticipant(number: 0, identity: "load_sub_0", room: "load")

    private func time(_ milliseconds: Int64) -> MediaTime { MediaTime(nanoseconds: milliseconds * 1_000_000) }

    private var whole: JoinTimes {
        var times = JoinTimes(begun: time(100))
        (times.admitted, times.connected) = (time(105), time(112))
        times.firsts = [.audio: time(130), .video: time(150)]
        return times
    }

    private func spans(_ trace: JoinTrace) throws -> [[String: Any]] {
        let object = try #require(
            try JSONSerialization.jsonObject(with: try trace.line(offset: 1_000_000_000)) as? [String: Any])
        let resource = try #require((object["resourceSpans"] as? [[String: Any]])?.first)
        let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
        return try #require(scope["spans"] as? [[String: Any]])
    }

    @Test func aJoinIsATraceOfItsParts() throws {
        let spans = try spans(JoinTrace(participant: participant, times: whole))
        #expect(
            spans.map { $0["name"] as? String } == [
                "join", "signalling", "media connection", "first audio", "first video",
            ])
        #expect(
            spans.map { $0["startTimeUnixNano"] as? String }.prefix(3) == ["1100000000", "1100000000", "1105000000"])
        #expect(spans.map { $0["endTimeUnixNano"] as? String }.prefix(3) == ["1150000000", "1105000000", "1112000000"])
        let root = try #require(spans[0]["spanId"] as? String)
        #expect(
            spans[0]["parentSpanId"] == nil && spans.dropFirst().allSatisfy { $0["parentSpanId"] as? String == root })
        let traces = Set(spans.compactMap { $0["traceId"] as? String })
        let ids = Set(spans.compactMap { $0["spanId"] as? String })
        #expect(traces.count == 1 && traces.first?.count == 32 && ids.count == 5)
        #expect(ids.allSatisfy { $0.count == 16 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func iceAndDTLSArePartsOfTheMediaConnection() throws {
        var times = whole
        (times.setup.described, times.setup.paired, times.setup.secured) = (time(106), time(109), time(112))
        let spans = try spans(JoinTrace(participant: participant, times: times))
        let connection = try #require(spans.first { $0["name"] as? String == "media connection" }?["spanId"] as? String)
        let parts = spans.filter { $0["parentSpanId"] as? String == connection }
        #expect(parts.map { $0["name"] as? String } == ["ICE", "DTLS"])
        #expect(parts.map { $0["startTimeUnixNano"] as? String } == ["1106000000", "1109000000"])
        #expect(parts.map { $0["endTimeUnixNano"] as? String } == ["1109000000", "1112000000"])
        times.setup.secured = nil
        #expect(try self.spans(JoinTrace(participant: participant, times: times)).count == spans.count - 1)
    }

    @Test func aFailedJoinSaysWhy() throws {
        var times = JoinTimes(begun: time(100))
        let early = JoinTrace(participant: participant, times: times, failure: (time(120), "no route"))
        let spans = try spans(early)
        #expect(spans.count == 1 && spans[0]["endTimeUnixNano"] as? String == "1120000000")
        let status = try #require(spans[0]["status"] as? [String: Any])
        #expect(status["code"] as? Int == 2 && status["message"] as? String == "no route")
        times.admitted = time(108)
        let late = JoinTrace(participant: participant, times: times, failure: (time(120), "no track"))
        #expect(try self.spans(late).map { $0["name"] as? String } == ["join", "signalling"])
    }
}
