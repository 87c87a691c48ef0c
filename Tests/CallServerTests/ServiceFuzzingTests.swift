import Foundation
import RTCSim
import Testing

/// The fuzz targets' bodies with what once broke them, and with random damage.
@Suite struct ServiceFuzzingTests {
    private static let crashers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Crashers")
    private static let seeds = [
        #"{"providers":{"LIVEKIT":{"room":"r"}},"scopes":{"GLOBAL":{"provider":"LIVEKIT","greeting":{"text":"hi"}}}}"#,
        "\u{0}\u{0}{\"name\":\"r\",\"emptyTimeout\":5}", "\u{5}\u{0}{\"room\":\"r\",\"muted\":true}",
    ]

    @Test(arguments: ServiceFuzzing.bodies.map(\.name))
    func everyCrasherAndRandomInputPasses(target: String) throws {
        let body = try #require(ServiceFuzzing.bodies.first { $0.name == target }).run
        let folder = Self.crashers.appendingPathComponent(target)
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try Data(contentsOf: folder.appendingPathComponent(file)).withUnsafeBytes(body)
        }
        var generator = SeededGenerator(seed: 8259)
        for round in 0..<600 {
            var bytes = Array(Self.seeds[round % Self.seeds.count].utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            bytes.withUnsafeBytes(body)
        }
    }
}
