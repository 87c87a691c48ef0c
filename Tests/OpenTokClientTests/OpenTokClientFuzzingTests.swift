import Foundation
import RTCSim
import Testing

/// The fuzz target's body with what once broke it, and with random courses.
@Suite struct OpenTokClientFuzzingTests {
    private static let crashers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Crashers")

    /// Opened, and let in.
    private static let joined: [UInt8] = [1, 0, 5, 0, 5, 0]

    @Test(arguments: OpenTokClientFuzzing.bodies.map(\.name))
    func everyCrasherAndRandomCoursePasses(target: String) throws {
        let body = try #require(OpenTokClientFuzzing.bodies.first { $0.name == target }).run
        let folder = Self.crashers.appendingPathComponent(target)
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try Data(contentsOf: folder.appendingPathComponent(file)).withUnsafeBytes(body)
        }
        var generator = SeededGenerator(seed: 4)
        for round in 0..<1500 {
            var course: [UInt8] = [UInt8(round % 4)] + Self.joined
            for _ in 0..<Int.random(in: 0...80, using: &generator) {
                let kind = UInt8.random(in: 0...7, using: &generator)
                course += [kind, .random(in: 0...255, using: &generator)]
                // Messages without a payload are well-formed events.
                if kind >= 6 { course += [0, 0] }
            }
            course.withUnsafeBytes(body)
        }
    }
}
