/// What bounds a scenario.
package enum ScenarioLimits {
    package static let people = 2_000
    package static let steps = 20_000
    package static let expectations = 20_000
    /// 24 hours.
    package static let durationMs = 86_400_000
    package static let networks = 100
}

/// What bounds a story.
package enum StoryLimits {
    package static let clients = 1_000
    package static let steps = 200
    /// Bytes of a message, as the service takes them.
    package static let textBytes = 8_000
    package static let fileBytes = 1_000_000
}
