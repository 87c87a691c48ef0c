import ScenarioCore

/// The story that `callagent story` plays: `Examples/Scenarios/whole-story.yaml`, which is built into the program.
enum StoryFile {
    static var text: String { String(decoding: PackageResources.whole_story_yaml, as: UTF8.self) }

    /// Throws `ScenarioProblems`.
    static func whole() throws(ScenarioProblems) -> StoryPlan { try ScenarioReader.story(text) }
}
