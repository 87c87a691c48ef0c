import Foundation
import Testing

/// Inputs that once broke a parser stay in Fuzz/Crashers, a folder per target, and are run here for ever.
struct CrasherTests {
    private static let folder = VectorFiles.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/Crashers")

    @Test(arguments: WireFuzzing.bodies.map(\.name))
    func everyCrasherPasses(target: String) throws {
        let body = try #require(WireFuzzing.bodies.first { $0.name == target }).run
        let folder = Self.folder.appendingPathComponent(target)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for file in files.sorted() {
            try Data(contentsOf: folder.appendingPathComponent(file)).withUnsafeBytes(body)
        }
    }

    /// Each body with random bytes and damaged packets, so that the plain test run has them too.
    @Test(arguments: WireFuzzing.bodies.map(\.name))
    func randomInputPasses(target: String) throws {
        let body = try #require(WireFuzzing.bodies.first { $0.name == target }).run
        var generator = SeededGenerator(seed: 7983)
        for _ in 0..<3000 {
            var bytes = generator.bytes(.random(in: 0...80, using: &generator))
            if !bytes.isEmpty, Bool.random(using: &generator) { bytes[0] = 0x80 | bytes[0] & 0x3f }
            bytes.withUnsafeBytes(body)
        }
    }
}
