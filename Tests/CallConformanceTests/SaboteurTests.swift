import CallBridge
import CallConformance
import MediaCore
import ProviderFake
import Testing

/// The suite must notice what is wrong: a provider that errs in one way fails the scenario that is about it.
@Suite(.timeLimit(.minutes(10))) struct SaboteurTests {
    enum Sabotage: String, CaseIterable, Sendable {
        case forgetsMutes, takesLossForTheEnd, hidesSomebody, subscribesUnasked, keepsSending, swallowsRefusals
        case leavesUnseen, losesItsLevels, mistakesTheReason, forgetsTheGap

        var scenario: String {
            switch self {
            case .forgetsMutes: "mute-audio"
            case .takesLossForTheEnd, .forgetsTheGap: "resume"
            case .hidesSomebody: "two"
            case .subscribesUnasked: "selective"
            case .keepsSending: "unpublish"
            case .swallowsRefusals: "refused"
            case .leavesUnseen: "rejoin"
            case .losesItsLevels: "active-speaker"
            case .mistakesTheReason: "room-ended"
            }
        }
    }

    /// In simulated time; a provider that does not err passes with as much.
    private static let patienceMilliseconds = 10_000

    @Test(arguments: Sabotage.allCases) func isNoticed(_ sabotage: Sabotage) async throws {
        let outcome = try await run(sabotage.scenario, sabotage)
        #expect(outcome.failure != nil, "\(sabotage.rawValue) went unnoticed: \(outcome)")
    }

    @Test(arguments: Set(Sabotage.allCases.map(\.scenario)).sorted())
    func whatIsLeftAlonePasses(_ scenario: String) async throws {
        #expect(try await run(scenario, nil) == .passed)
    }

    private func run(_ name: String, _ sabotage: Sabotage?) async throws -> ConformanceOutcome {
        let scenario = try #require(ConformanceSuite.scenarios.first { $0.name == name })
        return await ConformanceSuite.run(
            scenario, on: SaboteurSubject(sabotage: sabotage), patienceMilliseconds: Self.patienceMilliseconds)
    }

    @Test func namesAreUniqueAndSummariesAreSentences() {
        let names = ConformanceSuite.scenarios.map(\.name)
        #expect(Set(names).count == names.count && names.count >= 25)
        #expect(ConformanceSuite.scenarios.allSatisfy { $0.summary.hasSuffix(".") })
    }
}

private struct SaboteurSubject: ConformanceSubject {
    let sabotage: SaboteurTests.Sabotage?
    let name = "saboteur"
    let faults = Set(ConformanceFault.Kind.allCases)

    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld {
        SaboteurWorld(inner: try await FakeSubject().makeWorld(seed: seed), sabotage: sabotage)
    }
}

private struct SaboteurWorld: ConformanceWorld {
    let inner: any ConformanceWorld
    let sabotage: SaboteurTests.Sabotage?

    var provider: any CallProvider { Saboteur(inner: inner.provider, sabotage: sabotage) }
    var clock: MediaClock { inner.clock }
    func descriptor(identity: String, room: String) async throws -> CallDescriptor {
        try await inner.descriptor(identity: identity, room: room)
    }
    func refusedDescriptor() async throws -> CallDescriptor? {
        sabotage == .swallowsRefusals
            ? try await inner.descriptor(identity: "eve", room: "any") : try await inner.refusedDescriptor()
    }
    func inject(_ fault: ConformanceFault) async throws { try await inner.inject(fault) }
    func pass(milliseconds: Int) async { await inner.pass(milliseconds: milliseconds) }
}

private struct Saboteur: CallProvider {
    let inner: any CallProvider
    let sabotage: SaboteurTests.Sabotage?

    var kind: ProviderKind { inner.kind }
    var capabilities: ProviderCapabilities { inner.capabilities }

    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        var context = context
        if sabotage == .subscribesUnasked { context.subscribesAutomatically = true }
        return SaboteurSession(inner: try await inner.connect(descriptor, context: context), sabotage: sabotage)
    }
}

private struct SaboteurSession: ProviderSession {
    let inner: any ProviderSession
    let sabotage: SaboteurTests.Sabotage?

    var localParticipant: Participant { get async { await inner.localParticipant } }

    var events: AsyncStream<ProviderEvent> {
        let reader = Reader(inner.events)
        return AsyncStream {
            while let event = await reader.next() {
                if let spoilt = spoil(event) { return spoilt }
            }
            return nil
        }
    }

    private func spoil(_ event: ProviderEvent) -> ProviderEvent? {
        switch (sabotage, event) {
        case (.forgetsMutes, .trackMuted), (.hidesSomebody, .participantJoined), (.leavesUnseen, .participantLeft),
            (.losesItsLevels, .audioLevels), (.forgetsTheGap, .reconnecting):
            nil
        case (.takesLossForTheEnd, .reconnecting): .ended(.systemShutdown, detail: "lost")
        case (.mistakesTheReason, .ended(_, let detail)): .ended(.unknown, detail: detail)
        default: event
        }
    }

    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        try await inner.publish(track, source: source)
    }
    func unpublish(trackID: String) async throws {
        if sabotage != .keepsSending { try await inner.unpublish(trackID: trackID) }
    }
    func setMuted(_ muted: Bool, trackID: String) async throws { try await inner.setMuted(muted, trackID: trackID) }
    func setSubscribed(_ subscribed: Bool, trackID: String) async throws {
        try await inner.setSubscribed(subscribed, trackID: trackID)
    }
    func statistics() async -> SessionStatistics { await inner.statistics() }
    func leave() async { await inner.leave() }
}

/// Reads a stream on behalf of another one.
private actor Reader {
    private var iterator: AsyncStream<ProviderEvent>.Iterator?

    init(_ stream: AsyncStream<ProviderEvent>) { iterator = stream.makeAsyncIterator() }

    func next() async -> ProviderEvent? {
        // Nobody else is in here meanwhile: there is one reader.
        guard var own = iterator else { return nil }
        let event = await own.next(isolation: #isolation)
        iterator = own
        return event
    }
}
