/// What bounds a scenario.
package enum ScenarioLimits {
    package static let people = 2_000
    package static let steps = 20_000
    package static let expectations = 20_000
    /// 24 hours.
    package static let durationMs = 86_400_000
    package static let networks = 100
}
