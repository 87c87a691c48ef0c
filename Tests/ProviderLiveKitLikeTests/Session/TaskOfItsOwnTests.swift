import Testing

@testable import ProviderLiveKitLike

@Suite struct TaskOfItsOwnTests {
    private struct Refusal: Error {}

    @Test func whatComesOfItComesBack() async throws {
        #expect(try await inTaskOfItsOwn { 7 } == 7)
        await #expect(throws: Refusal.self) { try await inTaskOfItsOwn { throw Refusal() } }
    }

    @Test func itEndsWithWhoWaitsForIt() async throws {
        let (never, silent) = AsyncStream.makeStream(of: Int.self)
        let (steps, step) = AsyncStream.makeStream(of: Int.self)
        let waiting = Task {
            try await inTaskOfItsOwn {
                step.yield(1)
                for await _ in never {}
                return Task.isCancelled
            }
        }
        for await _ in steps { break }
        waiting.cancel()
        #expect(try await waiting.value)
        silent.finish()
    }
}
