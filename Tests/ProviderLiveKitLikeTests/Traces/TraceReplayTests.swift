import Testing

@testable import ProviderLiveKitLike

/// The recorded sessions of LiveKit's own clients with livekit-server, met by our client.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TraceReplayTests {
    @Test(arguments: TracePlan.all.map(\.name))
    func ourClientSaysWhatTheRecordedOneSaid(name: String) async throws {
        let plan = try #require(TracePlan.all.first { $0.name == name })
        let replay = try await TraceReplay(plan)
        var failure: (any Error)?
        do { try await replay.run() } catch { failure = error }
        for result in replay.results { print("\(name) \(result)") }
        for result in replay.results {
            let wanted = plan.differing[result.line]?.fields ?? []
            #expect(result.differences == wanted, "\(name), line \(result.line)")
        }
        #expect(replay.misplaced == [], "sent earlier than in the recording")
        #expect(
            plan.saidAgain.reversed().starts(with: replay.leftovers.reversed()),
            "sent by our client alone: \(replay.leftovers)")
        #expect(replay.results.count == plan.messages)
        #expect(replay.results.map(\.fields).reduce(0, +) == plan.fields)
        for (event, count) in plan.heard { #expect(replay.events.counts[event] == count, "\(event)") }
        await replay.stop()
        if let failure { throw failure }
    }

    /// What may differ is only what is named, and nothing is named that no recording has.
    @Test func everyFreedomIsNeeded() throws {
        let recorded = try TracePlan.all.flatMap { plan in
            let comparison = TraceComparison(trace: plan.name, isLayerOrderFree: false)
            return try plan.lines().filter { $0.direction == .open || $0.direction == .out }.flatMap { line in
                comparison.fields(line.body, line.kind).keys.map { (plan.name, $0) }
            }
        }
        for freedom in TraceFreedom.all {
            let isRecorded = recorded.contains { freedom.covers($0.1, trace: $0.0) }
            #expect(isRecorded != freedom.isOurs, "\(freedom.path): \(freedom.reason)")
        }
    }

    /// A field that is not on the list counts, and one that is missing as well.
    @Test func everyOtherFieldCounts() throws {
        let plan = TracePlan.pythonSingle
        let lines = try plan.lines()
        let comparison = TraceComparison(trace: plan.name, isLayerOrderFree: false)
        let camera = try #require(lines.first { $0.line == 1527 })
        var ours = camera.body
        #expect(comparison.compare(ours, with: camera).differences == [])
        ours["width"] = 640
        ours["name"] = nil
        ours["muted"] = true
        #expect(
            comparison.compare(ours, with: camera).differences == [
                "addTrack.muted: ours true, recorded nothing", "addTrack.name: ours nothing, recorded pattern",
                "addTrack.width: ours 640, recorded 1280",
            ])
        let offer = try #require(lines.first { $0.line == 2324 })
        var changed = offer.body
        let sdp = try #require(changed["sdp"] as? String)
        changed["sdp"] = sdp.replacing("a=msid:- ", with: "a=msid:camera ").replacing("f;h;q", with: "q;h;f")
        #expect(comparison.compare(changed, with: offer).differences.count == 3)
    }
}
