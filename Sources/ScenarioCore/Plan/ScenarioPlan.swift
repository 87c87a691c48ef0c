/// A scenario as values: who takes part, what happens when, and what must come of it. Times are milliseconds since its
/// beginning.
package struct ScenarioPlan: Sendable, Hashable {
    package var name = ""
    package var about = ""
    package var modes: Set<ScenarioMode> = Set(ScenarioMode.allCases)
    package var durationMs = 0
    package var seed: UInt64 = 1
    package var room = "scenario"
    package var timing = ScenarioTiming()
    package var providers = ScenarioProviders()
    /// By name.
    package var networks: [String: ScenarioNetwork] = [:]
    /// In the order of the file; the place of each is its number on test cards.
    package var people: [PlannedPerson] = []
    /// In the order in which they are due.
    package var steps: [PlannedStep] = []
    package var expectations: [Expectation] = []
    package var modesPosition = SourcePosition(line: 1, column: 1)

    package init() {}

    package subscript(identity: String) -> PlannedPerson? { people.first { $0.identity == identity } }

    /// How much time one sample of what is seen and heard covers.
    package var sliceMs: Int { max(500, ((durationMs + 1199) / 1200 + 499) / 500 * 500) }
}

package struct ScenarioTiming: Sendable, Hashable {
    /// How long media may take to begin.
    package var graceMs = 1500
    /// How long it may take to come back after the network has.
    package var recoveryMs = 5000
}

package struct ScenarioProviders: Sendable, Hashable {
    /// In the order in which they are tried.
    package var order: [ScenarioProvider] = [.livekit]
    /// Don't answer from the beginning.
    package var down: Set<ScenarioProvider> = []
}

/// What a network does to datagrams, each way.
package struct ScenarioNetwork: Sendable, Hashable {
    /// Percent.
    package var loss = 0.0
    package var burstMs = 0
    package var delayMs = 0
    package var jitterMs = 0
    package var reorder = 0.0
    package var duplicate = 0.0
    /// 0: no limit.
    package var rateKbps = 0
    package var queueMs = 200
    /// A network in the words of `--network`, in place of all that.
    package var profile: ScenarioProfile?

    package init() {}
}

/// A network as `--network` takes it, and where the file says so. Who runs the scenario knows what it means.
package struct ScenarioProfile: Sendable, Hashable {
    package var text: String
    package var position: SourcePosition
}

package struct PlannedPerson: Sendable, Hashable {
    package var identity: String
    /// Names of all groups that they are in.
    package var groups: Set<String> = []
    package var position: SourcePosition
    /// Nil: by ringing or the timeline.
    package var joinMs: Int? = 0
    package var leaveMs: Int?
    package var media = PlannedMedia()
    package var network: String?
    package var provider: ScenarioProvider?
    /// The passphrase of end-to-end encryption.
    package var key: String?
    package var reception = PlannedReception()
    package var greeting: String?
}

/// What somebody publishes.
package struct PlannedMedia: Sendable, Hashable {
    package enum Sound: Sendable, Hashable {
        case tone(Double)
        case speech(String)
    }

    package struct Card: Sendable, Hashable {
        package var width: Int
        package var height: Int
        package var frameRate: Double
    }

    package var sound: Sound?
    /// When sound leaves; nil: always.
    package var spans: [Range<Int>]?
    package var card: Card?
}

/// What somebody does with what the others publish.
package struct PlannedReception: Sendable, Hashable {
    package var receives = true
    /// Frames are counted, and nothing is decoded.
    package var isCounted = false
    package var records = false
}

package struct PlannedStep: Sendable, Hashable {
    package var atMs: Int
    /// Who does it; nil for what concerns all.
    package var who: String?
    package var action: ScenarioAction
    package var position: SourcePosition
}
