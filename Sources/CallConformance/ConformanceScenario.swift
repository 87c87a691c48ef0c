import CallBridge

/// One course of events that every provider must get right.
public struct ConformanceScenario: Sendable, CustomStringConvertible {
    /// A short name, unique in the suite.
    public let name: String
    /// What must hold, in one sentence.
    public let summary: String
    /// What the provider must be able to do; where it can't, the scenario is left out.
    public let capabilities: ProviderCapabilities
    /// What must be possible in the subject's worlds.
    public let faults: Set<ConformanceFault.Kind>
    let body: @Sendable (ConformanceStage) async throws -> Void

    /// A scenario of one's own, beside those of the suite.
    ///
    /// - Parameter body: throws, or calls `ConformanceStage.expect`, where something is not as it should be.
    public init(
        _ name: String, _ summary: String, capabilities: ProviderCapabilities = [],
        faults: Set<ConformanceFault.Kind> = [], body: @escaping @Sendable (ConformanceStage) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.capabilities = capabilities
        self.faults = faults
        self.body = body
    }

    /// The name.
    public var description: String { name }
}

/// What came of a scenario.
public enum ConformanceOutcome: Sendable, Hashable {
    /// Everything was as it should be.
    case passed
    /// Something was not; the text says what.
    case failed(String)
    /// The subject can't do what it takes; the text names it.
    case leftOut(String)

    /// The text of a failure; nil otherwise.
    public var failure: String? { if case .failed(let text) = self { text } else { nil } }
}

/// The scenarios, and what runs them.
public enum ConformanceSuite {
    /// Every scenario, in the order of the guide.
    public static let scenarios: [ConformanceScenario] =
        comingAndGoing + publishing + muting + subscribing + speaking + trouble + endings + failover
        + ringing + ringingOnDevices

    /// Runs one scenario in a world of its own.
    ///
    /// - Parameter patienceMilliseconds: for how long what must follow may take, where a scenario sets no limit of its own, in
    ///   the world's time. Sockets on a busy machine need the minute; where time is simulated, a few seconds tell as much.
    public static func run(
        _ scenario: ConformanceScenario, on subject: some ConformanceSubject, seed: UInt64 = 1,
        patienceMilliseconds: Int = 60_000
    ) async -> ConformanceOutcome {
        let missing = scenario.faults.subtracting(subject.faults)
        if !missing.isEmpty {
            return .leftOut("\(subject.name) has no \(missing.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        let world: any ConformanceWorld
        do { world = try await subject.makeWorld(seed: seed) } catch {
            return .failed("no world could be made: \(error)")
        }
        guard world.provider.capabilities.isSuperset(of: scenario.capabilities) else {
            await world.close()
            return .leftOut("the provider \(world.provider.kind) lacks a capability that the scenario is about")
        }
        let stage = ConformanceStage(world, patienceMilliseconds: patienceMilliseconds)
        let outcome = await play(scenario, on: stage)
        await world.close()
        return outcome
    }

    private static func play(
        _ scenario: ConformanceScenario, on stage: ConformanceStage
    ) async -> ConformanceOutcome {
        var failures: [String] = []
        do { try await scenario.body(stage) } catch let reason as ConformanceLeftOut {
            await stage.clear()
            return .leftOut(reason.text)
        } catch {
            failures.append("\(error)")
        }
        await stage.clear()
        failures += await stage.violations()
        return failures.isEmpty ? .passed : .failed(failures.joined(separator: "; "))
    }

    /// Runs all scenarios, one after the other.
    public static func run(on subject: some ConformanceSubject, seed: UInt64 = 1) async -> ConformanceReport {
        var report = ConformanceReport(subject: subject.name)
        for scenario in scenarios {
            report.results.append((scenario.name, await run(scenario, on: subject, seed: seed)))
        }
        return report
    }
}

/// What came of all scenarios.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// Whose it is.
    public let subject: String
    /// By scenario, in the suite's order.
    public internal(set) var results: [(scenario: String, outcome: ConformanceOutcome)] = []

    init(subject: String) { self.subject = subject }

    /// Whether nothing failed.
    public var isConforming: Bool { !results.contains { $0.outcome.failure != nil } }

    /// One line for each scenario.
    public var description: String {
        let lines = results.map { name, outcome in
            switch outcome {
            case .passed: "passed    \(name)"
            case .failed(let text): "FAILED    \(name): \(text)"
            case .leftOut(let text): "left out  \(name): \(text)"
            }
        }
        return ([subject] + lines).joined(separator: "\n")
    }
}

/// Something is not as it should be.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// What.
    public let description: String

    /// - Parameter description: what is not as it should be.
    public init(_ description: String) { self.description = description }
}

/// A scenario finds that it does not apply.
struct ConformanceLeftOut: Error {
    let text: String
}
