import Testing

@testable import ProviderLiveKitLike

/// The recorded sessions of LiveKit's own clients with livekit-server, met by our client.
@Suite(.serialized) struct TraceReplayTests {
    @Test(.timeLimit(.minutes(2)), arguments: TracePlan.all.map(\.name))
    func ourClientSaysWhatTheRecordedOneSaid(name: String) async throws {
        let plan = try #require(TracePlan.all.first { $0.name == name })
        let replay = try await TraceReplay(plan)
        var failure: (any Error)?
        do { try await replay.run() } catch { failure = error }
        for result in replay.results { print("\(name) \(result)") }
        for result in replay.results { #expect(result.differences == [], "\(name), line \(result.line)") }
        #expect(replay.misplaced == [], "sent earlier than in the recording")
        #expect(replay.leftovers == [], "sent by our client alone")
        #expect(replay.results.count == plan.messages)
        #expect(replay.results.map(\.fields).reduce(0, +) == plan.fields)
        await replay.stop()
        if let failure { throw failure }
    }
}
